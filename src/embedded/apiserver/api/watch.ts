import type { Timer } from '../../../model/clock.ts'
import { expired } from '../errors.ts'
import type { StoredObject } from '../object.ts'
import { apiVersionOf, type KindDefinition } from '../registry/definition.ts'
import { selectionOf } from '../selection.ts'
import type { StoreEvent } from '../store.ts'
import type { ApiContext } from './context.ts'
import { inVersion, type ListRequest, listObjects, parseRevision, tooLarge } from './read.ts'

export interface WatchRequest extends Omit<ListRequest, 'limit' | 'continue'> {
  readonly allowBookmarks?: boolean | undefined
  readonly sendInitialEvents?: boolean | undefined
  readonly timeoutSeconds?: number | undefined
}

export type WatchMessage =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }

/** A running watch. Messages queue up until they are taken, in the order of their commits. */
export interface WatchStream {
  /** Resolves with undefined once the watch has ended and everything was taken. */
  next(): Promise<WatchMessage | undefined>
  close(): void
}

/** A watch with a deadline gets its last bookmark this long before the end. */
const lastBookmarkBeforeMs = 2_000

/** Starts a watch at once; throws `Expired` when its version is no longer in the history. */
export function startWatch(context: ApiContext, definition: KindDefinition, request: WatchRequest): WatchStream {
  const { store, clock } = context
  const matches = selectionOf(request, definition.fields)
  const prefix = request.namespace === undefined || request.namespace === '' ? '' : `${request.namespace}/`
  const from = parseRevision(request.resourceVersion, 'watch')
  if (from > store.revision) throw tooLarge(from, store.revision)
  const queue = new MessageQueue()
  let sent = store.revision

  const initial = request.sendInitialEvents === true || (from === 0 && request.sendInitialEvents === undefined)
  if (initial) {
    const list = listObjects(context, definition, {
      ...request,
      resourceVersion: undefined,
      resourceVersionMatch: undefined,
    })
    for (const object of list.items) queue.push({ type: 'ADDED', object })
    if (request.sendInitialEvents === true) {
      queue.push({ type: 'BOOKMARK', resourceVersion: list.resourceVersion, initialEventsEnd: true })
    }
  } else if (from !== 0) {
    const missed = store.since(definition.table, from)
    if (missed === 'expired') throw expired(`too old resource version: ${from} (${store.revision})`)
    for (const event of missed) deliver(event)
  }

  const unsubscribe = store.subscribe(definition.table, deliver)
  const timers: Timer[] = []
  const withoutBookmarks = request.allowBookmarks === true ? context.bookmarks.add(pushBookmark) : undefined
  const end = (): void => {
    unsubscribe()
    withoutBookmarks?.()
    for (const timer of timers) timer.cancel()
    queue.end()
  }
  if (request.timeoutSeconds !== undefined && request.timeoutSeconds > 0) {
    const timeoutMs = request.timeoutSeconds * 1000
    if (request.allowBookmarks === true && timeoutMs > lastBookmarkBeforeMs) {
      timers.push(clock.schedule(timeoutMs - lastBookmarkBeforeMs, pushBookmark))
    }
    timers.push(clock.schedule(timeoutMs, end))
  }
  return { next: () => queue.next(), close: end }

  function deliver(event: StoreEvent): void {
    sent = event.revision
    if (!event.key.startsWith(prefix)) return
    const message = translate(event)
    if (message !== undefined) queue.push(message)
  }

  /** An object that starts or stops matching the selectors appears or disappears for this watcher. */
  function translate(event: StoreEvent): WatchMessage | undefined {
    const object = inVersion(definition, event.object)
    if (matches === undefined) return { type: event.type, object }
    const before = event.previous !== undefined && matches(event.previous)
    const after = event.type !== 'DELETED' && matches(event.object)
    if (after) return { type: before ? 'MODIFIED' : 'ADDED', object }
    return before ? { type: 'DELETED', object } : undefined
  }

  function pushBookmark(): void {
    queue.push({ type: 'BOOKMARK', resourceVersion: String(Math.max(sent, store.revision)), initialEventsEnd: false })
  }
}

/** A bookmark as it goes over the wire: an object of the kind with nothing but a version. */
export function bookmarkObject(
  definition: KindDefinition,
  message: { readonly resourceVersion: string; readonly initialEventsEnd: boolean },
): { readonly kind: string; readonly apiVersion: string; readonly metadata: object } {
  const annotations = message.initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
  return {
    kind: definition.kind,
    apiVersion: apiVersionOf(definition),
    metadata: { resourceVersion: message.resourceVersion, creationTimestamp: null, ...annotations },
  }
}

class MessageQueue {
  #messages: WatchMessage[] = []
  #head = 0
  #ended = false
  #waiting: ((message: WatchMessage | undefined) => void) | undefined

  push(message: WatchMessage): void {
    if (this.#ended) return
    const waiting = this.#waiting
    if (waiting === undefined) {
      this.#messages.push(message)
      return
    }
    this.#waiting = undefined
    waiting(message)
  }

  end(): void {
    this.#ended = true
    this.#waiting?.(undefined)
    this.#waiting = undefined
  }

  next(): Promise<WatchMessage | undefined> {
    const message = this.#messages[this.#head]
    if (message !== undefined) {
      this.#head += 1
      if (this.#head === this.#messages.length) {
        this.#messages = []
        this.#head = 0
      }
      return Promise.resolve(message)
    }
    if (this.#ended) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }
}
