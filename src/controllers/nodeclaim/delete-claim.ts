import type { NodeClaim } from '../../api/karpenter.ts'
import { hasCode } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'

/** Asks for the deletion of exactly this claim. False when it is gone, or another claim bears its name by now: nothing was deleted then. */
export async function deleteClaim(kube: Pick<KubeClient, 'delete'>, claim: NodeClaim): Promise<boolean> {
  try {
    await kube.delete(nodeClaims, { name: claim.metadata.name }, { preconditions: { uid: claim.metadata.uid } })
    return true
  } catch (error) {
    if (hasCode(error, 'NotFound', 'Conflict')) return false
    throw error
  }
}
