import { conditionOf, isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Pod } from '../../api/kubernetes.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { isDeleting, isQueued } from '../simulate/under-way.ts'
import { type Draining, drainingOf } from './draining.ts'
import { type Fact, reason, type Reason } from './explanation.ts'
import { nodeHelp } from './help.ts'

/** What is told of a node that is on its way out, instead of whether it might be disrupted. */
interface Leaving {
  readonly summary: string
  readonly facts: readonly Fact[]
  readonly reasons: readonly Reason[]
  /** Deleted already, not only marked for it. */
  readonly deleting: boolean
}

/** Undefined for a node that stays. `pods` as the cluster has them. */
export function leavingOf(
  stateNode: StateNode,
  question: { readonly snapshot: Snapshot; readonly pods: readonly Pod[] },
): Leaving | undefined {
  const { nodeClaim } = stateNode
  const because = nodeClaim === undefined ? undefined : disruptionReasonOf(nodeClaim)
  if (isQueued(stateNode)) return queued(because)
  return isDeleting(stateNode) ? deleting(stateNode, because, drainingOf(stateNode, question)) : undefined
}

function queued(because: string | undefined): Leaving {
  const message = 'it is marked for disruption, and is deleted as soon as all that replaces it is ready'
  return {
    summary: `The node is being disrupted${because === undefined ? '' : `: ${because}`}.`,
    facts: [],
    reasons: [reason(because ?? 'disruption', 'allows', 'InQueue', message, nodeHelp.InQueue)],
    deleting: false,
  }
}

function deleting(stateNode: StateNode, because: string | undefined, draining: Draining): Leaving {
  const { node, nodeClaim } = stateNode
  const since = node?.metadata.deletionTimestamp ?? nodeClaim?.metadata.deletionTimestamp
  const message = since === undefined ? 'it is being deleted' : `it is being deleted since ${since}`
  return {
    summary: deletingSummary(nodeClaim, draining),
    facts: draining.facts,
    reasons: [reason(because ?? 'deletion', 'allows', 'Deleting', message), ...draining.reasons],
    deleting: true,
  }
}

function deletingSummary(claim: NodeClaim | undefined, { waiting, held, reasons }: Draining): string {
  if (claim !== undefined && isConditionTrue(claim, 'InstanceTerminating')) {
    return 'The node is drained, its instance is terminating.'
  }
  if (waiting > 0) {
    const pods = `${waiting} ${waiting === 1 ? 'pod' : 'pods'}`
    const heldText = held === 0 ? '' : `, of which something holds ${held}`
    return `The node is draining: it still waits for ${pods}${heldText}.`
  }
  return reasons.some(({ outcome }) => outcome === 'blocks')
    ? 'The node is drained and waits for its volumes.'
    : 'The node is being deleted: it waits for no pod any more.'
}

function disruptionReasonOf(claim: NodeClaim): string | undefined {
  const condition = conditionOf(claim, 'DisruptionReason')
  return condition?.status === 'True' ? condition.reason : undefined
}
