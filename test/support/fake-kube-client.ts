import { sameWhenWritten } from '../../src/api/json.ts'
import type { KubeObject, Pod, Unsaved } from '../../src/api/kubernetes.ts'
import { KubeError } from '../../src/kube/errors.ts'
import { pods } from '../../src/kube/kinds.ts'
import type {
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectList,
  Patch,
  WatchEvent,
  WatchOptions,
} from '../../src/kube/port.ts'
import { keyOf, keyText, type ObjectKey, type Resource } from '../../src/kube/resource.ts'

/** A call as a fault decides about it. */
export interface FakeCall {
  readonly operation: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'evict' | 'bind'
  readonly resource: string
  readonly name: string | undefined
}

/**
 * The smallest API server that the contracts of `KubeClient` allow, for unit tests: no schemas, no defaults, no admission. Tests can
 * see the calls, refuse some, drop watch events and end watches.
 */
export class FakeKubeClient implements KubeClient {
  readonly calls: FakeCall[] = []
  /** Throws to make a call fail. */
  fault: (call: FakeCall) => void = () => undefined
  /** Whether watchers hear of a change. */
  delivers: (event: WatchEvent<KubeObject>) => boolean = () => true
  /** What is stored of an object: a real server prunes fields that the CRD does not know. */
  keeps: (object: KubeObject) => KubeObject = (object) => object
  /** Watches from versions below this are too old. */
  oldestVersion = 0
  readonly now: () => string
  readonly #objects = new Map<string, Map<string, KubeObject>>()
  readonly #history: { readonly version: number; readonly plural: string; readonly event: WatchEvent<KubeObject> }[] =
    []
  readonly #watchers = new Set<Watcher>()
  #version = 0
  #uid = 0

  constructor(now: () => string = () => '2026-01-01T00:00:00Z') {
    this.now = now
  }

  get version(): number {
    return this.#version
  }

  /** Names of the open watches' kinds. */
  get watching(): readonly string[] {
    return [...this.#watchers].map((watcher) => watcher.plural)
  }

  endWatches(error?: Error): void {
    for (const watcher of [...this.#watchers]) watcher.end(error)
  }

  bookmark(): void {
    for (const watcher of this.#watchers) {
      if (!watcher.takesBookmarks) continue
      watcher.push({ type: 'BOOKMARK', resourceVersion: String(this.#version) })
    }
  }

  async get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T> {
    await this.#enter('get', resource, key.name)
    return this.#need(resource, key)
  }

  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions<T> = {}): Promise<ObjectList<T>> {
    await this.#enter('list', resource, undefined)
    const all = [...this.#of(resource).values()]
      .filter((object) => options.namespace === undefined || object.metadata.namespace === options.namespace)
      .filter((object) => matchesFields(object, options.fieldSelector) && matchesLabels(object, options.labelSelector))
      .toSorted((a, b) => (keyText(keyOf(a)) < keyText(keyOf(b)) ? -1 : 1)) as unknown as T[]
    const from = options.continue === undefined ? 0 : Number(options.continue)
    const to = options.limit === undefined ? all.length : from + options.limit
    return {
      items: all.slice(from, to).map((item) => options.keep?.(item) ?? item),
      resourceVersion: String(this.#version),
      continue: to < all.length ? String(to) : undefined,
    }
  }

  async *watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>> {
    await this.#enter('watch', resource, undefined)
    const from = Number(options.resourceVersion)
    if (from < this.oldestVersion) throw new KubeError('Expired', 410, 'too old resource version')
    const watcher = new Watcher(resource.plural, options)
    for (const { version, plural, event } of this.#history) {
      if (version > from && plural === resource.plural) watcher.push(event)
    }
    this.#watchers.add(watcher)
    try {
      for (;;) {
        const event = await watcher.next()
        if (event === undefined) return
        yield event as WatchEvent<T>
      }
    } finally {
      this.#watchers.delete(watcher)
    }
  }

  async create<T extends KubeObject>(resource: Resource<T>, object: Unsaved<T>): Promise<T> {
    const name = object.metadata.name ?? `${object.metadata.generateName ?? ''}${++this.#uid}`
    await this.#enter('create', resource, name)
    const key = keyText({ namespace: object.metadata.namespace, name })
    if (this.#of(resource).has(key)) throw new KubeError('AlreadyExists', 409, `${key} already exists`)
    const saved = {
      ...object,
      metadata: {
        creationTimestamp: this.now(),
        generation: 1,
        ...object.metadata,
        name,
        uid: object.metadata.uid ?? `uid-${++this.#uid}`,
      },
    } as unknown as T
    return this.#store(resource, saved, 'ADDED')
  }

  async update<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    await this.#enter('update', resource, object.metadata.name)
    const known = this.#need(resource, keyOf(object))
    this.#checkVersion(known, object.metadata.resourceVersion)
    return this.#store(resource, object, 'MODIFIED')
  }

  async patch<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, patch: Patch): Promise<T> {
    await this.#enter('patch', resource, key.name)
    const known = this.#need(resource, key)
    if (patch.kind !== 'merge' && patch.kind !== 'strategic') throw new Error(`no ${patch.kind} patches here`)
    const body = patch.body as { metadata?: { resourceVersion?: string } }
    this.#checkVersion(known, body.metadata?.resourceVersion)
    const merged = this.keeps(mergePatch(known, body) as T) as T
    if (sameWhenWritten(merged, known)) return known
    if ((merged.metadata.finalizers ?? []).length === 0 && merged.metadata.deletionTimestamp !== undefined) {
      return this.#remove(resource, merged)
    }
    return this.#store(resource, merged, 'MODIFIED')
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<void> {
    await this.#enter('delete', resource, key.name)
    const known = this.#need(resource, key)
    const { uid, resourceVersion } = options.preconditions ?? {}
    if (uid !== undefined && uid !== known.metadata.uid) throw new KubeError('Conflict', 409, 'uid differs')
    this.#checkVersion(known, resourceVersion)
    this.#end(resource, known)
  }

  async evict(pod: ObjectKey, { preconditions: { uid } = {} }: DeleteOptions = {}): Promise<void> {
    await this.#enter('evict', pods, pod.name)
    const known: Pod = this.#need(pods, pod)
    if (uid !== undefined && uid !== known.metadata.uid) throw new KubeError('Conflict', 409, 'uid differs')
    this.#end(pods, known)
  }

  #end<T extends KubeObject>(resource: Resource<T>, known: T): void {
    if ((known.metadata.finalizers ?? []).length === 0) {
      this.#remove(resource, known)
    } else if (known.metadata.deletionTimestamp === undefined) {
      this.#store(resource, { ...known, metadata: { ...known.metadata, deletionTimestamp: this.now() } }, 'MODIFIED')
    }
  }

  async bind(pod: ObjectKey, nodeName: string): Promise<void> {
    await this.#enter('bind', pods, pod.name)
    const known: Pod = this.#need(pods, pod)
    this.#store(pods, { ...known, spec: { ...known.spec, nodeName } }, 'MODIFIED')
  }

  async #enter(operation: FakeCall['operation'], resource: Resource, name: string | undefined): Promise<void> {
    const call = { operation, resource: resource.plural, name }
    this.calls.push(call)
    await Promise.resolve()
    this.fault(call)
  }

  #of(resource: Resource): Map<string, KubeObject> {
    const known = this.#objects.get(resource.plural) ?? new Map<string, KubeObject>()
    this.#objects.set(resource.plural, known)
    return known
  }

  #need<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): T {
    const found = this.#of(resource).get(keyText(key))
    if (found === undefined) throw new KubeError('NotFound', 404, `${resource.plural} "${key.name}" not found`)
    return found as T
  }

  #checkVersion(known: KubeObject, version: string | undefined): void {
    if (version !== undefined && version !== '' && version !== known.metadata.resourceVersion) {
      throw new KubeError('Conflict', 409, 'the object has been modified')
    }
  }

  #store<T extends KubeObject>(resource: Resource<T>, object: T, type: 'ADDED' | 'MODIFIED'): T {
    const saved = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } }
    this.#of(resource).set(keyText(keyOf(saved)), saved)
    this.#tell(resource, { type, object: saved })
    return saved
  }

  #remove<T extends KubeObject>(resource: Resource<T>, object: T): T {
    const gone = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } }
    this.#of(resource).delete(keyText(keyOf(object)))
    this.#tell(resource, { type: 'DELETED', object: gone })
    return gone
  }

  #tell(resource: Resource, event: WatchEvent<KubeObject>): void {
    if (!this.delivers(event)) return
    this.#history.push({ version: this.#version, plural: resource.plural, event })
    for (const watcher of this.#watchers) if (watcher.plural === resource.plural) watcher.push(event)
  }
}

class Watcher {
  readonly plural: string
  readonly takesBookmarks: boolean
  readonly #events: WatchEvent<KubeObject>[] = []
  #ended = false
  #error: unknown
  #wake: () => void = () => undefined

  constructor(plural: string, { signal, allowBookmarks = false }: WatchOptions) {
    this.plural = plural
    this.takesBookmarks = allowBookmarks
    if (signal?.aborted === true) this.end(signal.reason)
    signal?.addEventListener('abort', () => this.end(signal.reason), { once: true })
  }

  push(event: WatchEvent<KubeObject>): void {
    this.#events.push(event)
    this.#wake()
  }

  end(error?: unknown): void {
    this.#ended = true
    this.#error = error
    this.#wake()
  }

  async next(): Promise<WatchEvent<KubeObject> | undefined> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) return event
      if (this.#error !== undefined) throw this.#error
      if (this.#ended) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

function matchesFields(object: KubeObject, selector: string | undefined): boolean {
  if (selector === undefined || selector === '') return true
  return selector.split(',').every((term) => {
    const [path = '', value = ''] = term.split('=')
    let found: unknown = object
    for (const part of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[part]
    return (found ?? '') === value
  })
}

function matchesLabels(object: KubeObject, selector: ListOptions['labelSelector']): boolean {
  if (selector === undefined) return true
  if (typeof selector === 'string') {
    return selector.split(',').every((term) => {
      const [key = '', value] = term.split('=')
      const label = object.metadata.labels?.[key]
      return value === undefined ? label !== undefined : label === value
    })
  }
  return Object.entries(selector.matchLabels ?? {}).every(([key, value]) => object.metadata.labels?.[key] === value)
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const merged: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else if (key !== 'resourceVersion') merged[key] = mergePatch(merged[key], value)
  }
  return merged
}
