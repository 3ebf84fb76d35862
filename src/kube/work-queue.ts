import { backOffMs } from '../model/back-off.ts'
import type { Clock, Timer } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import type { RateLimit } from './controller.ts'
import { keyText, type ObjectKey } from './resource.ts'
import { TokenBucket } from './token-bucket.ts'

/** Told what the queue does, for metrics. */
export interface WorkQueueObserver {
  added(): void
  retried(): void
  taken(waitedSeconds: number): void
  finished(workedSeconds: number): void
}

/** How long work in progress has taken so far. */
export interface UnfinishedWork {
  readonly sumSeconds: number
  readonly longestSeconds: number
}

interface Delayed {
  readonly at: number
  readonly timer: Timer
  readonly unless: (() => boolean) | undefined
}

interface Ready {
  readonly key: ObjectKey
  readonly since: number
}

/** Lengthens waits, so that keys that failed together do not come back together, nor those of many processes in step. */
const jitterShare = 0.5

/**
 * Keys to work on. A key is in it once, however often it is added; a key that is being worked on waits until that is done, so that
 * two workers never have the same one.
 */
export class WorkQueue {
  readonly #clock: Clock
  readonly #limit: RateLimit
  readonly #bucket: TokenBucket | undefined
  readonly #observer: WorkQueueObserver | undefined
  readonly #random: Random | undefined
  /** In order of arrival, each with the time it arrived. */
  readonly #ready = new Map<string, Ready>()
  #turns = this.#ready.entries()
  readonly #working = new Map<string, number>()
  /** Keys added while they were worked on. */
  readonly #again = new Map<string, ObjectKey>()
  readonly #delayed = new Map<string, Delayed>()
  readonly #failures = new Map<string, number>()
  #onReady: () => void = () => undefined
  #closed = false

  /** Without `random` waits after failures are exact. */
  constructor(clock: Clock, limit: RateLimit, options: { observer?: WorkQueueObserver; random?: Random } = {}) {
    this.#clock = clock
    this.#limit = limit
    this.#observer = options.observer
    this.#random = options.random
    if (limit.perSecond !== undefined) this.#bucket = new TokenBucket(limit.perSecond, limit.burst ?? limit.perSecond)
  }

  /** Keys that could be taken now. */
  get length(): number {
    return this.#ready.size
  }

  get working(): number {
    return this.#working.size
  }

  unfinished(): UnfinishedWork {
    const now = this.#clock.monotonicMs()
    let sum = 0
    let longest = 0
    for (const since of this.#working.values()) {
      sum += now - since
      longest = Math.max(longest, now - since)
    }
    return { sumSeconds: sum / 1000, longestSeconds: longest / 1000 }
  }

  /** Called whenever a key can be taken. */
  whenReady(run: () => void): void {
    this.#onReady = run
  }

  add(key: ObjectKey): void {
    if (this.#closed) return
    const id = keyText(key)
    if (this.#ready.has(id) || this.#again.has(id)) return
    this.#observer?.added()
    if (this.#working.has(id)) {
      this.#again.set(id, key)
      return
    }
    this.#ready.set(id, { key, since: this.#clock.monotonicMs() })
    this.#onReady()
  }

  /** Of several delayed additions the earliest counts. With `unless` the key waits as long again while that holds; the latest says when. */
  addAfter(key: ObjectKey, ms: number, unless?: () => boolean): void {
    if (this.#closed) return
    if (ms <= 0) {
      this.add(key)
      return
    }
    const id = keyText(key)
    const now = this.#clock.monotonicMs()
    const waiting = this.#delayed.get(id)
    if (waiting !== undefined && waiting.at <= now + ms && waiting.unless === undefined) return
    waiting?.timer.cancel()
    // Most of those that wait with `unless` wait again and again: all they need is made once.
    const wake = (): void => {
      if (unless?.() === true) wait(ms)
      else {
        this.#delayed.delete(id)
        this.add(key)
      }
    }
    const wait = (forMs: number): void => {
      const timer = this.#clock.schedule(forMs, wake)
      this.#delayed.set(id, { at: this.#clock.monotonicMs() + forMs, timer, unless })
    }
    wait(Math.min(ms, (waiting?.at ?? Number.POSITIVE_INFINITY) - now))
  }

  /**
   * After a failure: waits longer each time, by up to half as much again as its turn, and for a token when the limit has a bucket; not less
   * than `leastMs`, lengthened alike.
   */
  addRateLimited(key: ObjectKey, leastMs = 0): void {
    const id = keyText(key)
    const failures = this.#failures.get(id) ?? 0
    this.#failures.set(id, failures + 1)
    this.#observer?.retried()
    const { baseMs, maxMs } = this.#limit
    const jitter = jitterShare * (this.#random?.next() ?? 0)
    const own = Math.ceil(backOffMs({ baseMs, maxMs, failures, jitter }))
    const shared = this.#bucket?.reserve(this.#clock.monotonicMs()) ?? 0
    this.addAfter(key, Math.max(own, shared, leastMs * (1 + jitter)))
  }

  /** Ends a series of failures. */
  forget(key: ObjectKey): void {
    this.#failures.delete(keyText(key))
  }

  take(): ObjectKey | undefined {
    const next = this.#next()
    if (next === undefined) return undefined
    const [id, { key, since }] = next
    this.#ready.delete(id)
    const now = this.#clock.monotonicMs()
    this.#working.set(id, now)
    this.#observer?.taken((now - since) / 1000)
    return key
  }

  /** From one iterator for as long as it lasts: a new one would walk again over the traces of all that was taken. */
  #next(): [string, Ready] | undefined {
    const next = this.#turns.next()
    if (next.done !== true) return next.value
    this.#turns = this.#ready.entries()
    return this.#turns.next().value
  }

  /** To be called once for every key taken. */
  done(key: ObjectKey): void {
    const id = keyText(key)
    const since = this.#working.get(id)
    if (since === undefined) return
    this.#working.delete(id)
    this.#observer?.finished((this.#clock.monotonicMs() - since) / 1000)
    const again = this.#again.get(id)
    if (again === undefined) return
    this.#again.delete(id)
    if (this.#closed) return
    this.#ready.set(id, { key: again, since: this.#clock.monotonicMs() })
    this.#onReady()
  }

  /** Nothing is taken any more; what waits is dropped. */
  close(): void {
    this.#closed = true
    for (const { timer } of this.#delayed.values()) timer.cancel()
    this.#delayed.clear()
    this.#ready.clear()
    this.#again.clear()
  }
}
