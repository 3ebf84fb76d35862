import type { KubeObject } from '../api/kubernetes.ts'
import type { Logger } from './logger.ts'
import type { ObjectKey, Resource } from './resource.ts'

/**
 * A controller: it is handed keys, reads what it needs, and brings the world a step closer to what the objects say. The same key
 * is never reconciled twice at once. Throwing means: try again with back-off, except for a `TerminalError`.
 */
export interface Controller {
  /** As logs and metrics name it, e.g. `nodeclaim.lifecycle`. */
  readonly name: string
  /** Log fields that name the reconciled kind; absent for controllers of no particular kind. */
  readonly kind?: { readonly group: string; readonly kind: string }
  /** What wakes it, and for which keys. */
  readonly sources: readonly Source[]
  /** What else wakes it, besides changes of objects. */
  readonly triggers?: readonly Trigger[]
  readonly concurrency: number
  readonly rateLimit?: RateLimit
  reconcile(key: ObjectKey, context: ReconcileContext): Promise<ReconcileResult>
}

/** A controller without objects: one loop that runs again when its result says so, or when it is woken. It runs once at start. */
export interface SingletonController {
  readonly name: string
  /** What wakes it: they enqueue the key `singleton`. */
  readonly triggers?: readonly Trigger[]
  readonly rateLimit?: RateLimit
  reconcile(context: ReconcileContext): Promise<ReconcileResult>
}

export interface ReconcileContext {
  /** Already carries controller, namespace, name and reconcileID. */
  readonly log: Logger
  /** Aborted when leadership is lost, and when the process stops once it has waited long enough for work in progress. */
  readonly signal: AbortSignal
  /** Aborted as soon as no more work is wanted: for waits before work begins, which would only hold the stop up. */
  readonly stopping: AbortSignal
}

export type ReconcileResult =
  | { readonly kind: 'done' }
  /** `unless`: checked after `afterMs`; while true the reconcile is skipped and checked again after the same time. */
  | { readonly kind: 'requeue'; readonly afterMs: number; readonly unless?: () => boolean }
  /** As an error would, but nothing is logged: e.g. after a write conflict. */
  | { readonly kind: 'backOff' }

export const done: ReconcileResult = { kind: 'done' }
export const backOff: ReconcileResult = { kind: 'backOff' }

export function requeueAfter(afterMs: number): ReconcileResult {
  return { kind: 'requeue', afterMs }
}

/** For periodic looks: `isStill` tells, at no cost, that another look would find things as this one left them. */
export function requeueUnless(isStill: () => boolean, afterMs: number): ReconcileResult {
  return { kind: 'requeue', afterMs, unless: isStill }
}

/** The only key of a singleton controller. */
export const singleton: ObjectKey = { name: '' }

/** Told once how to wake the controller for a key; what it returns ends that. */
export type Trigger = (enqueue: (key: ObjectKey) => void) => () => void

/** Not retried until the object changes. */
export class TerminalError extends Error {
  readonly code = 'Terminal'
}

/** Per-item exponential back-off combined (the longer wait wins) with a token bucket over all items. */
export interface RateLimit {
  readonly baseMs: number
  readonly maxMs: number
  readonly perSecond?: number
  readonly burst?: number
}

export interface Source<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>
  /** Keys to enqueue for a change; `before` is absent for additions, `after` for deletions. */
  toKeys(change: Change<T>): readonly ObjectKey[]
}

export type Change<T extends KubeObject> =
  | { readonly kind: 'added'; readonly after: T; readonly before?: undefined }
  | { readonly kind: 'updated'; readonly after: T; readonly before: T }
  | { readonly kind: 'deleted'; readonly before: T; readonly after?: undefined }

/** Erases the object type, so that sources of different kinds fit one list. */
export function source<T extends KubeObject>(
  resource: Resource<T>,
  toKeys: (change: Change<T>) => readonly ObjectKey[],
): Source {
  return { resource, toKeys }
}

/**
 * A read-only, indexed view of all objects of one kind, fed by a watch. Objects are shared: never mutate them. They lack what nobody
 * reads (managed fields, images, commands), so never write one back whole: patch it.
 */
export interface Cache<T extends KubeObject> {
  readonly resource: Resource<T>
  /** Whether the first list has been read. */
  readonly synced: boolean
  get(key: ObjectKey): T | undefined
  list(): readonly T[]
  /** Objects whose index holds `value`, in key order; the index must have been added before. */
  by(index: string, value: string): readonly T[]
  /** Adding the same once more does nothing. @throws when the name is that of another index */
  addIndex(name: string, valuesOf: (object: T) => readonly string[]): void
  /** Called in order, after the cache has changed. Returns a function that unsubscribes. */
  subscribe(listener: (change: Change<T>) => void): () => void
}

/** The caches of one process: one watch per kind, however many ask. */
export interface Caches {
  of<T extends KubeObject>(resource: Resource<T>): Cache<T>
  /** Resolves when every cache asked for so far has read its first list. */
  synced(signal?: AbortSignal): Promise<void>
}
