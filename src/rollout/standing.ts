import { conditionIn, conditionOf, isConditionFalse, isConditionTrue } from '../api/conditions.ts'
import type { EC2NodeClass, NodePool, NodePoolRolloutStatus, RolloutPolicy } from '../api/karpenter.ts'
import type { Condition } from '../api/kubernetes.ts'
import { nodeClassNameOf } from '../api/node-class-ref.ts'
import { toTimestamp } from '../model/clock.ts'
import { type AnnotationProblem, readRolloutAnnotations } from './annotations.ts'
import type { Governance } from './engine/govern.ts'
import { newNodesOnly } from './status.ts'
import { poolTarget } from './target.ts'
import { toldByNodePools } from './told-by-pools.ts'

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
  const target = targetOf(object)
  const retiring = conditionOf(object, 'Retiring')
  return {
    kind: object.kind === 'NodePool' ? 'NodePool' : 'EC2NodeClass',
    name: object.metadata.name,
    ...outlookOf(object, status, pausedUntil),
    nodes: nodeCount(status),
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

/** Karpenter's count goes by labels of Nodes, which people can take off; what is up to date is there all the same. */
function nodeCount({ nodes, upToDateNodes = 0 }: ReadStatus): number | null {
  return nodes === undefined ? null : Math.max(nodes, upToDateNodes)
}

/** What else tells where the nodes of a NodePool stand. */
export interface Surroundings {
  readonly nodeClass: EC2NodeClass | undefined
  /** That governs the pool. */
  readonly policy: RolloutPolicy | undefined
}

/**
 * The same of a pool, for who waits for it: its own status says that its nodes are as they are wanted until the operator has looked at an
 * edit of its class, and again when the last node is replaced, while the rollout's last soak and gates are still to come. It says that it is
 * stuck until an edit of its policy, which may mend that, has been looked at.
 */
export function poolStanding(pool: NodePool, { nodeClass, policy }: Surroundings, now: number): Standing {
  const standing = standingOf(pool, now)
  if (standing.outlook === 'Stalled') return { ...standing, ...(policy && unlessObserved(policy)) }
  if (standing.outlook !== 'Done') return standing
  if (nodeClass !== undefined && isOlderThan(nodeClass, pool, standing.target)) {
    const message = `the latest change of EC2NodeClass ${nodeClass.metadata.name} has not been looked at yet`
    return { ...standing, ...judged('Progressing', notObserved, message) }
  }
  if (policy === undefined || standing.reason !== upToDate || !takesPart(pool, policy)) return standing
  return { ...standing, ...outlookByPolicy(policy) }
}

/** `poolStanding` of one pool among all classes and policies. */
export function standingAmong(
  pool: NodePool,
  { classes, governing }: { readonly classes: readonly EC2NodeClass[]; readonly governing: Governance['governing'] },
  now: number,
): Standing {
  const nodeClass = classes.find(({ metadata }) => metadata.name === nodeClassNameOf(pool))
  return poolStanding(pool, { nodeClass, policy: governing.get(pool.metadata.name) }, now)
}

/** Whether a pool's status is from before its class became what it is now: a look at both may find one of them written. */
function isOlderThan(nodeClass: EC2NodeClass, pool: NodePool, target: string | null): boolean {
  if (!isObserved(nodeClass)) return true
  const ofClass = targetOf(nodeClass)
  if (target === null || ofClass === null) return false
  const [hash = ''] = target.split('-')
  return poolTarget(hash, pool, ofClass) !== target
}

/** Whether the pool is part of a rollout of the policy. */
function takesPart({ metadata: { name } }: NodePool, { status }: RolloutPolicy): boolean {
  return (status?.nodePools ?? []).some((pool) => pool.name === name && pool.startNodes !== undefined)
}

/** Of a rollout whose nodes are all replaced, where it keeps the pool from being done: it may get stuck yet, and the policy tells so first. */
function outlookByPolicy(policy: RolloutPolicy): Judged | undefined {
  const { status } = policy
  const unseen = unlessObserved(policy)
  if (unseen !== undefined) return unseen
  if (conditionIn(status?.conditions, 'Reconciling')?.status === 'True') return judgedByPolicy(status ?? {})
  const stalled = conditionIn(status?.conditions, 'Stalled')
  return stalled?.status === 'True' ? judgedBy('Stalled', stalled) : undefined
}

/** Undefined once the latest edit of a policy has been looked at. */
function unlessObserved({ metadata, status }: RolloutPolicy): Judged | undefined {
  const { generation = 0, name } = metadata
  if ((status?.observedGeneration ?? generation) >= generation) return undefined
  return judged('Progressing', notObserved, `the latest change of RolloutPolicy ${name} has not been looked at yet`)
}

/** Whether a status is about the latest edit of its object. */
export function isObserved(object: NodePool | EC2NodeClass): boolean {
  const { generation = 0 } = object.metadata
  const status: ReadStatus = object.status ?? {}
  const seen = status.observedGeneration ?? conditionOf(object, 'Reconciling')?.observedGeneration ?? generation
  return seen >= generation
}

function targetOf(object: NodePool | EC2NodeClass): string | null {
  const status: ReadStatus = object.status ?? {}
  return status.target ?? toldTarget(object) ?? null
}

/** Where Karpenter's own CRDs prune the field, the condition still says it. */
function toldTarget(object: NodePool | EC2NodeClass): string | undefined {
  return /\btarget ([0-9]+-[0-9a-f]{8})$/.exec(conditionOf(object, 'Reconciling')?.message ?? '')?.[1]
}

/** What a policy says of its rollout, in its own status or in that of a pool. */
type PolicyWord = Pick<NodePoolRolloutStatus, 'phase' | 'reason' | 'message'>

const notObserved = 'NotObserved'
const upToDate = 'UpToDate'

type Judged = Pick<Standing, 'outlook' | 'reason' | 'message'>

/** What holds of a class and is left for its pools to say holds all the same. */
function isTold({ status, reason }: Condition): boolean {
  return status === 'True' || reason === toldByNodePools
}

/** In kstatus' order: what is going, what has not been looked at, what is stuck, what is under way. */
function outlookOf(object: NodePool | EC2NodeClass, status: ReadStatus, pausedUntil: number | undefined): Judged {
  const { deletionTimestamp } = object.metadata
  if (deletionTimestamp !== undefined) return judged('Progressing', 'Deleting', 'the object is being deleted')
  const reconciling = conditionOf(object, 'Reconciling')
  const stalled = conditionOf(object, 'Stalled')
  if (!isObserved(object)) return judged('Progressing', notObserved, 'the latest change has not been looked at yet')
  if (stalled !== undefined && isTold(stalled)) return judgedBy('Stalled', stalled)
  if (reconciling === undefined) {
    return judged('Unknown', 'NoStatus', 'nothing has told of its nodes yet; is Joinery running?')
  }
  if (isTold(reconciling)) {
    if (pausedUntil !== undefined) {
      return judged('Waiting', 'Paused', `paused until ${toTimestamp(pausedUntil)}`)
    }
    if (reconciling.reason === 'Paused') return judgedBy('Waiting', reconciling)
    const { phase } = status.rollout ?? {}
    // What the policy says of its rollout is the shorter half of the condition, and the newer one.
    const isByPolicy = phase !== undefined && phase !== 'Idle' && phase !== 'Completed'
    return isByPolicy ? judgedByPolicy(status.rollout ?? {}) : judgedBy('Progressing', reconciling)
  }
  const ready = conditionOf(object, 'Ready')
  if (ready !== undefined && isConditionFalse(object, 'Ready')) return judgedBy('Progressing', ready)
  if (ready !== undefined && !isConditionTrue(object, 'Ready')) {
    return judged('Progressing', 'NotReady', ready.message ?? 'its readiness is not known')
  }
  const { reason = '', message = '' } = reconciling
  // Nothing is to be waited for, yet the old nodes are still there.
  return reason === newNodesOnly
    ? judged('Done', reason, message.replace(/; target [0-9a-f-]+$/, ''))
    : judged('Done', upToDate, 'every node is as it is wanted')
}

function judgedByPolicy({ phase = 'Progressing', reason = '', message = '' }: PolicyWord): Judged {
  const waits = phase === 'AwaitingApproval' || phase === 'Waiting' || phase === 'Paused'
  // That it waits the outlook says: for a window, an image's age or a rate, the reason does.
  return judged(waits ? 'Waiting' : 'Progressing', phase === 'Waiting' && reason !== '' ? reason : phase, message)
}

function judgedBy(outlook: Outlook, { reason = '', message = '', type }: Condition): Judged {
  return judged(outlook, reason === '' ? type : reason, message)
}

function judged(outlook: Outlook, reason: string, message: string): Judged {
  return { outlook, reason, message }
}
