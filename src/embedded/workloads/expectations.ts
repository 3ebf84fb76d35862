import type { KubeObject } from '../../api/kubernetes.ts'
import type { Cache } from '../../kube/controller.ts'
import { keyOf, keyText } from '../../kube/resource.ts'

/**
 * What a controller has asked for and its cache has not seen yet. Without it a second reconcile that runs on an old view would create
 * or delete once more.
 */
export class Expectations<T extends KubeObject> {
  readonly #created = new Map<string, Map<string, T>>()
  readonly #deleted = new Map<string, Set<string>>()
  readonly #cache: Cache<T>

  constructor(cache: Cache<T>) {
    this.#cache = cache
  }

  created(owner: string, object: T): void {
    const known = this.#created.get(owner) ?? new Map<string, T>()
    this.#created.set(owner, known.set(object.metadata.uid, object))
  }

  deleted(owner: string, object: T): void {
    const known = this.#deleted.get(owner) ?? new Set<string>()
    this.#deleted.set(owner, known.add(object.metadata.uid))
  }

  /** `seen` plus what was created, minus what was deleted, as far as the cache does not show it. */
  apply(owner: string, seen: readonly T[]): readonly T[] {
    const created = this.#created.get(owner)
    if ((created?.size ?? 0) === 0 && (this.#deleted.get(owner)?.size ?? 0) === 0) return seen
    const uids = new Set(seen.map(({ metadata }) => metadata.uid))
    const missing: T[] = []
    for (const [uid, object] of created ?? []) {
      const cached = this.#cache.get(keyOf(object))
      const overtaken =
        uids.has(uid) ||
        (cached !== undefined && Number(cached.metadata.resourceVersion) >= Number(object.metadata.resourceVersion))
      if (overtaken) created?.delete(uid)
      else missing.push(object)
    }
    const deleted = this.#deleted.get(owner)
    for (const uid of deleted ?? []) {
      const cached = seen.find(({ metadata }) => metadata.uid === uid)
      if (cached === undefined || cached.metadata.deletionTimestamp !== undefined) deleted?.delete(uid)
    }
    if (created?.size === 0) this.#created.delete(owner)
    if (deleted?.size === 0) this.#deleted.delete(owner)
    return [...seen.filter(({ metadata }) => deleted?.has(metadata.uid) !== true), ...missing]
      .map((object) => ({ object, key: keyText(keyOf(object)) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ object }) => object)
  }
}
