import { conditionOf } from '../api/conditions.ts'
import type { NodeClaim } from '../api/karpenter.ts'
import type { Node } from '../api/kubernetes.ts'
import { parseTimestamp } from './clock.ts'

/** What was read of Nodes may be a little older than what was read of NodeClaims, as right after a start. */
const staleMsMax = 5 * 60_000

/**
 * Whether the machine of a claim has joined and has no Node any more: somebody took the finalizer off and deleted it. A kubelet makes no
 * second one while it runs, so that no pod ever gets there.
 */
export function hasLostNode(
  { node, nodeClaim }: { readonly node: Node | undefined; readonly nodeClaim: NodeClaim | undefined },
  now: number,
): boolean {
  if (node !== undefined || nodeClaim === undefined || nodeClaim.metadata.deletionTimestamp !== undefined) return false
  const registered = conditionOf(nodeClaim, 'Registered')
  return registered?.status === 'True' && now - (parseTimestamp(registered.lastTransitionTime) ?? 0) > staleMsMax
}
