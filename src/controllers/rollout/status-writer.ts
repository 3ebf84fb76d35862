import type { Condition, KubeObject } from '../../api/kubernetes.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import { NewestKnown } from '../../kube/newest-known.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf, type ObjectKey, type Resource } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'

interface Status {
  readonly conditions?: readonly Condition[]
  readonly observedGeneration?: number
}

/** A CRD may be replaced by one that keeps the fields. */
const askAgainMs = 3_600_000

/**
 * Writes status fields and conditions, and nothing when nothing changes. Karpenter's own CRDs know none of our fields: their API server
 * drops them, and sending them again each time would be writes without end. So after a write that kept only the conditions, only
 * conditions are written for a while.
 */
export class StatusWriter<T extends KubeObject & { readonly status?: Status }> {
  readonly #kube: Pick<KubeClient, 'get' | 'patch'>
  readonly #clock: Clock
  readonly #resource: Resource<T>
  readonly #newest: NewestKnown<T>
  #fieldsDroppedAt: number | undefined

  constructor(kube: Pick<KubeClient, 'get' | 'patch'>, clock: Clock, resource: Resource<T>) {
    this.#kube = kube
    this.#clock = clock
    this.#resource = resource
    this.#newest = new NewestKnown(kube, resource)
  }

  /** What a status is to be computed from: the cached object, or the API server's where that is known to be newer. Undefined when it is gone. */
  latest(cached: T): Promise<T | undefined> {
    return this.#newest.of(cached)
  }

  forget(key: ObjectKey): void {
    this.#newest.forget(key)
  }

  /**
   * Lists of conditions are replaced whole, so the patch carries the version it was computed from.
   * @throws KubeError Conflict when the object has changed since
   */
  async write(before: T, after: NonNullable<T['status']>): Promise<void> {
    const known: Status = before.status ?? {}
    const wanted: Status = this.#keepsFields
      ? after
      : { ...known, ...(after.conditions && { conditions: after.conditions }) }
    const status = mergePatchBetween(known, wanted)
    if (status === undefined) return
    const body = { metadata: { resourceVersion: before.metadata.resourceVersion }, status }
    try {
      const written = await this.#kube.patch(
        this.#resource,
        keyOf(before),
        { kind: 'merge', body },
        { subresource: 'status' },
      )
      if (written.metadata.resourceVersion !== before.metadata.resourceVersion) this.#newest.noteReplaced(before)
      if (wanted.observedGeneration === undefined) return
      const isKept = written.status?.observedGeneration !== undefined
      this.#fieldsDroppedAt = isKept ? undefined : this.#clock.monotonicMs()
    } catch (error) {
      if (isNotFound(error)) return
      if (isConflict(error)) this.#newest.noteReplaced(before)
      throw error
    }
  }

  /** Whether fields were dropped: only a later look can tell when they are kept. */
  get dropsFields(): boolean {
    return this.#fieldsDroppedAt !== undefined
  }

  get #keepsFields(): boolean {
    return this.#fieldsDroppedAt === undefined || this.#clock.monotonicMs() - this.#fieldsDroppedAt >= askAgainMs
  }
}
