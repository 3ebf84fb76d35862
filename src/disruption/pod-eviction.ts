import { taintDisrupted } from '../api/labels.ts'
import { tolerates } from '../model/taints.ts'
import {
  isActive,
  isOwnedByDaemonSet,
  isOwnedByNode,
  isOwnedByStatefulSet,
  isTerminal,
  type PodInfo,
} from '../model/pod.ts'
import { isDoNotDisruptActive } from './do-not-disrupt.ts'
import { type BudgetsByNamespace, isFullyBlocked } from './pdb.ts'

/** A pod past its deletion time by this much will not go by itself and is no longer waited for. */
const stuckTerminatingMs = 60_000

/** Pods that tolerate the taint of a node on its way out are never drained. */
function toleratesDisruption(pod: Pick<PodInfo, 'tolerations'>): boolean {
  return pod.tolerations.some((toleration) => tolerates(toleration, taintDisrupted))
}

/** `deletedAt` already includes the pod's grace period. */
function isStuckTerminating(pod: Pick<PodInfo, 'deletedAt'>, now: number): boolean {
  return pod.deletedAt !== undefined && now - pod.deletedAt > stuckTerminatingMs
}

/** Whether a drain waits for the pod: do-not-disrupt and DaemonSet pods are waited for. */
export function isDrainable(pod: PodInfo, now: number): boolean {
  return !toleratesDisruption(pod) && !isOwnedByNode(pod) && !isStuckTerminating(pod, now)
}

/** Whether a drain waits for the pod now: finished ones hold nothing up. */
export function isWaitingForDrain(pod: PodInfo, now: number): boolean {
  return !isTerminal(pod) && isDrainable(pod, now)
}

/** Whether asking the eviction API makes sense now. */
export function isEvictable(pod: PodInfo, now: number): boolean {
  return isActive(pod) && !toleratesDisruption(pod) && !isOwnedByNode(pod) && !isDoNotDisruptActive(pod, now)
}

/** Would have to run elsewhere when its node goes. */
export function isReschedulable(pod: PodInfo): boolean {
  const lives = isActive(pod) || (pod.deletedAt !== undefined && !isTerminal(pod) && isOwnedByStatefulSet(pod))
  return lives && !isOwnedByDaemonSet(pod) && !isOwnedByNode(pod)
}

/** Reschedulable, and nothing forbids moving it for good: simulations prepare a place for these. */
export function isCurrentlyReschedulable(pod: PodInfo, budgets: BudgetsByNamespace, now: number): boolean {
  if (!isReschedulable(pod)) return false
  if (isActive(pod) && isDoNotDisruptActive(pod, now)) return false
  return !isEvictable(pod, now) || !isFullyBlocked(pod, budgets)
}
