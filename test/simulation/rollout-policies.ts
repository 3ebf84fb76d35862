import type { RolloutPolicySpec } from '../../src/api/karpenter.ts'
import { usualPolicy } from './world.ts'

type Policy = Omit<RolloutPolicySpec, 'nodePoolSelector'>

/**
 * What a rollout is done under, one after the other by seed. Three hours without faults are enough for any of them. All return from a bad
 * image: a rollout that only halts leaves new pods without nodes until somebody chooses another, so no run would come to rest.
 */
const policies: readonly Policy[] = [
  usualPolicy,
  {
    rate: { nodes: 6, per: '15m' },
    order: { by: 'Zone' },
    sharedBudget: '20%',
    gates: { nodeReadyTimeout: '8m', maxFailedNodes: 1 },
    onFailure: 'Rollback',
  },
  {
    windows: [{ schedule: '0 * * * *', duration: '40m' }],
    covers: ['Drift', 'Consolidation'],
    steps: [{ nodes: '20%', soak: '2m' }],
    sharedBudget: '4',
    gates: { nodeReadyTimeout: '8m' },
    onFailure: 'Rollback',
  },
  { ...usualPolicy, mode: 'Approve', order: { by: 'NodePool', first: ['spot'] } },
]

export function policyOfSeed(seed: number): Policy {
  return policies[(seed - 1) % policies.length] ?? usualPolicy
}
