import type { Resource } from '../../kube/resource.ts'
import type { WatchMessage } from './api/watch.ts'

/** One call of a client, as an interceptor sees it. */
export interface ClientCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'evict' | 'bind'
  readonly resource: Resource
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
  /** What would be written, where there is something. */
  readonly body: unknown
}

/** What goes wrong with one call. Everything left out goes well. */
export interface Fault {
  /** Time that passes before the call reaches the server. */
  readonly delayMs?: number
  /** The call fails without effect. */
  readonly failBefore?: Error
  /** The call has its effect, but the caller sees this instead of the answer. */
  readonly failAfter?: Error
  /** A get or list is answered as the server stood this many revisions ago, when that is still known. */
  readonly staleRevisions?: number
}

export interface FaultInjection {
  /** Asked before every call; undefined lets it pass. */
  readonly onCall?: (call: ClientCall) => Fault | undefined
  /** What becomes of one watch message: none drops it, two duplicate it, an error breaks the watch. */
  readonly onWatchMessage?: (call: ClientCall, message: WatchMessage) => readonly WatchMessage[] | Error
}
