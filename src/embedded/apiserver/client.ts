import type { KubeObject, Unsaved } from '../../api/kubernetes.ts'
import { KubeError } from '../../kube/errors.ts'
import type {
  CallOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectList,
  Patch,
  PatchOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../../kube/port.ts'
import type { ObjectKey, Resource } from '../../kube/resource.ts'
import type { Caller, Target, WriteRequest } from './api/context.ts'
import { inVersion } from './api/read.ts'
import type { WatchMessage } from './api/watch.ts'
import type { ClientCall, Fault, FaultInjection } from './faults.ts'
import { shaped, storeKeyOf } from './object.ts'
import type { KindDefinition } from './registry/definition.ts'
import { selectionOf } from './selection.ts'
import { type ApiServer, systemCaller, writeRequest } from './server.ts'

export interface ClientIdentity {
  /** Owner of the fields this client writes, when a call names none. */
  readonly fieldManager: string
  readonly caller?: Caller
  readonly faults?: FaultInjection
}

/** The Kubernetes port on the embedded server, called directly: no serialization, no I/O, no time passes. */
export function clientFor(server: ApiServer, identity: ClientIdentity): KubeClient {
  return new MemoryClient(server, identity)
}

class MemoryClient implements KubeClient {
  readonly #server: ApiServer
  readonly #identity: ClientIdentity
  #definitions = { version: -1, byResource: new Map<Resource, KindDefinition>() }

  constructor(server: ApiServer, identity: ClientIdentity) {
    this.#server = server
    this.#identity = identity
  }

  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options: CallOptions = {}): Promise<T> {
    const target = targetOf(resource, key)
    return this.#call(callOf('get', resource, target), options, (fault) => {
      const definition = this.#definition(resource)
      const stale = staleRevision(this.#server, fault)
      if (stale === undefined) return shaped<T>(this.#server.get(definition, target))
      const past = this.#server.context.store.getAt(definition.table, storeKeyOf(target.namespace, target.name), stale)
      if (past === 'expired') return shaped<T>(this.#server.get(definition, target))
      if (past === undefined) throw new KubeError('NotFound', 404, `${resource.plural} "${target.name}" not found`)
      return shaped<T>(inVersion(definition, past))
    })
  }

  list<T extends KubeObject>(resource: Resource<T>, options: ListOptions<T> = {}): Promise<ObjectList<T>> {
    const call = callOf('list', resource, { namespace: options.namespace })
    const kept = (item: T): T => options.keep?.(item) ?? item
    return this.#call(call, options, (fault) => {
      const definition = this.#definition(resource)
      const { namespace, labelSelector, fieldSelector, limit, resourceVersion } = options
      const stale = staleRevision(this.#server, fault)
      if (stale !== undefined) {
        const prefix = namespace === undefined ? '' : `${namespace}/`
        const past = this.#server.context.store.listAt(definition.table, prefix, stale)
        if (past !== 'expired') {
          const matches = selectionOf({ labelSelector, fieldSelector }, definition.fields) ?? (() => true)
          const items = past.filter(matches).map((object) => kept(shaped<T>(inVersion(definition, object))))
          return { items, resourceVersion: String(stale) }
        }
      }
      const result = this.#server.list(definition, {
        namespace,
        labelSelector,
        fieldSelector,
        limit,
        resourceVersion,
        continue: options.continue,
      })
      return {
        items: result.items.map((item) => kept(shaped<T>(item))),
        resourceVersion: result.resourceVersion,
        continue: result.continue,
      }
    })
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>> {
    return { [Symbol.asyncIterator]: () => this.#watch(resource, options) }
  }

  create<T extends KubeObject>(resource: Resource<T>, object: Unsaved<T>, options: WriteOptions = {}): Promise<T> {
    const { namespace, name } = object.metadata
    return this.#call({ ...callOf('create', resource, { namespace, name }), body: object }, options, async () =>
      shaped<T>(await this.#server.create(this.#definition(resource), namespace, object, this.#request(options))),
    )
  }

  update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & { subresource?: 'status' | 'scale' } = {},
  ): Promise<T> {
    const target = targetOf(resource, { namespace: object.metadata.namespace, name: object.metadata.name })
    const { subresource } = options
    return this.#call({ ...callOf('update', resource, target, subresource), body: object }, options, async () => {
      const definition = this.#definition(resource)
      const request = this.#request(options)
      if (subresource === 'scale') {
        return shaped<T>(
          await this.#server.updateScale(definition, { target, change: { kind: 'put', body: object } }, request),
        )
      }
      return shaped<T>(await this.#server.update(definition, { target, subresource, body: object }, request))
    })
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<T> {
    const target = targetOf(resource, key)
    const { subresource } = options
    return this.#call({ ...callOf('patch', resource, target, subresource), body: patch.body }, options, async () => {
      const definition = this.#definition(resource)
      const request = this.#request(options)
      if (subresource === 'scale') {
        return shaped<T>(
          await this.#server.updateScale(definition, { target, change: { kind: 'patch', patch } }, request),
        )
      }
      return shaped<T>(await this.#server.patch(definition, { target, subresource, patch }, request))
    })
  }

  delete<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const target = targetOf(resource, key)
    return this.#call(callOf('delete', resource, target), options, async () => {
      await this.#server.delete(this.#definition(resource), target, options, this.#request(options))
    })
  }

  evict(pod: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const resource = podResource
    return this.#call(callOf('evict', resource, pod, 'eviction'), options, () =>
      this.#server.evict(targetOf(resource, pod), options, this.#request(options)),
    )
  }

  bind(pod: ObjectKey, nodeName: string, options: CallOptions & { uid?: string } = {}): Promise<void> {
    const call = { ...callOf('bind', podResource, pod, 'binding'), body: { nodeName } }
    return this.#call(call, options, () =>
      this.#server.bind(targetOf(podResource, pod), { nodeName, uid: options.uid }, this.#request({})),
    )
  }

  async #call<R>(
    call: ClientCall,
    options: CallOptions,
    run: (fault: Fault | undefined) => R | Promise<R>,
  ): Promise<R> {
    const tell = this.#identity.faults?.onOutcome
    if (tell === undefined) return this.#attempt(call, options, run)
    try {
      const result = await this.#attempt(call, options, run)
      tell(call, undefined)
      return result
    } catch (error) {
      tell(call, error)
      throw error
    }
  }

  async #attempt<R>(
    call: ClientCall,
    options: CallOptions,
    run: (fault: Fault | undefined) => R | Promise<R>,
  ): Promise<R> {
    options.signal?.throwIfAborted()
    const fault = this.#identity.faults?.onCall?.(call)
    if (fault?.delayMs !== undefined) await this.#server.context.clock.sleep(fault.delayMs, options.signal)
    if (fault?.failBefore !== undefined) throw fault.failBefore
    if (fault?.lateMs !== undefined) return this.#late(fault.lateMs, options.signal, () => run(fault))
    const turn = this.#server.pace.enter(unitsOf[call.verb])
    if (turn !== undefined) await turn
    const result = await run(fault)
    if (fault?.failAfter !== undefined) throw fault.failAfter
    return result
  }

  async #late<R>(ms: number, signal: AbortSignal | undefined, run: () => R | Promise<R>): Promise<R> {
    const answer = this.#server.context.clock.sleep(ms).then(run)
    if (signal === undefined) return answer
    // Whoever has given up is not told how it went.
    answer.catch(() => undefined)
    const givenUp = Promise.withResolvers<never>()
    const onAbort = (): void => givenUp.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    return Promise.race([answer, givenUp.promise]).finally(() => signal.removeEventListener('abort', onAbort))
  }

  async *#watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { signal, namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds, allowBookmarks } = options
    const call = callOf('watch', resource, { namespace })
    const stream = await this.#call(call, options, () =>
      this.#server.watch(this.#definition(resource), {
        namespace,
        labelSelector,
        fieldSelector,
        resourceVersion,
        timeoutSeconds,
        allowBookmarks,
      }),
    )
    const abort = (): void => stream.close()
    signal?.addEventListener('abort', abort, { once: true })
    // It may have been aborted while the watch was being opened.
    if (signal?.aborted === true) abort()
    try {
      for (let message = await stream.next(); message !== undefined; message = await stream.next()) {
        signal?.throwIfAborted()
        const asked = this.#identity.faults?.onWatchMessage?.(call, message) ?? [message]
        const outcome = asked instanceof Promise ? await asked : asked
        signal?.throwIfAborted()
        if (outcome instanceof Error) throw outcome
        for (const each of outcome) yield watchEvent<T>(each)
      }
      signal?.throwIfAborted()
    } finally {
      signal?.removeEventListener('abort', abort)
      stream.close()
    }
  }

  #request(options: WriteOptions): WriteRequest {
    return writeRequest({
      caller: this.#identity.caller ?? systemCaller,
      fieldManager: options.fieldManager ?? this.#identity.fieldManager,
      dryRun: options.dryRun === true,
    })
  }

  /** Looked up once for as long as no kind comes or goes. */
  #definition(resource: Resource): KindDefinition {
    const { version } = this.#server.context.registry
    if (this.#definitions.version !== version) this.#definitions = { version, byResource: new Map() }
    let definition = this.#definitions.byResource.get(resource)
    if (definition === undefined) {
      definition = this.#server.definition(resource.group, resource.version, resource.plural)
      this.#definitions.byResource.set(resource, definition)
    }
    return definition
  }
}

/** About how long the server and those who watch it are busy with a call. */
const unitsOf: Readonly<Record<ClientCall['verb'], number>> = {
  get: 1,
  list: 2,
  watch: 2,
  create: 8,
  update: 8,
  patch: 8,
  delete: 8,
  evict: 8,
  bind: 8,
}

const podResource: Resource = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }

function callOf(
  verb: ClientCall['verb'],
  resource: Resource,
  target: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  subresource?: string,
): ClientCall {
  return { verb, resource, namespace: target.namespace, name: target.name, subresource, body: undefined }
}

function targetOf(resource: Resource, key: ObjectKey): Target {
  return { namespace: resource.namespaced ? key.namespace : undefined, name: key.name }
}

function staleRevision(server: ApiServer, fault: Fault | undefined): number | undefined {
  if (fault?.staleRevisions === undefined) return undefined
  return Math.max(1, server.context.store.revision - fault.staleRevisions)
}

function watchEvent<T extends KubeObject>(message: WatchMessage): WatchEvent<T> {
  return message.type === 'BOOKMARK'
    ? { type: 'BOOKMARK', resourceVersion: message.resourceVersion }
    : { type: message.type, object: shaped<T>(message.object) }
}
