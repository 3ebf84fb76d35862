import type { NodeClaim } from '../../api/karpenter.ts'
import { hasCode } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'

/** Asks for the deletion of exactly this claim; one that is gone, or whose name another claim bears by now, is fine. */
export async function deleteClaim(kube: Pick<KubeClient, 'delete'>, claim: NodeClaim): Promise<void> {
  try {
    await kube.delete(nodeClaims, { name: claim.metadata.name }, { preconditions: { uid: claim.metadata.uid } })
  } catch (error) {
    if (!hasCode(error, 'NotFound', 'Conflict')) throw error
  }
}
