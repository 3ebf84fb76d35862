import { conditionOf } from '../../api/conditions.ts'
import { nillableDurationMs } from '../../api/duration.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Pod, PodDisruptionBudget } from '../../api/kubernetes.ts'
import { annotationTerminationTimestamp } from '../../api/labels.ts'
import { readDoNotDisrupt } from '../../disruption/do-not-disrupt.ts'
import { decideDrain, isForceEligible } from '../../disruption/drain.ts'
import { byNamespace, type BudgetsByNamespace, evictionAnswer } from '../../disruption/pdb.ts'
import { parseRFC3339, parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { listText } from '../../model/list-text.ts'
import { compareText } from '../../model/order.ts'
import { type PodInfo, podKey } from '../../model/pod.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { type Fact, momentText, reason, type Reason } from './explanation.ts'
import { nodeHelp } from './help.ts'

/** What the drain of a node waits for. */
export interface Draining {
  readonly facts: readonly Fact[]
  /** Those that something holds first. */
  readonly reasons: readonly Reason[]
  readonly waiting: number
  /** Of the waiting pods. */
  readonly held: number
}

/** How many pods that nothing holds a message names: a drain that has just begun waits for all. */
const namedMax = 10

/** `pods` as the cluster has them: a pod's finalizers are told from there. */
export function drainingOf(
  { node, nodeClaim, pods: bound }: StateNode,
  { snapshot, pods }: { readonly snapshot: Snapshot; readonly pods: readonly Pod[] },
): Draining {
  const { now, podDisruptionBudgets } = snapshot
  const deadline = deadlineOf(nodeClaim, parseTimestamp(node?.metadata.deletionTimestamp))
  const terminationTime = deadline.kind === 'at' ? deadline.at : undefined
  const { waiting, evict } = decideDrain(bound, { now, terminationTime })
  const circumstances = {
    now,
    terminationTime,
    budgets: byNamespace(podDisruptionBudgets),
    objects: podDisruptionBudgets,
    finalizers: new Map(pods.map(({ metadata }) => [metadata.uid, metadata.finalizers ?? []])),
  }
  const judged = waiting.map((pod) => ({ pod, why: whyItStays(pod, circumstances) }))
  const told = judged.flatMap(({ why }) => (why === undefined ? [] : [why]))
  const free = judged.filter(({ why }) => why === undefined).map(({ pod }) => pod)
  const held = told.filter(({ outcome }) => outcome === 'blocks').length
  return {
    facts: [{ name: 'drain deadline', value: deadlineText(deadline, now) }],
    reasons: [
      ...told.toSorted((a, b) => compareText(a.outcome, b.outcome) || compareText(a.code, b.code)),
      ...freeReasons(free, new Set(evict)),
      ...(nodeClaim === undefined ? [] : volumeReasons(nodeClaim)),
    ],
    waiting: waiting.length,
    held,
  }
}

interface Circumstances {
  readonly now: number
  readonly terminationTime: number | undefined
  readonly budgets: BudgetsByNamespace
  readonly objects: readonly PodDisruptionBudget[]
  /** By pod UID. */
  readonly finalizers: ReadonlyMap<string, readonly string[]>
}

/** Undefined where nothing holds the pod: it goes once it is evicted. */
function whyItStays(pod: PodInfo, circumstances: Circumstances): Reason | undefined {
  const { now, terminationTime, budgets } = circumstances
  const about = `pod ${podKey(pod)}`
  if (pod.deletedAt !== undefined) return terminatingReason(about, pod, pod.deletedAt, circumstances)
  if (isForceEligible(pod, circumstances)) {
    const message = 'it is deleted past budgets and do-not-disrupt now, so that it ends before the drain deadline'
    return reason(about, 'allows', 'ForcedDeletion', message)
  }
  const until = forcedText(pod, terminationTime)
  const state = readDoNotDisrupt(pod, now)
  if (state.kind === 'always' || state.kind === 'until') {
    const end = state.kind === 'until' && state.untilMs !== undefined ? ` until ${momentText(state.untilMs, now)}` : ''
    const message = `the annotation karpenter.sh/do-not-disrupt holds it${end}${until}`
    const help = 'remove the annotation karpenter.sh/do-not-disrupt from the pod, or let the pod finish'
    return reason(about, 'blocks', 'PodDoNotDisrupt', message, help)
  }
  const verdict = evictionAnswer(pod, budgets)
  if (verdict.kind === 'blocked') {
    const message = `PodDisruptionBudget ${verdict.budget} allows no eviction now${healthText(verdict.budget, circumstances)}${until}`
    const help = `let more of the pods of the PodDisruptionBudget become ready elsewhere, or loosen it: kubectl -n ${pod.namespace} get pdb`
    return reason(about, 'blocks', 'PDBBlocked', message, help)
  }
  if (verdict.kind === 'multiple') {
    const message = `several PodDisruptionBudgets select it (${verdict.budgets.join(', ')}), so it is never evicted${until}`
    return reason(about, 'blocks', 'MultiplePDBs', message, nodeHelp.MultiplePDBs)
  }
  return undefined
}

/** `endsAt`: with the pod's grace period. */
function terminatingReason(
  about: string,
  { uid }: PodInfo,
  endsAt: number,
  { now, finalizers }: Circumstances,
): Reason {
  const names = finalizers.get(uid) ?? []
  const finalizersText = names.length === 0 ? '' : `, finalizers hold it: ${names.join(', ')}`
  if (endsAt > now) {
    const message = `it is terminating, its grace period lasts until ${momentText(endsAt, now)}${finalizersText}`
    return reason(about, 'idle', 'Terminating', message)
  }
  const message = `its grace period ended at ${toTimestamp(endsAt)}${finalizersText}; a minute later the drain goes on without it`
  return names.length === 0
    ? reason(about, 'blocks', 'Terminating', message, 'the kubelet has not let the pod go: look at the node')
    : reason(about, 'blocks', 'Finalizers', message, 'whoever set the finalizers has to remove them')
}

function freeReasons(free: readonly PodInfo[], next: ReadonlySet<PodInfo>): readonly Reason[] {
  const turns = [
    { pods: free.filter((pod) => next.has(pod)), message: 'nothing holds them, they are being evicted' },
    { pods: free.filter((pod) => !next.has(pod)), message: 'their turn comes when the pods before them have gone' },
  ]
  return turns.flatMap(({ pods, message }) =>
    pods.length === 0 ? [] : [reason('pods', 'idle', 'Evicting', `${message}: ${podNames(pods)}`)],
  )
}

function volumeReasons(claim: NodeClaim): readonly Reason[] {
  const condition = conditionOf(claim, 'VolumesDetached')
  if (condition?.reason !== 'AwaitingVolumeDetachment') return []
  const message = 'the drain waits until the volumes of the pods are detached'
  const help = 'the event AwaitingVolumeDetachment names them; the CSI driver detaches them'
  return [reason('volumes', 'blocks', condition.reason, message, help)]
}

type Deadline =
  | { readonly kind: 'at'; readonly at: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly text: string }

/** As written down when the claim was deleted; before that, as it will be. */
function deadlineOf(claim: NodeClaim | undefined, nodeDeletedAt: number | undefined): Deadline {
  const text = claim?.metadata.annotations?.[annotationTerminationTimestamp]
  if (text !== undefined) {
    const at = parseRFC3339(text)
    return at === undefined ? { kind: 'unreadable', text } : { kind: 'at', at }
  }
  const graceMs = nillableDurationMs(claim?.spec.terminationGracePeriod)
  const deletedAt = parseTimestamp(claim?.metadata.deletionTimestamp) ?? nodeDeletedAt
  return graceMs === undefined || deletedAt === undefined ? { kind: 'none' } : { kind: 'at', at: deletedAt + graceMs }
}

function deadlineText(deadline: Deadline, now: number): string {
  switch (deadline.kind) {
    case 'at':
      return `${momentText(deadline.at, now)}: no pod outlives that, whatever holds it`
    case 'none':
      return 'none: the NodeClaim has no terminationGracePeriod, the drain waits as long as it takes'
    case 'unreadable':
      return `unknown, and the drain stands still: annotation ${annotationTerminationTimestamp} ${JSON.stringify(deadline.text)} is no RFC 3339 time`
  }
}

/** A held pod is deleted all the same as early as its own grace period needs before the deadline. */
function forcedText({ terminationGracePeriodSeconds }: PodInfo, terminationTime: number | undefined): string {
  if (terminationTime === undefined || terminationGracePeriodSeconds === undefined) return ''
  return `, deleted anyway at ${toTimestamp(terminationTime - terminationGracePeriodSeconds * 1_000)}`
}

function healthText(name: string, { objects }: Circumstances): string {
  const status = objects.find(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}` === name)?.status
  const { currentHealthy, desiredHealthy } = status ?? {}
  if (currentHealthy === undefined || desiredHealthy === undefined) return ''
  return ` (${currentHealthy} pods are healthy, it wants ${desiredHealthy})`
}

function podNames(pods: readonly PodInfo[]): string {
  return listText(pods.map(podKey), namedMax, 'others')
}
