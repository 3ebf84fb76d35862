import { conditionOf, isConditionFalse, isConditionTrue } from '../api/conditions.ts'
import type { EC2NodeClass, NodePool, NodePoolRolloutStatus } from '../api/karpenter.ts'
import type { Condition } from '../api/kubernetes.ts'
import { toTimestamp } from '../model/clock.ts'
import { type AnnotationProblem, readRolloutAnnotations } from './annotations.ts'
import { leavesAlone } from './status.ts'

/** Whether everything is as it is wanted, and what holds it up otherwise; as `kubectl rollout status` would ask. */
export type Outlook = 'Done' | 'Progressing' | 'Waiting' | 'Stalled' | 'Unknown'

/** Where the nodes of one NodePool or EC2NodeClass stand: its status, read for a person. */
export interface Standing {
  readonly kind: 'NodePool' | 'EC2NodeClass'
  readonly name: string
  readonly outlook: Outlook
  readonly reason: string
  readonly message: string
  /** Counts that the status has; null where the CRD prunes them. */
  readonly nodes: number | null
  readonly readyNodes: number | null
  readonly upToDateNodes: number | null
  readonly driftedNodes: number | null
  readonly blockedNodes: number | null
  readonly blockedBy: readonly { readonly reason: string; readonly nodes: number; readonly message: string }[]
  /** What an approval has to name; null when the status does not tell. */
  readonly target: string | null
  readonly approved: boolean
  readonly pausedUntil: string | null
  readonly retiring: string | null
  readonly rollout: NodePoolRolloutStatus | null
  readonly problems: readonly AnnotationProblem[]
}

/** The fields this reads. All are optional: unmodified CRDs of Karpenter keep only the conditions. */
interface ReadStatus {
  conditions?: Condition[]
  observedGeneration?: number
  nodes?: number
  readyNodes?: number
  upToDateNodes?: number
  driftedNodes?: number
  blockedNodes?: number
  blockedBy?: { reason: string; nodes: number; message: string }[]
  target?: string
  rollout?: NodePoolRolloutStatus
}

export function standingOf(object: NodePool | EC2NodeClass, now: number): Standing {
  const status: ReadStatus = object.status ?? {}
  const annotations = readRolloutAnnotations(object, now)
  const { pausedUntil } = annotations
  const target = status.target ?? toldTarget(object) ?? null
  const retiring = conditionOf(object, 'Retiring')
  return {
    kind: object.kind === 'NodePool' ? 'NodePool' : 'EC2NodeClass',
    name: object.metadata.name,
    ...outlookOf(object, status, pausedUntil),
    nodes: status.nodes ?? null,
    readyNodes: status.readyNodes ?? null,
    upToDateNodes: status.upToDateNodes ?? null,
    driftedNodes: status.driftedNodes ?? null,
    blockedNodes: status.blockedNodes ?? null,
    blockedBy: status.blockedBy ?? [],
    target,
    approved: target !== null && annotations.approve === target,
    pausedUntil: pausedUntil === undefined ? null : toTimestamp(pausedUntil),
    retiring: retiring?.status === 'True' ? (retiring.message ?? '') : annotations.retire ? 'asked for' : null,
    rollout: status.rollout ?? null,
    problems: annotations.problems,
  }
}

/** Where Karpenter's own CRDs prune the field, the condition still says it. */
function toldTarget(object: NodePool | EC2NodeClass): string | undefined {
  return /\btarget ([0-9]+-[0-9a-f]{8})$/.exec(conditionOf(object, 'Reconciling')?.message ?? '')?.[1]
}

type Judged = Pick<Standing, 'outlook' | 'reason' | 'message'>

/** In kstatus' order: what is going, what is stuck, what has not been looked at, what is under way. */
function outlookOf(object: NodePool | EC2NodeClass, status: ReadStatus, pausedUntil: number | undefined): Judged {
  const { deletionTimestamp, generation = 0 } = object.metadata
  if (deletionTimestamp !== undefined) return judged('Progressing', 'Deleting', 'the object is being deleted')
  const reconciling = conditionOf(object, 'Reconciling')
  const stalled = conditionOf(object, 'Stalled')
  if (stalled?.status === 'True') return judgedBy('Stalled', stalled)
  const seen = status.observedGeneration ?? reconciling?.observedGeneration ?? generation
  if (seen < generation) return judged('Progressing', 'NotObserved', 'the latest change has not been looked at yet')
  if (reconciling === undefined) {
    return judged('Unknown', 'NoStatus', 'nothing has told of its nodes yet; is Joinery running?')
  }
  if (reconciling.status === 'True') {
    if (pausedUntil !== undefined) {
      return judged('Waiting', 'Paused', `paused until ${toTimestamp(pausedUntil)}`)
    }
    const { phase, reason = '', message = '' } = status.rollout ?? {}
    const waits =
      reconciling.reason === 'Paused' || phase === 'AwaitingApproval' || phase === 'Waiting' || phase === 'Paused'
    const outlook = waits ? 'Waiting' : 'Progressing'
    // What the policy says of its rollout is the shorter half of the condition, and the newer one.
    const isTold = phase !== undefined && phase !== 'Idle' && phase !== 'Completed'
    if (!isTold || reconciling.reason === 'Paused') return judgedBy(outlook, reconciling)
    // That it waits the outlook says: for a window, an image's age or a rate, the reason does.
    return judged(outlook, phase === 'Waiting' && reason !== '' ? reason : phase, message)
  }
  const ready = conditionOf(object, 'Ready')
  if (ready !== undefined && isConditionFalse(object, 'Ready')) return judgedBy('Progressing', ready)
  if (ready !== undefined && !isConditionTrue(object, 'Ready')) {
    return judged('Progressing', 'NotReady', ready.message ?? 'its readiness is not known')
  }
  const { reason = '', message = '' } = reconciling
  // Nothing is to be waited for, yet the old nodes are still there.
  return leavesAlone.has(reason)
    ? judged('Done', reason, message.replace(/; target [0-9a-f-]+$/, ''))
    : judged('Done', 'UpToDate', 'every node is as it is wanted')
}

function judgedBy(outlook: Outlook, { reason = '', message = '', type }: Condition): Judged {
  return judged(outlook, reason === '' ? type : reason, message)
}

function judged(outlook: Outlook, reason: string, message: string): Judged {
  return { outlook, reason, message }
}
