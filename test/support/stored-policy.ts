import type { RolloutPolicy } from '../../src/api/karpenter.ts'

/** A policy called `careful` of the pool `default`, unless its spec says otherwise. */
export function aStoredPolicy(spec: Partial<RolloutPolicy['spec']> = {}): RolloutPolicy {
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: {
      name: 'careful',
      uid: 'policy',
      resourceVersion: '1',
      creationTimestamp: '2026-06-01T00:00:00Z',
      generation: 1,
    },
    spec: { nodePoolSelector: { names: ['default'] }, ...spec },
  }
}
