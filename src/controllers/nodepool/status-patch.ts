import type { NodePool } from '../../api/karpenter.ts'
import { isNotFound } from '../../kube/errors.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import type { KubeClient } from '../../kube/port.ts'

/**
 * Writes what changed in the status, if anything did. Lists of conditions are replaced whole, so the patch carries the version it was
 * computed from and rejects with `Conflict` when the pool has changed since. A pool that is gone needs no status.
 */
export async function patchPoolStatus(kube: KubeClient, before: NodePool, after: NodePool): Promise<void> {
  const status = mergePatchBetween(before.status ?? {}, after.status ?? {})
  if (status === undefined) return
  const body = { metadata: { resourceVersion: before.metadata.resourceVersion }, status }
  try {
    await kube.patch(nodePools, { name: before.metadata.name }, { kind: 'merge', body }, { subresource: 'status' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
