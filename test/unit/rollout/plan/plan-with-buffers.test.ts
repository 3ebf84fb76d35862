import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { coreGates } from '../../../../src/operator/option-table.ts'
import type { Plan } from '../../../../src/rollout/plan/plan.ts'
import { aBuffer, aFleetClass, aFleetPool, aMachine, aPodOn } from '../../../support/fleet-objects.ts'
import { planOf } from '../../../support/plan-of.ts'

const pool = aFleetPool()
const featureGates = { ...coreGates, CapacityBuffer: true }
/** Of an m5.large, and of two and three of them. */
const [one, two, three] = [0.096, 0.192, 0.288]

/** Of m5.large nodes, which have room for 1.93 cores. */
function aFleet(cpuOfPods: Readonly<Record<string, string | undefined>>, of = pool): KubeObject[] {
  const nodeClass = aFleetClass()
  const machines = Object.entries(cpuOfPods).flatMap(([name, cpu]) => [
    ...aMachine(name, of, nodeClass),
    ...(cpu === undefined ? [] : [aPodOn(name, `pod-${name}`, { cpu })]),
  ])
  return [of, nodeClass, ...machines]
}

function actions(plan: Plan): Readonly<Record<string, string>> {
  return Object.fromEntries(plan.nodes.map(({ node, action, reason }) => [node, `${action} ${reason}`]))
}

describe('a plan and the room of capacity buffers', () => {
  test('a node that holds such room is not empty', () => {
    const disruption = (consolidateAfter: string) => ({
      disruption: { consolidateAfter, consolidationPolicy: 'WhenEmptyOrUnderutilized' as const },
    })
    const before = aFleetPool(disruption('Never'))
    const after = [aFleetPool(disruption('1m'))]
    const cluster = [...aFleet({ n1: undefined, n2: undefined }, before), ...aBuffer('1500m', 1)]
    expect(actions(planOf(cluster, after, { featureGates }))).toEqual({
      n1: 'inPlace Consolidatable',
      n2: 'remove Empty',
    })
    expect(actions(planOf(cluster, after))).toEqual({ n1: 'remove Empty', n2: 'remove Empty' })
  })

  test.each([
    ['each by itself', undefined],
    ['in groups', 0],
  ])('pods of a node that goes do not count on it: a node more is there afterwards (%s)', (_, exactMax) => {
    const options = exactMax === undefined ? {} : { exactMax }
    const other = aFleetPool({ name: 'other' })
    // The buffer's room is on the node of the pool that does not change.
    const cluster = [...aFleet({ n1: '1500m' }), ...aFleet({ n2: undefined }, other), ...aBuffer('1600m', 1)]
    const manifests = [aFleetPool({ labels: { team: 'b' } })]
    const withBuffer = planOf(cluster, manifests, { ...options, featureGates })
    expect(withBuffer.cost).toEqual({ before: two, during: three, after: two })
    expect(planOf(cluster, manifests, options).cost).toEqual({ before: two, during: two, after: one })
  })

  test('what a pool that goes has held is held anew, at its price', () => {
    const other = aFleetPool({ name: 'other' })
    const cluster = [...aFleet({ n1: undefined }), ...aFleet({ n2: '1500m' }, other), ...aBuffer('1500m', 1)]
    const manifests = [other, aFleetClass()]
    const plan = planOf(cluster, manifests, { featureGates, prune: true })
    expect(actions(plan)).toMatchObject({ n1: 'remove NodePoolRemoved' })
    expect(plan.cost).toEqual({ before: two, during: three, after: two })
    expect(planOf(cluster, manifests, { prune: true }).cost?.after).toBe(one)
  })

  test('room that no node has yet is no cost of the change', () => {
    const cluster = [...aFleet({ n1: '1500m' }), ...aBuffer('1500m', 2)]
    const plan = planOf(cluster, [aFleetPool({ labels: { team: 'b' } })], { featureGates })
    expect(actions(plan)).toEqual({ n1: 'replace NodePoolDrifted' })
    expect(plan.cost).toEqual({ before: one, during: two, after: one })
  })
})
