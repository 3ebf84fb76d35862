import type { NodeClaim } from '../../api/karpenter.ts'
import { labelNodePool } from '../../api/labels.ts'
import { claimExpiryTime } from '../../rollout/engine/index.ts'
import type { RolloutBook } from './book.ts'

/** When an expired claim may go, by the policy that governs its pool; in ms since the epoch. */
export function expirySource(book: RolloutBook): (claim: NodeClaim, dueAt: number, now: number) => number {
  return (claim, dueAt, now) => {
    const policy = book.governance().governing.get(claim.metadata.labels?.[labelNodePool] ?? '')
    return claimExpiryTime(claim, policy, { dueAt, now })
  }
}
