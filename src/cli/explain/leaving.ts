import { conditionOf, isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import { finalizerTermination, taintDisrupted } from '../../api/labels.ts'
import { isClaimDeleting } from '../../cluster/state-node.ts'
import type { StateNode } from '../../model/snapshot.ts'
import { matchesTaint } from '../../model/taints.ts'
import { reason, type Reason } from './explanation.ts'
import { nodeHelp } from './help.ts'

/** What is told of a node that is on its way out, instead of whether it might be disrupted. */
export interface Leaving {
  readonly summary: string
  readonly reasons: readonly Reason[]
  /** Deleted already, not only marked for it. */
  readonly deleting: boolean
}

/** Whether the disruption queue works on the node: what the objects show of that are its taint and its claim's condition. */
export function isQueued(stateNode: StateNode): boolean {
  const { node, nodeClaim } = stateNode
  if (nodeClaim === undefined || isDeleting(stateNode)) return false
  const isTainted = node?.spec.taints?.some((taint) => matchesTaint(taint, taintDisrupted)) ?? false
  return isTainted || isConditionTrue(nodeClaim, 'DisruptionReason')
}

/** As the operator sees the nodes of its queue: budgets and simulations count them as going. */
export function markQueued(stateNode: StateNode): StateNode {
  return isQueued(stateNode) ? { ...stateNode, markedForDeletion: true } : stateNode
}

/** Undefined for a node that stays. */
export function leavingOf(stateNode: StateNode): Leaving | undefined {
  const { nodeClaim } = stateNode
  const because = nodeClaim === undefined ? undefined : disruptionReasonOf(nodeClaim)
  if (isQueued(stateNode)) return queued(because)
  return isDeleting(stateNode) ? deleting(stateNode, because) : undefined
}

function queued(because: string | undefined): Leaving {
  const message = 'the node is tainted, and is deleted as soon as all that replaces it is ready'
  return {
    summary: `The node is being disrupted${because === undefined ? '' : `: ${because}`}.`,
    reasons: [reason(because ?? 'disruption', 'allows', 'InQueue', message, nodeHelp.InQueue)],
    deleting: false,
  }
}

function deleting({ node, nodeClaim }: StateNode, because: string | undefined): Leaving {
  const since = node?.metadata.deletionTimestamp ?? nodeClaim?.metadata.deletionTimestamp
  const message = since === undefined ? 'it is being deleted' : `it is being deleted since ${since}`
  const isTerminating = nodeClaim !== undefined && isConditionTrue(nodeClaim, 'InstanceTerminating')
  return {
    summary: isTerminating ? 'The node is drained, its instance is terminating.' : 'The node is draining.',
    reasons: [reason(because ?? 'deletion', 'allows', 'Deleting', message, nodeHelp.Deleting)],
    deleting: true,
  }
}

/** A node without a claim and without the finalizer is somebody else's to drain. */
function isDeleting({ node, nodeClaim }: StateNode): boolean {
  if (nodeClaim !== undefined && isClaimDeleting(nodeClaim)) return true
  if (node?.metadata.deletionTimestamp === undefined) return false
  return nodeClaim !== undefined || (node.metadata.finalizers ?? []).includes(finalizerTermination)
}

function disruptionReasonOf(claim: NodeClaim): string | undefined {
  const condition = conditionOf(claim, 'DisruptionReason')
  return condition?.status === 'True' ? condition.reason : undefined
}
