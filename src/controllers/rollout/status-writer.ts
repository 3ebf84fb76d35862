import type { Condition, KubeObject } from '../../api/kubernetes.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf, keyText, type ObjectKey, type Resource } from '../../kube/resource.ts'
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
  /** By object: versions that writes have replaced, or found replaced, since the cache last showed another. */
  readonly #replaced = new Map<string, Set<string | undefined>>()
  #fieldsDroppedAt: number | undefined

  constructor(kube: Pick<KubeClient, 'get' | 'patch'>, clock: Clock, resource: Resource<T>) {
    this.#kube = kube
    this.#clock = clock
    this.#resource = resource
  }

  /**
   * What a status is to be computed from: the cached object, or the API server's where that is known to be newer. A watch may be behind for a
   * minute, and all that is computed from before would be refused. Undefined when it is gone.
   */
  async latest(cached: T): Promise<T | undefined> {
    const id = keyText(cached.metadata)
    if (this.#replaced.get(id)?.has(cached.metadata.resourceVersion) !== true) {
      this.#replaced.delete(id)
      return cached
    }
    try {
      return await this.#kube.get(this.#resource, keyOf(cached))
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  forget(key: ObjectKey): void {
    this.#replaced.delete(keyText(key))
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
      if (written.metadata.resourceVersion !== before.metadata.resourceVersion) this.#noteReplaced(before)
      if (wanted.observedGeneration === undefined) return
      const isKept = written.status?.observedGeneration !== undefined
      this.#fieldsDroppedAt = isKept ? undefined : this.#clock.monotonicMs()
    } catch (error) {
      if (isNotFound(error)) return
      if (isConflict(error)) this.#noteReplaced(before)
      throw error
    }
  }

  #noteReplaced({ metadata }: T): void {
    const id = keyText(metadata)
    const versions = this.#replaced.get(id) ?? new Set()
    this.#replaced.set(id, versions.add(metadata.resourceVersion))
  }

  get #keepsFields(): boolean {
    return this.#fieldsDroppedAt === undefined || this.#clock.monotonicMs() - this.#fieldsDroppedAt >= askAgainMs
  }
}
