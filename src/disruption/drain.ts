import { compareText } from '../model/order.ts'
import { isOwnedByDaemonSet, type PodInfo, podKey } from '../model/pod.ts'
import { isWaitingForDrain } from './pod-eviction.ts'

/** What a drain does next. */
export interface DrainDecision {
  /** All pods the node still waits for, whatever their tier. */
  readonly waiting: readonly PodInfo[]
  /** Those to hand to the eviction queue now: all that may be forced, and of the first tier of the rest those that are not going yet. */
  readonly evict: readonly PodInfo[]
}

const criticalPriorityClasses = new Set(['system-cluster-critical', 'system-node-critical'])

/** `terminationTime` (milliseconds since the epoch) ends the patience; undefined: there is no end to it. */
export function decideDrain(
  pods: readonly PodInfo[],
  { now, terminationTime }: { readonly now: number; readonly terminationTime: number | undefined },
): DrainDecision {
  const waiting = pods
    .filter((pod) => isWaitingForDrain(pod, now))
    .toSorted((a, b) => compareText(podKey(a), podKey(b)) || compareText(a.uid, b.uid))
  const [forced, patient] = [true, false].map((wanted) =>
    waiting.filter((pod) => isForceEligible(pod, { now, terminationTime }) === wanted),
  )
  const asked = firstTier(patient ?? []).filter(({ deletedAt }) => deletedAt === undefined)
  return { waiting, evict: [...(forced ?? []), ...asked] }
}

/**
 * Whether the pod may be deleted past budgets and do-not-disrupt: it would otherwise outlive the termination time. A pod that is
 * going already qualifies only when it would still be there after that time.
 */
export function isForceEligible(
  pod: Pick<PodInfo, 'deletedAt' | 'terminationGracePeriodSeconds'>,
  { now, terminationTime }: { readonly now: number; readonly terminationTime: number | undefined },
): boolean {
  if (terminationTime === undefined) return false
  if (pod.deletedAt !== undefined) return pod.deletedAt > terminationTime
  if (pod.terminationGracePeriodSeconds === undefined) return false
  return now > terminationTime - pod.terminationGracePeriodSeconds * 1_000
}

/** Whole seconds left until the termination time, at least one: zero would skip the kubelet's shutdown of the pod. */
export function forcedGracePeriodSeconds(terminationTime: number, now: number): number {
  return Math.max(Math.trunc((terminationTime - now) / 1_000), 1)
}

/** Applications go before daemons, and both before what the cluster cannot live without. */
function firstTier(pods: readonly PodInfo[]): readonly PodInfo[] {
  const tiers = Map.groupBy(pods, tierOf)
  return [0, 1, 2, 3].map((tier) => tiers.get(tier)).find((tier) => tier !== undefined) ?? []
}

function tierOf(pod: PodInfo): number {
  return (criticalPriorityClasses.has(pod.priorityClassName) ? 2 : 0) + (isOwnedByDaemonSet(pod) ? 1 : 0)
}
