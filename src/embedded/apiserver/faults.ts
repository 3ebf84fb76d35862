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
  /** The call is under way for so long, and has its effect even when its caller has given up meanwhile. */
  readonly lateMs?: number
  /** A get or list is answered as the server stood this many revisions ago, when that is still known. */
  readonly staleRevisions?: number
}

export type WatchDelivery = readonly WatchMessage[] | Error

export interface FaultInjection {
  /** Asked before every call; undefined lets it pass. */
  readonly onCall?: (call: ClientCall) => Fault | undefined
  /** Told how a call ended for its caller; undefined when it went well. */
  readonly onOutcome?: (call: ClientCall, error: unknown) => void
  /** What becomes of one watch message: none drops it, two duplicate it, an error breaks the watch; a promise holds it and all after it. */
  readonly onWatchMessage?: (call: ClientCall, message: WatchMessage) => WatchDelivery | Promise<WatchDelivery>
}
