import type { Event, KubeObject } from '../api/kubernetes.ts'
import { type Clock, toTimestamp } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import { isNotFound } from './errors.ts'
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
  /** Resolves when everything published so far has been sent or given up. */
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

/** Publishes core/v1 Events in the background, one after another. */
export function createEventRecorder(options: EventRecorderOptions): RunningEventRecorder {
  return new BackgroundRecorder(options)
}

class BackgroundRecorder implements RunningEventRecorder {
  readonly #options: EventRecorderOptions
  /** When a key may be seen again, by the monotonic clock; oldest first. */
  readonly #seen = new Map<string, number>()
  readonly #buckets = new Map<string, TokenBucket>()
  /** What was published, by everything that makes two events the same. */
  readonly #published = new Map<string, { readonly at: number; readonly event: Event }>()
  readonly #waiting: EventToPublish[] = []
  #sending: Promise<void> | undefined
  #sequence = 0

  constructor(options: EventRecorderOptions) {
    this.#options = options
  }

  publish(...toPublish: readonly EventToPublish[]): void {
    for (const event of toPublish) {
      if (!this.#mayPublish(event)) continue
      if (this.#waiting.length >= waitingMax) {
        this.#options.log.debug({ reason: event.reason }, 'event dropped, too many are waiting')
        continue
      }
      this.#waiting.push(event)
    }
    if (this.#waiting.length > 0) this.#sending ??= this.#sendAll()
  }

  async flush(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending
  }

  /** The dedupe slot is taken even when the rate limit then refuses. */
  #mayPublish(event: EventToPublish): boolean {
    const now = this.#options.clock.monotonicMs()
    if (event.dedupeValues !== undefined) {
      const key = [event.reason.toLowerCase(), ...event.dedupeValues].join('-')
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
      const event = this.#waiting.shift()
      if (event === undefined) break
      try {
        await this.#send(event)
      } catch (error) {
        this.#options.log.debug({ err: error, reason: event.reason }, 'failed to publish event')
      }
    }
    this.#sending = undefined
  }

  async #send(toPublish: EventToPublish): Promise<void> {
    const { client, clock } = this.#options
    const { object, type, reason, message } = toPublish
    const identity = JSON.stringify([
      object.kind,
      object.metadata.namespace,
      object.metadata.name,
      object.metadata.uid,
      type,
      reason,
      message,
    ])
    const known = this.#published.get(identity)
    const now = clock.monotonicMs()
    if (known !== undefined && now - known.at < countWindowMs) {
      const counted = await this.#count(known.event)
      if (counted !== undefined) {
        remember(this.#published, identity, { at: now, event: counted })
        return
      }
    }
    const created = await client.create(events, this.#eventOf(toPublish))
    remember(this.#published, identity, { at: now, event: created })
  }

  /** Undefined when the event has been removed meanwhile. */
  async #count(event: Event): Promise<Event | undefined> {
    const { client, clock } = this.#options
    const body = { count: (event.count ?? 1) + 1, lastTimestamp: toTimestamp(clock.now()) }
    const { namespace, name } = event.metadata
    try {
      return await client.patch(events, { namespace, name }, { kind: 'merge', body })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  #eventOf({ object, type, reason, message }: EventToPublish): Omit<Event, 'metadata'> & {
    metadata: { name: string; namespace: string }
  } {
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
    const spread = BigInt(this.#sequence * 1_000 + this.#options.random.below(1_000))
    return `${object.metadata.name.slice(0, 236)}.${(nanoseconds + spread).toString(16)}`
  }
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
