import type { Patch } from '../../kube/port.ts'
import type { Clock } from '../../model/clock.ts'
import type { Random } from '../../model/random.ts'
import type {
  Admission,
  ApiContext,
  Caller,
  CustomSchemas,
  ServiceAccounts,
  Target,
  WriteRequest,
} from './api/context.ts'
import { Bookmarks } from './api/bookmarks.ts'
import { createObject } from './api/create.ts'
import { finalizeNamespace } from './api/finalize.ts'
import { deleteCollection, deleteObject, type DeleteRequest, type DeleteResult } from './api/delete.ts'
import { patchObject } from './api/patch.ts'
import { getObject, type ListRequest, type ListResult, listObjects } from './api/read.ts'
import { updateObject } from './api/update.ts'
import { startWatch, type WatchRequest, type WatchStream } from './api/watch.ts'
import type { WebhookAdmissionOptions } from './admission/webhooks.ts'
import { bindPod } from './binding.ts'
import { unknownResource } from './errors.ts'
import { evictPod } from './eviction.ts'
import type { StoredObject } from './object.ts'
import { Pace, type TimeHold } from '../pace.ts'
import { builtinDefinitions } from './registry/builtin.ts'
import type { KindDefinition } from './registry/definition.ts'
import { Registry } from './registry/registry.ts'
import { getScale, updateScale } from './scale.ts'
import { Store, type StoreOptions } from './store.ts'

export interface ApiServerOptions {
  readonly clock: Clock
  /** Given, calls of in-memory clients are spread over turns of the event loop, and its time stands while they wait. */
  readonly pace?: TimeHold
  readonly random: Random
  /** How admission webhooks are reached. */
  readonly webhooks?: Partial<Pick<WebhookAdmissionOptions, 'transport' | 'resolveService'>>
  /** What an earlier server saved; the cluster continues from there. */
  readonly state?: unknown
  /** Ignored unless said, as by a server that runs alone. */
  readonly serviceAccounts?: ServiceAccounts
  /** How much of the past watchers can continue from. */
  readonly history?: Pick<StoreOptions, 'historyMs' | 'historyMax'>
}

/** What every component inside the process acts as unless it says who it is. */
export const systemCaller: Caller = { user: 'system:admin', groups: ['system:masters', 'system:authenticated'] }

export function writeRequest(more: Partial<WriteRequest> = {}): WriteRequest {
  return {
    caller: systemCaller,
    fieldManager: 'unknown',
    dryRun: false,
    fieldValidation: 'Ignore',
    warn: () => undefined,
    ...more,
  }
}

/**
 * The requests an API server answers, without HTTP: verbs on kinds, giving objects or throwing a `KubeError`. Writes happen during the call
 * unless a webhook has to be asked, so a caller that does not await still sees its effect.
 */
export class ApiServer {
  readonly context: ApiContext
  readonly pace: Pace
  readonly #background: { stop(): void }[] = []

  constructor(
    options: ApiServerOptions,
    parts: { readonly admission: (server: ApiServer) => Admission; readonly schemas: CustomSchemas },
  ) {
    const { clock, random, serviceAccounts = 'ignored', history = {} } = options
    this.pace = new Pace(options.pace)
    const registry = new Registry()
    for (const definition of builtinDefinitions()) registry.add(definition)
    const store = new Store({ now: () => clock.now(), ...history })
    const late: { admission?: Admission } = {}
    this.context = {
      store,
      registry,
      clock,
      random,
      schemas: parts.schemas,
      serviceAccounts,
      bookmarks: new Bookmarks(clock),
      get admission() {
        if (late.admission === undefined) throw new Error('the API server is still being put together')
        return late.admission
      },
    }
    late.admission = parts.admission(this)
  }

  /** Keeps a controller of the server's own, to be stopped with it. */
  run(controller: { stop(): void }): void {
    this.#background.push(controller)
  }

  stop(): void {
    for (const controller of this.#background.splice(0)) controller.stop()
  }

  definition(group: string, version: string, plural: string): KindDefinition {
    const found = this.context.registry.find(group, version, plural)
    if (found === undefined) throw unknownResource()
    return found
  }

  get(definition: KindDefinition, target: Target): StoredObject {
    return getObject(this.context, definition, target)
  }

  list(definition: KindDefinition, request: ListRequest): ListResult {
    return listObjects(this.context, definition, request)
  }

  watch(definition: KindDefinition, request: WatchRequest): WatchStream {
    return startWatch(this.context, definition, request)
  }

  create(
    definition: KindDefinition,
    namespace: string | undefined,
    body: unknown,
    request: WriteRequest,
  ): Promise<StoredObject> {
    return createObject(this.context, definition, { namespace, body }, request)
  }

  update(
    definition: KindDefinition,
    input: { readonly target: Target; readonly subresource: 'status' | undefined; readonly body: unknown },
    request: WriteRequest,
  ): Promise<StoredObject> {
    const { target, subresource, body } = input
    return updateObject(
      this.context,
      definition,
      { target, subresource, change: () => body, requireVersion: true },
      request,
    )
  }

  patch(
    definition: KindDefinition,
    input: { readonly target: Target; readonly subresource: 'status' | undefined; readonly patch: Patch },
    request: WriteRequest,
  ): Promise<StoredObject> {
    return patchObject(this.context, definition, input, request)
  }

  delete(
    definition: KindDefinition,
    target: Target,
    options: DeleteRequest,
    request: WriteRequest,
  ): Promise<DeleteResult> {
    return deleteObject(this.context, definition, target, options, request)
  }

  deleteCollection(
    definition: KindDefinition,
    list: ListRequest,
    options: DeleteRequest,
    request: WriteRequest,
  ): Promise<readonly StoredObject[]> {
    return deleteCollection(this.context, definition, list, options, request)
  }

  getScale(definition: KindDefinition, target: Target): StoredObject {
    return getScale(this.context, definition, target)
  }

  updateScale(
    definition: KindDefinition,
    input: Parameters<typeof updateScale>[2],
    request: WriteRequest,
  ): Promise<StoredObject> {
    return updateScale(this.context, definition, input, request)
  }

  /** Takes the finalizers of the body for those in the spec of a namespace. */
  finalize(target: Target, body: unknown, request: WriteRequest): StoredObject {
    return finalizeNamespace(this.context, this.definition('', 'v1', 'namespaces'), { target, body }, request)
  }

  evict(target: Target, options: DeleteRequest, request: WriteRequest): Promise<void> {
    const budgets = this.definition('policy', 'v1', 'poddisruptionbudgets')
    return evictPod(this.context, this.definition('', 'v1', 'pods'), budgets, { target, options }, request)
  }

  async bind(
    target: Target,
    binding: { readonly nodeName: string; readonly uid?: string | undefined },
    request: WriteRequest,
  ): Promise<void> {
    bindPod(
      this.context,
      this.definition('', 'v1', 'pods'),
      { target, nodeName: binding.nodeName, uid: binding.uid },
      request,
    )
  }
}
