import type { Event, KubeObject } from '../api/kubernetes.ts'
import { type Clock, toTimestamp } from '../model/clock.ts'
import { byIdentity } from '../model/by-identity.ts'
import { ExpiringMap } from '../model/expiring-map.ts'
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
/**
 * Remembered dedupe keys and published events. A pass over a fleet has two events for each node and one for each pod that waits: with room
 * for fewer, each key would be forgotten just before it comes round again, and nothing be held back at all.
 */
const rememberedMax = 200_000
/** Events that wait to be sent, as many as a pass over five thousand nodes has. When the API server is that slow, newer ones are dropped. */
const waitingMax = 10_000
/** Repeats of one event within this time raise its count instead of making another object. */
const countWindowMs = 600_000
/** As client-go does: an API server that is away for two minutes misses nothing, and the others wait their turn meanwhile. */
const triesMax = 12
const retryMs = 10_000
/**
 * Namespaces whose events wait for themselves, as the admission plugin EventRateLimit has limits for each. When more are refused, it is the
 * server that has too much to do, and all wait.
 */
const asideMax = 16
/** Events that wait so for one namespace. All together leave room for those of the others. */
const asideWaitingMax = 500

interface WaitingEvent {
  /** Everything that makes two events the same. */
  readonly identity: string
  readonly event: NewEvent
  /** Monotonic. */
  readonly publishedAt: number
}

/** Where it is, and how often it has been counted. The event itself would be ten times as much. */
interface PublishedEvent {
  readonly namespace: string | undefined
  readonly name: string
  readonly count: number
  /** Monotonic. */
  readonly at: number
}

/** Events of a namespace that the API server takes no more of for now. */
interface Aside {
  readonly waiting: WaitingEvent[]
  /** Resolves when none is left. */
  readonly sent: Promise<void>
}

type NewEvent = Omit<Event, 'metadata'> & { readonly metadata: { readonly name: string; readonly namespace: string } }

/**
 * Publishes core/v1 Events in the background, one after another. An event tells when it was published, however late it is sent. One that
 * no answer came for is sent again, one that was refused is not. Where a namespace has too many, its own events wait, and no others.
 */
export function createEventRecorder(options: EventRecorderOptions): RunningEventRecorder {
  return new BackgroundRecorder(options)
}

class BackgroundRecorder implements RunningEventRecorder {
  readonly #options: EventRecorderOptions
  /** Of its own: how many events there are shifts nothing else that is drawn. */
  readonly #random: Random
  /** Keys that may not be seen again yet. */
  readonly #seen: ExpiringMap<string, true>
  readonly #buckets = new Map<string, TokenBucket>()
  /** What was sent, by identity. */
  readonly #published: ExpiringMap<string, PublishedEvent>
  readonly #waiting: WaitingEvent[] = []
  /** By namespace. */
  readonly #aside = new Map<string, Aside>()
  #sending: Promise<void> | undefined
  /** Aborted when nothing may be tried again: somebody waits for the end. */
  #patience = new AbortController()
  #sequence = 0

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#random = options.random.fork('events')
    const { clock } = options
    this.#seen = new ExpiringMap({ clock, ttlMs: dedupeDefaultMs, sizeMax: rememberedMax })
    this.#published = new ExpiringMap({ clock, ttlMs: countWindowMs, sizeMax: rememberedMax })
  }

  publish(...toPublish: readonly EventToPublish[]): void {
    for (const event of toPublish) {
      if (this.#isHeldBack(event)) continue
      // What finds no room takes no slot either: of a pass over a large fleet the rest comes with the next one.
      if (this.#waiting.length >= waitingMax) {
        this.#drop(event)
        continue
      }
      if (this.#mayPublish(event)) this.#waiting.push(this.#waitingEvent(event))
    }
    // Begun once it is noted: where all that waits is put aside, it is done without ever having waited itself.
    if (this.#waiting.length > 0) this.#sending ??= Promise.resolve().then(() => this.#sendAll())
  }

  async flush(): Promise<void> {
    this.#patience.abort(new Error('no time to try again'))
    while (this.#sending !== undefined || this.#aside.size > 0) {
      await Promise.all([this.#sending, ...[...this.#aside.values()].map(({ sent }) => sent)])
    }
    this.#patience = new AbortController()
  }

  #isHeldBack(event: EventToPublish): boolean {
    const key = dedupeKeyOf(event)
    return key !== undefined && this.#seen.get(key) === true
  }

  /** The dedupe slot is taken even when the rate limit then refuses. */
  #mayPublish(event: EventToPublish): boolean {
    const now = this.#options.clock.monotonicMs()
    const key = dedupeKeyOf(event)
    if (key !== undefined) this.#seen.set(key, true, event.dedupeMs)
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
      const aside = this.#aside.get(waiting.event.metadata.namespace)
      if (aside === undefined) await this.#sendOrGiveUp(waiting, 'among others')
      else if (aside.waiting.length < asideWaitingMax) aside.waiting.push(waiting)
      else this.#drop(waiting.event)
    }
    this.#sending = undefined
  }

  /** Its namespace's events wait behind it from now on. */
  #putAside(first: WaitingEvent): void {
    const { namespace } = first.event.metadata
    const waiting = [first]
    const sendAll = async (): Promise<void> => {
      // One that is being sent still counts, so that the next of its namespace comes behind it.
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        await this.#sendOrGiveUp(next, 'aside', next === first ? 1 : 0)
        waiting.shift()
      }
      this.#aside.delete(namespace)
    }
    this.#aside.set(namespace, { waiting, sent: Promise.resolve().then(sendAll) })
  }

  async #sendOrGiveUp(waiting: WaitingEvent, where: 'among others' | 'aside', triesBefore = 0): Promise<void> {
    try {
      await this.#sendPatiently(waiting, where, triesBefore)
    } catch (error) {
      this.#options.log.debug({ err: error, reason: waiting.event.reason }, 'failed to publish event')
    }
  }

  async #sendPatiently(waiting: WaitingEvent, where: 'among others' | 'aside', triesBefore: number): Promise<void> {
    for (let tries = triesBefore + 1; ; tries += 1) {
      if (tries > 1) await this.#pauseBefore(tries)
      try {
        await this.#send(waiting)
        return
      } catch (error) {
        // The answer to an earlier try was lost.
        if (tries > 1 && hasCode(error, 'AlreadyExists')) return
        if (tries >= triesMax || this.#patience.signal.aborted || !isUnanswered(error)) throw error
        if (where === 'among others' && hasCode(error, 'TooManyRequests') && this.#aside.size < asideMax) {
          this.#putAside(waiting)
          return
        }
      }
    }
  }

  /** The first wait is random, so that replicas don't all come back at the moment that the API server does. */
  #pauseBefore(tries: number): Promise<void> {
    return this.#options.clock.sleep(tries === 2 ? this.#random.next() * retryMs : retryMs, this.#patience.signal)
  }

  #drop({ reason }: { readonly reason?: string | undefined }): void {
    this.#options.log.debug({ reason }, 'event dropped, too many are waiting')
  }

  async #send({ identity, event, publishedAt }: WaitingEvent): Promise<void> {
    const known = this.#published.get(identity)
    if (known !== undefined && publishedAt - known.at < countWindowMs) {
      const count = await this.#raise(known, event.lastTimestamp)
      if (count !== undefined) {
        this.#published.set(identity, { ...known, count, at: publishedAt })
        return
      }
    }
    const { metadata } = await this.#options.client.create(events, event)
    const { namespace, name } = metadata
    this.#published.set(identity, { namespace, name, count: 1, at: publishedAt })
  }

  /** The new count; undefined when the event has been removed meanwhile. */
  async #raise(
    { namespace, name, count }: PublishedEvent,
    lastTimestamp: string | undefined,
  ): Promise<number | undefined> {
    const body = { count: count + 1, lastTimestamp }
    try {
      const raised = await this.#options.client.patch(events, { namespace, name }, { kind: 'merge', body })
      return raised.count ?? body.count
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
    // What is cut may not end in a hyphen or a dot.
    const name = object.metadata.name.slice(0, 236).replace(/[-.]+$/, '')
    return `${name}.${(nanoseconds + spread).toString(16)}`
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
