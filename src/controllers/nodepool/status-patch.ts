import type { NodePool } from '../../api/karpenter.ts'
import { isConflict, isNotFound, KubeError } from '../../kube/errors.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { Clock } from '../../model/clock.ts'

/**
 * What was computed from an old version is refused however often it is asked for, and while a watch is behind, every claim that changes
 * has its pool looked at. Only for a while: what refuses need not be the version, a webhook may say so, too.
 */
const askAgainMs = 5_000

/** Writes the status of pools, for all controllers of one operator. */
export class PoolStatusWriter {
  readonly #kube: Pick<KubeClient, 'patch'>
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** By the object that the patch was computed from, in monotonic milliseconds. */
  readonly #refusedAt = new WeakMap<NodePool, number>()

  constructor({
    kube,
    clock,
  }: { readonly kube: Pick<KubeClient, 'patch'>; readonly clock: Pick<Clock, 'monotonicMs'> }) {
    this.#kube = kube
    this.#clock = clock
  }

  /**
   * Writes what changed in the status, if anything did. Lists of conditions are replaced whole, so the patch carries the version it was
   * computed from and rejects with `Conflict` when the pool has changed since. A pool that is gone needs no status.
   */
  async patch(before: NodePool, after: NodePool): Promise<void> {
    const status = mergePatchBetween(before.status ?? {}, after.status ?? {})
    if (status === undefined) return
    const { name, resourceVersion } = before.metadata
    const refused = this.#refusedAt.get(before)
    if (refused !== undefined && this.#clock.monotonicMs() - refused < askAgainMs) {
      throw new KubeError(
        'Conflict',
        409,
        `nodepool ${name} has changed since version ${resourceVersion}, which is still shown`,
      )
    }
    const body = { metadata: { resourceVersion }, status }
    try {
      await this.#kube.patch(nodePools, { name }, { kind: 'merge', body }, { subresource: 'status' })
    } catch (error) {
      if (isConflict(error)) this.#refusedAt.set(before, this.#clock.monotonicMs())
      if (!isNotFound(error)) throw error
    }
  }
}
