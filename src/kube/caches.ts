import type { KubeObject } from '../api/kubernetes.ts'
import type { Cache, Caches, Change } from './controller.ts'
import type { Logger } from './logger.ts'
import { ObjectStore } from './object-store.ts'
import { type Projection, projectionOf } from './projections.ts'
import { isOlder, Reflector, type ReflectorDeps, type ReflectorSink } from './reflector.ts'
import { keyOf, keyText, type ObjectKey, type Resource } from './resource.ts'

/** Caches over any `KubeClient`, with the switch that starts and stops their watches. */
export interface RunningCaches extends Caches {
  /** Starts the watches of the kinds asked for so far; kinds asked for later start at once. Ends when the signal aborts. */
  start(signal: AbortSignal): void
  /** Resolves when every watch has ended after an abort. */
  stopped(): Promise<void>
  /** Kinds asked for whose first list has not been read yet. */
  readonly pending: readonly Resource[]
  /** Lists a kind again, so that a cache that missed a change heals. */
  relist(resource: Resource): void
}

export interface CachesDeps extends ReflectorDeps {
  /** Keep objects whole. By default what no controller of nodes reads (images, commands, managed fields) is left out. */
  readonly whole?: boolean
  /** Of some kinds less than usual: what this process reads. */
  readonly projections?: ReadonlyMap<Resource, Projection>
}

export function createCaches(deps: CachesDeps): RunningCaches {
  const caches = new Map<Resource, WatchedCache<KubeObject>>()
  const running = new Set<Promise<void>>()
  const waiting = new Set<() => void>()
  let signal: AbortSignal | undefined

  const run = (cache: WatchedCache<KubeObject>, until: AbortSignal): void => {
    const promise = cache.run(until).finally(() => running.delete(promise))
    running.add(promise)
  }
  const pending = (): Resource[] => [...caches.values()].filter((cache) => !cache.synced).map((cache) => cache.resource)
  const onSynced = (): void => {
    if (pending().length > 0) return
    const resolvers = [...waiting]
    waiting.clear()
    for (const resolve of resolvers) resolve()
  }

  return {
    of<T extends KubeObject>(resource: Resource<T>): Cache<T> {
      const known = caches.get(resource)
      if (known !== undefined) return known as unknown as Cache<T>
      const cache = new WatchedCache<T>(deps, resource, onSynced)
      caches.set(resource, cache as unknown as WatchedCache<KubeObject>)
      if (signal !== undefined) run(cache as unknown as WatchedCache<KubeObject>, signal)
      return cache
    },
    synced: (abort) =>
      pending().length === 0
        ? Promise.resolve()
        : new Promise((resolve, reject) => {
            const onAbort = (): void => {
              waiting.delete(settle)
              reject(abort?.reason)
            }
            const settle = (): void => {
              abort?.removeEventListener('abort', onAbort)
              resolve()
            }
            if (abort?.aborted === true) return onAbort()
            waiting.add(settle)
            abort?.addEventListener('abort', onAbort, { once: true })
          }),
    start(until) {
      signal = until
      for (const cache of caches.values()) run(cache, until)
    },
    stopped: async () => {
      await Promise.all(running)
    },
    get pending() {
      return pending()
    },
    relist: (resource) => caches.get(resource)?.relist(),
  }
}

class WatchedCache<T extends KubeObject> implements Cache<T>, ReflectorSink<T> {
  readonly resource: Resource<T>
  readonly #store = new ObjectStore<T>()
  readonly #listeners = new Set<(change: Change<T>) => void>()
  readonly #reflector: Reflector<T>
  readonly #log: Logger
  readonly #onSynced: () => void
  #synced = false

  constructor(deps: CachesDeps, resource: Resource<T>, onSynced: () => void) {
    this.resource = resource
    this.#log = deps.log
    this.#onSynced = onSynced
    const project =
      deps.whole === true ? (object: KubeObject) => object : (deps.projections?.get(resource) ?? projectionOf(resource))
    this.#reflector = new Reflector<T>(deps, resource, this, (object) => project(object) as T)
  }

  get synced(): boolean {
    return this.#synced
  }

  get(key: ObjectKey): T | undefined {
    return this.#store.get(key)
  }

  list(): readonly T[] {
    return this.#store.list()
  }

  by(index: string, value: string): readonly T[] {
    return this.#store.by(index, value)
  }

  addIndex(name: string, valuesOf: (object: T) => readonly string[]): void {
    this.#store.addIndex(name, valuesOf)
  }

  subscribe(listener: (change: Change<T>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal)
  }

  relist(): void {
    this.#reflector.relist()
  }

  /**
   * Deletions that the watch missed are found here, also of objects that were made anew under the same name. A list is believed whatever
   * the versions of its objects: after a restore from a backup they are lower than those that were seen before.
   */
  replace(objects: readonly T[], versions?: 'reused'): void {
    const listed = new Set(objects.map((object) => keyText(keyOf(object))))
    for (const known of this.#store.list()) if (!listed.has(keyText(keyOf(known)))) this.#remove(known)
    for (const object of objects) {
      const before = this.#store.get(keyOf(object))
      if (versions === 'reused' || !isSameVersion(before, object)) this.#put(object, before)
    }
    if (this.#synced) return
    this.#synced = true
    this.#onSynced()
  }

  apply(event: { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }): void {
    const before = this.#store.get(keyOf(event.object))
    const { uid, resourceVersion } = event.object.metadata
    if (event.type !== 'DELETED') {
      if (isSameVersion(before, event.object) || isOlder(resourceVersion, before?.metadata.resourceVersion)) return
      this.#put(event.object, before)
      return
    }
    // Listeners are told of the object as they knew it: what they keep by its fields is found again.
    if (before !== undefined && before.metadata.uid === uid) this.#remove(before)
  }

  #put(object: T, before: T | undefined): void {
    const anew = before === undefined || before.metadata.uid !== object.metadata.uid
    if (before !== undefined && anew) this.#remove(before)
    this.#store.put(object)
    this.#tell(anew ? { kind: 'added', after: object } : { kind: 'updated', before, after: object })
  }

  #remove(object: T): void {
    this.#store.remove(object)
    this.#tell({ kind: 'deleted', before: object })
  }

  #tell(change: Change<T>): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#log.error({ err: error, resource: this.resource.plural }, 'cache listener failed')
      }
    }
  }
}

function isSameVersion(known: KubeObject | undefined, { metadata }: KubeObject): boolean {
  return metadata.resourceVersion !== '' && metadata.resourceVersion === known?.metadata.resourceVersion
}
