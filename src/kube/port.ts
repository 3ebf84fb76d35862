import type { KubeObject, LabelSelector, Unsaved } from '../api/kubernetes.ts'
import type { ObjectKey, Resource } from './resource.ts'

/**
 * The Kubernetes port. Two adapters stand behind it: one over HTTPS (client-node's kubeconfig, our transport) and one that calls
 * the embedded store directly. Objects are plain JSON; what is returned may be shared, so callers never mutate it.
 * Every call rejects with a `KubeError` whose `code` says what the API server answered.
 */
export interface KubeClient {
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: CallOptions): Promise<T>
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions<T>): Promise<ObjectList<T>>
  /**
   * Events after `resourceVersion`. The iterator ends when the server closes the watch; it rejects with code `Expired` when the
   * version is too old to continue from, and with the signal's reason when aborted.
   */
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>
  create<T extends KubeObject>(resource: Resource<T>, object: Unsaved<T>, options?: WriteOptions): Promise<T>
  /** Replaces the whole object (or the subresource); a stale `metadata.resourceVersion` rejects with `Conflict`. */
  update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions & { subresource?: 'status' | 'scale' },
  ): Promise<T>
  patch<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, patch: Patch, options?: PatchOptions): Promise<T>
  delete<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: DeleteOptions): Promise<void>
  /** POST to the eviction subresource. 429 rejects with code `TooManyRequests`. */
  evict(pod: ObjectKey, options?: DeleteOptions): Promise<void>
  /** POST to the binding subresource. */
  bind(pod: ObjectKey, nodeName: string, options?: CallOptions & { uid?: string }): Promise<void>
}

export interface CallOptions {
  signal?: AbortSignal | undefined
}

export interface ListOptions<T extends KubeObject = KubeObject> extends CallOptions {
  namespace?: string
  labelSelector?: LabelSelector | string
  /** As the API server reads it: `spec.nodeName=n1,status.phase!=Failed`. */
  fieldSelector?: string
  limit?: number
  continue?: string
  resourceVersion?: string
  /** What of an item the list is to hold, such as a smaller one; called once for each, in order. Default: all of it. */
  keep?(item: T): T
}

export interface WatchOptions extends CallOptions {
  namespace?: string
  labelSelector?: LabelSelector | string
  fieldSelector?: string
  resourceVersion: string
  timeoutSeconds?: number
  allowBookmarks?: boolean
}

export interface WriteOptions extends CallOptions {
  fieldManager?: string
  dryRun?: boolean
}

/** `merge` is RFC 7386, `json` RFC 6902, `strategic` Kubernetes' own for built-in kinds, `apply` server-side apply. */
export type Patch =
  | { readonly kind: 'merge'; readonly body: object }
  | { readonly kind: 'json'; readonly body: readonly object[] }
  | { readonly kind: 'strategic'; readonly body: object }
  | { readonly kind: 'apply'; readonly body: object; readonly force?: boolean }

export interface PatchOptions extends WriteOptions {
  subresource?: 'status' | 'scale'
}

export interface DeleteOptions extends CallOptions {
  preconditions?: { uid?: string; resourceVersion?: string }
  gracePeriodSeconds?: number
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  dryRun?: boolean
}

export interface ObjectList<T extends KubeObject> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  /** Set when there are more pages. */
  readonly continue?: string | undefined
}

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string }
