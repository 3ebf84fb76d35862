import type { NodeClaim } from '../../api/karpenter.ts'

/**
 * Learns how the launches of each pool ended. Both calls find the claim's pool themselves, do nothing when it is gone, and reject
 * with code `Conflict` when the pool changed meanwhile: the outcome is then not recorded yet and the call is made again.
 */
export interface RegistrationHealth {
  recordSuccess(claim: NodeClaim): Promise<void>
  /** A launch or registration that ran out of time. */
  recordFailure(claim: NodeClaim): Promise<void>
}
