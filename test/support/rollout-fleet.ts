import { Fleet } from '../../src/controllers/rollout/fleet.ts'
import type { Node } from '../../src/api/kubernetes.ts'
import type { StateNode } from '../../src/model/snapshot.ts'
import type { ControllerWorld } from './controller-world.ts'

/** What the rollout controller sees of a world's claims; cluster state shows this node for each of them. */
export function aRolloutFleet({ caches }: Pick<ControllerWorld, 'caches'>, node: Node | undefined): Fleet {
  const state = { name: 'n', node, pods: [], markedForDeletion: false } as unknown as StateNode
  return new Fleet({
    verdicts: { of: () => [] },
    caches,
    cluster: { byClaimName: () => state, unboundPods: () => [] },
    hashes: { poolVersion: 'v3', classVersion: 'v6', ofPool: () => '1', ofClass: () => '10' },
  })
}
