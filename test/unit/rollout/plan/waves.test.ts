import { describe, expect, test } from 'vitest'
import type { NodePool } from '../../../../src/api/karpenter.ts'
import { aFleetClass, aFleetPool, aMachine, aPodOn, type FleetPoolOptions } from '../../../support/fleet-objects.ts'
import { actions, aFleet, labelled, waves } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

describe('waves', () => {
  const machines = { n1: {}, n2: {}, n3: {}, n4: {}, n5: {} }

  test('as many at once as the budget allows, the next when those are gone', () => {
    const plan = planOf(aFleet({ machines }), [aFleetPool(labelled)])
    expect(waves(plan)).toEqual(['1 12:00:00 n1 n2', '2 12:03:00 n3 n4', '3 12:06:00 n5'])
    expect(plan.durationSeconds).toBe(9 * 60)
    expect(plan.nodes.map(({ wave }) => wave)).toEqual([1, 1, 2, 2, 3])
  })

  test('a percentage counts new nodes as soon as they are ready', () => {
    const budgets = [{ nodes: '40%' }]
    const disruption = { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' as const, budgets }
    const plan = planOf(aFleet({ pool: aFleetPool({ disruption }), machines }), [
      aFleetPool({ ...labelled, disruption }),
    ])
    // 40 % of 5 are 2; with both replacements ready, 40 % of 7 are 3.
    expect(waves(plan)).toEqual(['1 12:00:00 n1 n2', '2 12:02:00 n3', '3 12:03:00 n4', '4 12:04:00 n5'])
  })

  test('nodes without pods go first, then those that drifted first', () => {
    const now = aFleetPool(labelled)
    const special = {
      n3: { pods: [] },
      n4: { driftedSince: '2026-06-14T11:00:00Z' },
      n5: { driftedSince: '2026-06-14T10:00:00Z' },
    }
    const cluster = aFleet({ machines: { ...machines, ...special } }).filter(({ kind }) => kind !== 'NodePool')
    // n3 has nothing to wait for. n4's pod would take the node that comes for n5, and may not before that is ready; then n1's that of n4.
    expect(waves(planOf([...cluster, now], []))).toEqual([
      '1 12:00:00 n3 n5',
      '2 12:02:00 n4',
      '3 12:04:00 n1',
      '4 12:05:00 n2',
    ])
  })

  const frozen = (budgets: NonNullable<NodePool['spec']['disruption']>['budgets']): FleetPoolOptions => ({
    ...labelled,
    disruption: {
      consolidateAfter: 'Never',
      consolidationPolicy: 'WhenEmpty',
      ...(budgets === undefined ? {} : { budgets }),
    },
  })

  test('a window of a budget is waited for', () => {
    const pool = aFleetPool(frozen([{ nodes: '10' }, { nodes: '0', schedule: '0 9 * * *', duration: '8h' }]))
    const plan = planOf(aFleet({ machines: { n1: {}, n2: {} } }), [pool])
    expect(plan.waves).toEqual([{ wave: 1, notBefore: '2026-06-14T17:00:00Z', nodes: ['n1', 'n2'] }])
    expect(plan.durationSeconds).toBe(5 * 3600 + 180)
  })

  test('a budget that never lets anything go holds every node back', () => {
    const plan = planOf(aFleet({ machines: { n1: {} } }), [aFleetPool(frozen([{ nodes: '0' }]))])
    expect(actions(plan)).toEqual({ n1: 'replace NodePoolDrifted' })
    expect(plan.nodes[0]?.wave).toBeNull()
    expect(plan.blockedBy).toEqual([
      { node: 'n1', message: 'No allowed disruptions for disruption reason Drifted due to blocking budget' },
    ])
    expect(plan.durationSeconds).toBe(0)
  })

  test('a budget that cannot be read lets nothing go', () => {
    const pool = aFleetPool(frozen([{ nodes: '2' }, { nodes: '1', schedule: 'whenever', duration: '8h' }]))
    const plan = planOf([...aFleet({ machines: { n1: {} } }).slice(1), pool], [])
    expect({ waves: plan.waves, held: plan.blockedBy.map(({ node }) => node) }).toEqual({ waves: [], held: ['n1'] })
  })

  test('a static pool replaces what its budget allows, and begins again when all of it is gone', () => {
    const replicas = { replicas: 5, limits: { nodes: '7' } }
    const plan = planOf(aFleet({ pool: aFleetPool(replicas), machines }), [aFleetPool({ ...replicas, ...labelled })])
    expect(waves(plan)).toEqual(['1 12:00:00 n1 n2', '2 12:03:00 n3 n4', '3 12:06:00 n5'])
  })

  test.each([
    ['without room beside its replicas', '1'],
    ['whose limit cannot be read', '1e1.5'],
  ])('a static pool %s replaces nothing', (_name, nodes) => {
    const replicas = { replicas: 1, limits: { nodes } }
    const plan = planOf(aFleet({ pool: aFleetPool(replicas), machines: { n1: {} } }), [
      aFleetPool({ ...replicas, ...labelled }),
    ])
    expect(plan.blockedBy).toEqual([
      {
        node: 'n1',
        message: 'limits.nodes of NodePool default leaves no room for a replacement beside its 1 replicas',
      },
    ])
  })

  test('a static pool waits for its window, whatever becomes of nodes that nothing can replace', () => {
    const budgets = [{ nodes: '0', schedule: '0 9 * * *', duration: '8h' }]
    const disruption = { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' as const, budgets }
    const fixed = { name: 'fixed', replicas: 1, disruption }
    const cluster = [
      ...aFleet({ machines: { n1: {} } }),
      aFleetPool(fixed),
      ...aMachine('s1', aFleetPool(fixed), aFleetClass()),
      aPodOn('s1', 'pod-s1', { cpu: '1500m' }),
    ]
    const taints = [{ key: 'dedicated', value: 'a', effect: 'NoSchedule' as const }]
    const plan = planOf(cluster, [aFleetPool({ template: { taints } }), aFleetPool({ ...fixed, ...labelled })])
    expect(waves(plan)).toEqual(['1 17:00:00 s1'])
    expect(plan.blockedBy.map(({ node }) => node)).toEqual(['n1'])
  })

  test.each([
    ['alone', false, []],
    ['beside nodes that nothing can replace', true, ['n1']],
  ])('an empty node waits for the window of its budget, %s', (_name, isTainted, blocked) => {
    const taints = [{ key: 'dedicated', value: 'a', effect: 'NoSchedule' as const }]
    const budgets = [{ nodes: '0', schedule: '0 9 * * *', duration: '8h' }]
    const idle = (consolidateAfter: string) =>
      aFleetPool({
        name: 'idle',
        template: { taints },
        disruption: { consolidateAfter, consolidationPolicy: 'WhenEmpty', budgets },
      })
    const machine = aMachine('e1', idle('Never'), aFleetClass(), { taints })
    const cluster = [...aFleet({ machines: { n1: {} } }), idle('Never'), ...machine]
    const plan = planOf(cluster, [aFleetPool(isTainted ? { template: { taints } } : {}), idle('1m')])
    expect(waves(plan)).toEqual(['1 17:00:00 e1'])
    // It is drained for a minute, and nothing has to come up first.
    expect(plan.durationSeconds).toBe(5 * 3600 + 60)
    expect(plan.blockedBy.map(({ node }) => node)).toEqual(blocked)
  })

  test('nodes without pods go before one whose pods they could have taken', () => {
    const cluster = aFleet({ machines: { n1: { pods: [{ cpu: '500m' }] }, n2: { pods: [] }, n3: { pods: [] } } })
    expect(waves(planOf(cluster, [aFleetPool(labelled)]))).toEqual(['1 12:00:00 n2 n3', '2 12:01:00 n1'])
  })
})
