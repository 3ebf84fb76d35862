import { nillableDurationMs } from '../api/duration.ts'
import type { PodInfo } from '../model/pod.ts'
import { isReschedulable } from './pod-eviction.ts'

const podDeletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost'

/**
 * How much moving one pod hurts: 1 for an ordinary pod, between −10 and 10 by its deletion cost and priority. The divisors map the
 * full int32 range of both onto that scale.
 */
export function evictionCost(pod: Pick<PodInfo, 'annotations' | 'priority'>): number {
  const text = pod.annotations[podDeletionCostAnnotation]
  const deletionCost = text === undefined ? 0 : parseFloatStrictly(text)
  const cost = 1 + (deletionCost ?? 0) / 2 ** 27 + (pod.priority ?? 0) / 2 ** 25
  return Math.min(10, Math.max(-10, cost))
}

/** Such a cost counts as none. */
export function hasUnreadableDeletionCost(pod: Pick<PodInfo, 'annotations'>): boolean {
  const text = pod.annotations[podDeletionCostAnnotation]
  return text !== undefined && parseFloatStrictly(text) === undefined
}

/** Of a node: 1 for the node itself and what moving its pods costs. At 1 it is empty. */
export function rescheduleDisruptionCost(pods: readonly PodInfo[]): number {
  return 1 + pods.filter(isReschedulable).reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 0)
}

/** Whether a node with this pod alone is not empty: it would have to run elsewhere, and to move it costs something. */
export function isWorthKeeping(pod: PodInfo): boolean {
  return rescheduleDisruptionCost([pod]) > 1
}

/** The share of its life that a claim still has: 1 when it never expires. */
export function lifetimeRemaining(expireAfter: string | undefined, createdAtMs: number, now: number): number {
  const expireAfterMs = nillableDurationMs(expireAfter)
  if (expireAfterMs === undefined) return 1
  if (expireAfterMs <= 0) return 0
  return Math.min(1, Math.max(0, (expireAfterMs - (now - createdAtMs)) / expireAfterMs))
}

function parseFloatStrictly(text: string): number | undefined {
  const value = Number(text)
  return text.trim() === '' || Number.isNaN(value) ? undefined : value
}
