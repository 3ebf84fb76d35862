import type { NodePool } from '../../api/karpenter.ts'
import { isConflict, isNotFound, KubeError } from '../../kube/errors.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { Clock } from '../../model/clock.ts'

/**
 * Writes what changed in the status, if anything did. Lists of conditions are replaced whole, so the patch carries the version it was
 * computed from and rejects with `Conflict` when the pool has changed since. A pool that is gone needs no status.
 */
export async function patchPoolStatus(
  { kube, clock }: { readonly kube: KubeClient; readonly clock: Clock },
  before: NodePool,
  after: NodePool,
): Promise<void> {
  const status = mergePatchBetween(before.status ?? {}, after.status ?? {})
  if (status === undefined) return
  const { name, resourceVersion } = before.metadata
  const refused = refusedAt.get(before)
  if (refused !== undefined && clock.monotonicMs() - refused < askAgainMs) {
    throw new KubeError(
      'Conflict',
      409,
      `nodepool ${name} has changed since version ${resourceVersion}, which is still shown`,
    )
  }
  const body = { metadata: { resourceVersion }, status }
  try {
    await kube.patch(nodePools, { name }, { kind: 'merge', body }, { subresource: 'status' })
  } catch (error) {
    if (isConflict(error)) refusedAt.set(before, clock.monotonicMs())
    if (!isNotFound(error)) throw error
  }
}

/**
 * What was computed from an old version is refused however often it is asked for, and while a watch is behind, every claim that changes
 * has its pool looked at. Only for a while: what refuses need not be the version, a webhook may say so, too.
 */
const askAgainMs = 5_000

/** By the object that the patch was computed from, in monotonic milliseconds. */
const refusedAt = new WeakMap<NodePool, number>()
