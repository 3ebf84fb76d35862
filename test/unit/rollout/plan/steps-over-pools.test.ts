import { expect, test } from 'vitest'
import { aFleetClass, aFleetPool, aMachine, aPodOn, type FleetPoolOptions } from '../../../support/fleet-objects.ts'
import { waves } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'
import { aStoredPolicy } from '../../../support/stored-policy.ts'

const soaking = aStoredPolicy({
  nodePoolSelector: { names: ['closing', 'others'] },
  steps: [{ nodes: 1, soak: '30m' }],
})

test('a node that comes to another pool of the rollout, in the second in which it begins, is what its step soaks', () => {
  const of = (name: string, options: FleetPoolOptions = {}) =>
    aFleetPool({
      name,
      disruption: { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '100%' }] },
      ...options,
    })
  const machines = [
    ...aMachine('n1', of('closing'), aFleetClass(), { driftedSince: '2026-06-14T10:00:00Z' }),
    ...aMachine('n2', of('others'), aFleetClass()),
    ...['n1', 'n2'].map((node) => aPodOn(node, `pod-${node}`, { cpu: '1500m' })),
  ]
  const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' as const }]
  const changed = [of('closing', { template: { taints } }), of('others', { labels: { team: 'a' } })]
  const plan = planOf([of('closing'), of('others'), aFleetClass(), ...machines], [...changed, soaking])
  // Up after two minutes, drained after three.
  expect(waves(plan)).toEqual(['1 12:00:00 n1', '2 12:33:00 n2'])
})
