import { Fleet } from '../../src/controllers/rollout/fleet.ts'
import type { RolloutPolicy } from '../../src/api/karpenter.ts'
import type { Node } from '../../src/api/kubernetes.ts'
import type { StateNode } from '../../src/model/snapshot.ts'
import type { ControllerWorld } from './controller-world.ts'

/** Governs the pool `default` and asks for nothing. */
export const plainPolicy: RolloutPolicy = {
  apiVersion: 'joinery.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: { name: 'p', uid: 'p', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { nodePoolSelector: { names: ['default'] } },
}

/** What the rollout controller sees of a world's claims; cluster state shows this node for each of them. */
export function aRolloutFleet({ caches }: Pick<ControllerWorld, 'caches'>, node: Node | undefined): Fleet {
  const annotations = node?.metadata.annotations
  const state = { name: 'n', node, annotations, pods: [], markedForDeletion: false } as unknown as StateNode
  return new Fleet({
    verdicts: { of: () => [] },
    caches,
    cluster: { byClaimName: () => state, unboundPods: () => [] },
    hashes: { poolVersion: 'v3', classVersion: 'v6', ofPool: () => '1', ofClass: () => '10' },
    labelAliases: new Map(),
  })
}
