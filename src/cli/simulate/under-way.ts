import { isConditionTrue } from '../../api/conditions.ts'
import { finalizerTermination, taintDisrupted } from '../../api/labels.ts'
import { isClaimDeleting } from '../../model/deleting-claim.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { matchesTaint } from '../../model/taints.ts'
import { withNominations } from './nominations.ts'

/** What the operator knows of a cluster beside its objects, as far as they show it: which nodes are on their way out, and which are promised. */
export function asOperatorSees(snapshot: Snapshot): Snapshot {
  return withNominations(withQueuedMarked(snapshot))
}

/** Whether the disruption queue works on the node: what the objects show of that are its taint and its claim's condition. */
export function isQueued(stateNode: StateNode): boolean {
  const { node, nodeClaim } = stateNode
  if (nodeClaim === undefined || isDeleting(stateNode)) return false
  const isTainted = node?.spec.taints?.some((taint) => matchesTaint(taint, taintDisrupted)) ?? false
  return isTainted || isConditionTrue(nodeClaim, 'DisruptionReason')
}

/** The keys of those that the queue works on. */
export function queuedKeys({ nodes }: Snapshot): ReadonlySet<string> {
  return new Set(nodes.filter(isQueued).map(({ key }) => key))
}

/** A node without a claim and without the finalizer is somebody else's to drain. */
export function isDeleting({ node, nodeClaim }: StateNode): boolean {
  if (nodeClaim !== undefined && isClaimDeleting(nodeClaim)) return true
  if (node?.metadata.deletionTimestamp === undefined) return false
  return nodeClaim !== undefined || (node.metadata.finalizers ?? []).includes(finalizerTermination)
}

/** Budgets and simulations count those that the queue works on as going. */
export function withQueuedMarked(snapshot: Snapshot): Snapshot {
  const marked = (node: StateNode): StateNode => (isQueued(node) ? { ...node, markedForDeletion: true } : node)
  return { ...snapshot, nodes: snapshot.nodes.map(marked) }
}
