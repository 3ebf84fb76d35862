import { nillableDurationMs } from '../../api/duration.ts'
import type { NodeClaim, RolloutPolicy, RolloutPolicySpec } from '../../api/karpenter.ts'
import { windowState } from './windows.ts'

/** An expired node; times in ms since the epoch. */
export interface ExpiredNode {
  readonly dueAt: number
  /** Of the claim, if it has one. */
  readonly terminationGracePeriodMs: number | undefined
}

/**
 * When an expired node may be taken: now, or when the next window opens, for a policy whose windows cover expiration. A claim with a
 * termination grace period promises an end, so it is deferred by no more than that; windows that never open defer nothing.
 */
export function expiryTime(
  spec: RolloutPolicySpec,
  { dueAt, terminationGracePeriodMs }: ExpiredNode,
  now: number,
): number {
  if (spec.mode === 'Observe' || spec.covers?.includes('Expiration') !== true) return dueAt
  const window = windowState(spec, Math.max(now, dueAt))
  if (window.kind === 'open' || window.opensAt === undefined) return dueAt
  const latest = terminationGracePeriodMs === undefined ? Number.POSITIVE_INFINITY : dueAt + terminationGracePeriodMs
  return Math.min(window.opensAt, latest)
}

/** The same of a claim, by the policy that governs its pool, if one does. */
export function claimExpiryTime(
  { spec }: Pick<NodeClaim, 'spec'>,
  policy: RolloutPolicy | undefined,
  { dueAt, now }: { readonly dueAt: number; readonly now: number },
): number {
  const terminationGracePeriodMs = nillableDurationMs(spec.terminationGracePeriod)
  return policy === undefined ? dueAt : expiryTime(policy.spec, { dueAt, terminationGracePeriodMs }, now)
}
