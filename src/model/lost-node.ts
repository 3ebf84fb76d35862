import { isConditionTrue } from '../api/conditions.ts'
import type { NodeClaim } from '../api/karpenter.ts'
import type { Node } from '../api/kubernetes.ts'

/**
 * Whether the machine of a claim has joined and has no Node any more: somebody took the finalizer off and deleted it. A kubelet makes no
 * second one while it runs, so that no pod ever gets there.
 */
export function hasLostNode({
  node,
  nodeClaim,
}: {
  readonly node: Node | undefined
  readonly nodeClaim: NodeClaim | undefined
}): boolean {
  return (
    node === undefined &&
    nodeClaim !== undefined &&
    nodeClaim.metadata.deletionTimestamp === undefined &&
    isConditionTrue(nodeClaim, 'Registered')
  )
}
