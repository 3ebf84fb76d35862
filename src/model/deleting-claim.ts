import { isConditionTrue } from '../api/conditions.ts'
import type { NodeClaim } from '../api/karpenter.ts'

/** Whether a claim goes, or its instance does already. */
export function isClaimDeleting(claim: NodeClaim): boolean {
  return claim.metadata.deletionTimestamp !== undefined || isConditionTrue(claim, 'InstanceTerminating')
}
