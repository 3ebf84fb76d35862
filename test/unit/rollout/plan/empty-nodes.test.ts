import { expect, test } from 'vitest'
import {
  aFleetClass,
  aFleetPool,
  aMachine,
  aWaitingPod,
  type FleetPoolOptions,
} from '../../../support/fleet-objects.ts'
import { actions, aFleet, labelled, waves } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

/** A change of `consolidateAfter` alone, which takes empty nodes. */
const takenAfter = (consolidateAfter: string, nodes = '2'): FleetPoolOptions => ({
  disruption: { consolidateAfter, consolidationPolicy: 'WhenEmpty', budgets: [{ nodes }] },
})

test('an empty node that gets pods before its time has come stays for them, and that is told', () => {
  const idle = (consolidateAfter: string) => aFleetPool({ name: 'idle', ...takenAfter(consolidateAfter) })
  const empty = aMachine('e1', idle('Never'), aFleetClass(), { createdAt: '2026-06-14T11:00:00Z' })
  const cluster = [...aFleet({ machines: { n1: {} } }), idle('Never'), ...empty]
  const plan = planOf(cluster, [aFleetPool(labelled), idle('2h')])
  expect(waves(plan)).toEqual(['1 12:00:00 n1'])
  expect(plan.blockedBy).toEqual([{ node: 'e1', message: 'Gets pods of nodes that go' }])
})

test('an empty node that drifts as well is held back as one that drifts', () => {
  const cluster = aFleet({ pool: aFleetPool(takenAfter('Never', '0')), machines: { n1: { pods: [] } } })
  const plan = planOf(cluster, [aFleetPool({ ...labelled, ...takenAfter('1m', '0') })])
  expect(actions(plan)).toEqual({ n1: 'replace NodePoolDrifted' })
  expect(plan.blockedBy).toEqual([
    { node: 'n1', message: 'No allowed disruptions for disruption reason Drifted due to blocking budget' },
  ])
})

test('limits that keep waiting pods from a node, whatever is changed, are no finding of the change', () => {
  const limited = (consolidateAfter: string) => aFleetPool({ limits: { cpu: '2' }, ...takenAfter(consolidateAfter) })
  const cluster = aFleet({ pool: limited('Never'), machines: { n1: { pods: [] } } })
  const waiting = aWaitingPod('large', { cpu: '3' })
  const plan = planOf([...cluster, waiting], [limited('1m')])
  expect(waves(plan)).toEqual(['1 12:00:00 n1'])
  expect([plan.limits, plan.unplaceablePods]).toEqual([[], []])
})

type Consolidation = 'WhenEmpty' | 'WhenEmptyOrUnderutilized'
const consolidating = (consolidateAfter: string, consolidationPolicy: Consolidation): FleetPoolOptions => ({
  disruption: { consolidateAfter, consolidationPolicy, budgets: [{ nodes: '2' }] },
})
const changes: Record<string, { readonly before: FleetPoolOptions; readonly after: FleetPoolOptions; want: object }> = {
  'for empty nodes alone, nodes with pods are left as they were': {
    before: consolidating('Never', 'WhenEmpty'),
    after: consolidating('1m', 'WhenEmpty'),
    want: { n1: 'remove Empty', n2: 'inPlace' },
  },
  'that goes on, whatever its time, takes nothing that it did not take before': {
    before: consolidating('1m', 'WhenEmptyOrUnderutilized'),
    after: consolidating('2m', 'WhenEmptyOrUnderutilized'),
    want: { n1: 'inPlace', n2: 'inPlace' },
  },
  'of a static pool is none': {
    before: { replicas: 2, ...consolidating('Never', 'WhenEmptyOrUnderutilized') },
    after: { replicas: 2, ...consolidating('1m', 'WhenEmptyOrUnderutilized') },
    want: { n1: 'inPlace', n2: 'inPlace' },
  },
}
test.each(Object.entries(changes))('consolidation %s', (_name, { before, after, want }) => {
  const cluster = aFleet({ pool: aFleetPool(before), machines: { n1: { pods: [] }, n2: {} } })
  expect(actions(planOf(cluster, [aFleetPool(after)]))).toEqual(want)
})
