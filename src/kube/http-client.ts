import type { KubeObject, Unsaved } from '../api/kubernetes.ts'
import { Transport, type TransportOptions, type TransportRequest, networkError } from './http-transport.ts'
import { KubeError } from './errors.ts'
import { pods } from './kinds.ts'
import { readListPage } from './list-page.ts'
import type {
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectList,
  Patch,
  PatchOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './port.ts'
import { apiVersionOf, type ObjectKey, type Resource } from './resource.ts'
import { labelSelectorText } from './selector-text.ts'
import { watchEvents } from './watch-stream.ts'

export interface HTTPClientOptions extends TransportOptions {
  /** Under which name writes are recorded. */
  readonly fieldManager?: string
  /** How long a watch may be silent. API servers send bookmarks about once a minute, once an object of the kind has changed. */
  readonly watchIdleMs?: number
}

export interface HTTPClient extends KubeClient {
  /** Closes all connections, open watches included. */
  close(): Promise<void>
  /** GET of any path, e.g. `/version`; for start-up checks. */
  getRaw(path: string, signal?: AbortSignal): Promise<unknown>
}

const watchIdleDefaultMs = 120_000

/** The Kubernetes port over HTTPS: client-node's configuration and authentication, our own transport. */
export function createHTTPClient(options: HTTPClientOptions): HTTPClient {
  return new RESTClient(options)
}

class RESTClient implements HTTPClient {
  readonly #transport: Transport
  readonly #options: HTTPClientOptions

  constructor(options: HTTPClientOptions) {
    this.#options = options
    this.#transport = new Transport(options)
  }

  async get<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: { signal?: AbortSignal | undefined } = {},
  ): Promise<T> {
    return (await this.#read(pathOf(resource, key), {}, options.signal)) as T
  }

  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions<T> = {}): Promise<ObjectList<T>> {
    const request: TransportRequest = {
      method: 'GET',
      path: pathOf(resource, { namespace: options.namespace }),
      query: {
        ...selectors(options),
        limit: options.limit === undefined ? undefined : String(options.limit),
        continue: options.continue,
        resourceVersion: options.resourceVersion,
      },
      signal: options.signal,
      retry: 'reads',
    }
    return this.#transport.decoded(request, (text) => listOf(text, resource, options))
  }

  async *watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    const { clock, watchIdleMs: idleMs = watchIdleDefaultMs } = this.#options
    const cut = new AbortController()
    const signal = options.signal === undefined ? cut.signal : AbortSignal.any([options.signal, cut.signal])
    try {
      const body = await this.#transport.stream({
        method: 'GET',
        path: pathOf(resource, { namespace: options.namespace }),
        query: {
          ...selectors(options),
          watch: 'true',
          resourceVersion: options.resourceVersion,
          timeoutSeconds: options.timeoutSeconds === undefined ? undefined : String(options.timeoutSeconds),
          allowWatchBookmarks: options.allowBookmarks === true ? 'true' : undefined,
        },
        signal,
        retry: 'reads',
        bodyTimeoutMs: 0,
        over: 'watches',
      })
      yield* watchEvents<T>(body, { clock, idleMs, cut: (error) => cut.abort(error) })
    } catch (error) {
      options.signal?.throwIfAborted()
      if (cut.signal.aborted) throw cut.signal.reason
      throw error instanceof KubeError ? error : networkError(error)
    } finally {
      cut.abort(new Error('the watch is over'))
    }
  }

  async create<T extends KubeObject>(
    resource: Resource<T>,
    object: Unsaved<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const { namespace } = object.metadata
    return (await this.#write('POST', pathOf(resource, { namespace }), object, options)) as T
  }

  async update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & { subresource?: 'status' | 'scale' } = {},
  ): Promise<T> {
    return (await this.#write('PUT', pathOf(resource, object.metadata, options.subresource), object, options)) as T
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<T> {
    const force = patch.kind === 'apply' && patch.force === true ? 'true' : undefined
    return (await this.#write('PATCH', pathOf(resource, key, options.subresource), patch.body, options, {
      contentType: patchTypes[patch.kind],
      query: { force },
    })) as T
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<void> {
    await this.#transport.json({
      method: 'DELETE',
      path: pathOf(resource, key),
      query: {},
      body: { apiVersion: 'v1', kind: 'DeleteOptions', ...deleteOptions(options) },
      signal: options.signal,
      retry: 'writes',
    })
  }

  async evict(pod: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    await this.#transport.json({
      method: 'POST',
      path: pathOf(pods, pod, 'eviction'),
      query: {},
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: pod.name, namespace: pod.namespace },
        deleteOptions: deleteOptions(options),
      },
      signal: options.signal,
      retry: 'never',
    })
  }

  async bind(
    pod: ObjectKey,
    nodeName: string,
    options: { signal?: AbortSignal | undefined; uid?: string } = {},
  ): Promise<void> {
    const { uid } = options
    await this.#transport.json({
      method: 'POST',
      path: pathOf(pods, pod, 'binding'),
      query: {},
      body: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.name, namespace: pod.namespace, ...(uid === undefined ? {} : { uid }) },
        target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
      },
      signal: options.signal,
      retry: 'writes',
    })
  }

  getRaw(path: string, signal?: AbortSignal): Promise<unknown> {
    return this.#read(path, {}, signal)
  }

  close(): Promise<void> {
    return this.#transport.close()
  }

  #read(path: string, query: TransportRequest['query'], signal: AbortSignal | undefined): Promise<unknown> {
    return this.#transport.json({ method: 'GET', path, query, signal, retry: 'reads' })
  }

  #write(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: unknown,
    options: WriteOptions,
    more: { readonly contentType?: string; readonly query?: TransportRequest['query'] } = {},
  ): Promise<unknown> {
    return this.#transport.json({
      method,
      path,
      body,
      query: {
        fieldManager: options.fieldManager ?? this.#options.fieldManager,
        dryRun: options.dryRun === true ? 'All' : undefined,
        ...more.query,
      },
      signal: options.signal,
      retry: 'writes',
      ...(more.contentType === undefined ? {} : { contentType: more.contentType }),
    })
  }
}

function listOf<T extends KubeObject>(text: string, resource: Resource<T>, options: ListOptions<T>): ObjectList<T> {
  const page = readListPage(text)
  const apiVersion = apiVersionOf(resource)
  const items: T[] = []
  for (const item of page.items) {
    // Items of a list do not say what they are; everything else here does.
    const object = Object.assign(item, { apiVersion, kind: resource.kind }) as T
    items.push(options.keep?.(object) ?? object)
  }
  return { items, resourceVersion: page.resourceVersion, continue: page.continue }
}

const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

function pathOf(
  resource: Resource,
  key: { readonly namespace?: string | undefined; readonly name?: string },
  subresource?: string,
): string {
  const base = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const { namespace, name } = key
  const parts = [
    ...(resource.namespaced && namespace !== undefined && namespace !== '' ? ['namespaces', namespace] : []),
    resource.plural,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ]
  return `${base}/${parts.map(encodeURIComponent).join('/')}`
}

function selectors(options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>): Record<string, string | undefined> {
  return { labelSelector: labelSelectorText(options.labelSelector), fieldSelector: options.fieldSelector }
}

function deleteOptions(options: DeleteOptions): Record<string, unknown> {
  const { preconditions, gracePeriodSeconds, propagationPolicy, dryRun } = options
  return {
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  }
}
