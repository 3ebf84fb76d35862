import type { Event, KubeObject } from '../api/kubernetes.ts'
import { type Clock, toTimestamp } from '../model/clock.ts'
import { byIdentity } from '../model/by-identity.ts'
import type { Random } from '../model/random.ts'
import { hasCode, isNotFound } from './errors.ts'
import { events } from './kinds.ts'
import type { Logger } from './logger.ts'
import type { KubeClient } from './port.ts'
import type { EventRecorder, EventToPublish } from './recorder.ts'
import { TokenBucket } from './token-bucket.ts'

export interface EventRecorderOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

export interface RunningEventRecorder extends EventRecorder {
  /** Resolves when everything published so far has been sent; what the API server does not take at once is given up. */
  flush(): Promise<void>
}

const component = 'karpenter'
const dedupeDefaultMs = 120_000
/** Remembered dedupe keys and published events: enough for every node of a large cluster, bounded in memory. */
const rememberedMax = 8_192
/** Events that wait to be sent. When the API server is that slow, newer ones are dropped. */
const waitingMax = 1_000
/** Repeats of one event within this time raise its count instead of making another object. */
const countWindowMs = 600_000
/** As client-go does: an API server that is away for two minutes misses nothing, and the others wait their turn meanwhile. */
const triesMax = 12
const retryMs = 10_000

interface WaitingEvent {
  /** Everything that makes two events the same. */
  readonly identity: string
  readonly event: NewEvent
  /** Monotonic. */
  readonly publishedAt: number
}

type NewEvent = Omit<Event, 'metadata'> & { readonly metadata: { readonly name: string; readonly namespace: string } }

/**
 * Publishes core/v1 Events in the background, one after another. An event tells when it was published, however late it is sent. One that
 * no answer came for is sent again, one that was refused is not.
 */
export function createEventRecorder(options: EventRecorderOptions): RunningEventRecorder {
  return new BackgroundRecorder(options)
}

class BackgroundRecorder implements RunningEventRecorder {
  readonly #options: EventRecorderOptions
  /** Of its own: how many events there are shifts nothing else that is drawn. */
  readonly #random: Random
  /** When a key may be seen again, by the monotonic clock; oldest first. */
  readonly #seen = new Map<string, number>()
  readonly #buckets = new Map<string, TokenBucket>()
  /** What was sent, by identity. */
  readonly #published = new Map<string, { readonly at: number; readonly event: Event }>()
  readonly #waiting: WaitingEvent[] = []
  #sending: Promise<void> | undefined
  /** Aborted when nothing may be tried again: somebody waits for the end. */
  #patience = new AbortController()
  #sequence = 0

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#random = options.random.fork('events')
  }

  publish(...toPublish: readonly EventToPublish[]): void {
    for (const event of toPublish) {
      if (!this.#mayPublish(event)) continue
      if (this.#waiting.length >= waitingMax) {
        this.#options.log.debug({ reason: event.reason }, 'event dropped, too many are waiting')
        continue
      }
      this.#waiting.push(this.#waitingEvent(event))
    }
    if (this.#waiting.length > 0) this.#sending ??= this.#sendAll()
  }

  async flush(): Promise<void> {
    this.#patience.abort(new Error('no time to try again'))
    while (this.#sending !== undefined) await this.#sending
    this.#patience = new AbortController()
  }

  /** The dedupe slot is taken even when the rate limit then refuses. */
  #mayPublish(event: EventToPublish): boolean {
    const now = this.#options.clock.monotonicMs()
    const key = dedupeKeyOf(event)
    if (key !== undefined) {
      const until = this.#seen.get(key)
      if (until !== undefined && now < until) return false
      remember(this.#seen, key, now + (event.dedupeMs ?? dedupeDefaultMs))
    }
    if (event.rateLimit === undefined) return true
    const { name, perSecond, burst } = event.rateLimit
    let bucket = this.#buckets.get(name)
    if (bucket === undefined) {
      bucket = new TokenBucket(perSecond, burst)
      this.#buckets.set(name, bucket)
    }
    return bucket.tryTake(now)
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.shift()
      if (waiting === undefined) break
      try {
        await this.#sendPatiently(waiting)
      } catch (error) {
        this.#options.log.debug({ err: error, reason: waiting.event.reason }, 'failed to publish event')
      }
    }
    this.#sending = undefined
  }

  async #sendPatiently(waiting: WaitingEvent): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#send(waiting)
        return
      } catch (error) {
        // The answer to an earlier try was lost.
        if (tries > 1 && hasCode(error, 'AlreadyExists')) return
        if (tries >= triesMax || this.#patience.signal.aborted || !isUnanswered(error)) throw error
        // The first wait is random, so that replicas don't all come back at the moment that the API server does.
        await this.#options.clock.sleep(tries === 1 ? this.#random.next() * retryMs : retryMs, this.#patience.signal)
      }
    }
  }

  async #send({ identity, event, publishedAt }: WaitingEvent): Promise<void> {
    const known = this.#published.get(identity)
    if (known !== undefined && publishedAt - known.at < countWindowMs) {
      const counted = await this.#count(known.event, event.lastTimestamp)
      if (counted !== undefined) {
        remember(this.#published, identity, { at: publishedAt, event: counted })
        return
      }
    }
    const created = await this.#options.client.create(events, event)
    remember(this.#published, identity, { at: publishedAt, event: created })
  }

  /** Undefined when the event has been removed meanwhile. */
  async #count(event: Event, lastTimestamp: string | undefined): Promise<Event | undefined> {
    const body = { count: (event.count ?? 1) + 1, lastTimestamp }
    const { namespace, name } = event.metadata
    try {
      return await this.#options.client.patch(events, { namespace, name }, { kind: 'merge', body })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  #waitingEvent(toPublish: EventToPublish): WaitingEvent {
    const { object, type, reason, message } = toPublish
    const { kind, metadata } = object
    const { namespace, name, uid } = metadata
    return {
      identity: JSON.stringify([kind, namespace, name, uid, type, reason, message]),
      event: this.#eventOf(toPublish),
      publishedAt: this.#options.clock.monotonicMs(),
    }
  }

  #eventOf({ object, type, reason, message }: EventToPublish): NewEvent {
    const now = toTimestamp(this.#options.clock.now())
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: this.#nameFor(object), namespace: object.metadata.namespace ?? 'default' },
      involvedObject: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        name: object.metadata.name,
        uid: object.metadata.uid,
        ...(object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace }),
      },
      reason,
      message,
      type,
      source: { component },
      reportingComponent: component,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    }
  }

  /** As client-go names events: the object's name and a time in nanoseconds, here made unique by a sequence and a random part. */
  #nameFor(object: KubeObject): string {
    this.#sequence = (this.#sequence + 1) % 1_000
    const nanoseconds = BigInt(this.#options.clock.now()) * 1_000_000n
    const spread = BigInt(this.#sequence * 1_000 + this.#random.below(1_000))
    return `${object.metadata.name.slice(0, 236)}.${(nanoseconds + spread).toString(16)}`
  }
}

/** Most of what is published is held back, again and again the same. */
const dedupeKeyOf = byIdentity(({ reason, dedupeValues }: EventToPublish): string | undefined =>
  dedupeValues === undefined ? undefined : [reason.toLowerCase(), ...dedupeValues].join('-'),
)

/** The API server was not reached, or said that it could not now. */
function isUnanswered(error: unknown): boolean {
  return hasCode(error, 'Network', 'Timeout', 'ServerTimeout', 'ServiceUnavailable', 'TooManyRequests')
}

/** Keeps a map in order of use and within bounds. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= rememberedMax) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
