import type { Clock, Timer } from '../../model/clock.ts'

export interface TtlCacheOptions<K, V> {
  readonly clock: Clock
  /** Undefined: entries never expire. */
  readonly ttlMs: number | undefined
  /** How often expired entries are looked for; until then they are only hidden. Default one minute. */
  readonly cleanMs?: number
  /** Called for entries that the sweep found expired, not for deleted ones. Needs a timer, which runs only while the cache holds something. */
  readonly onExpired?: (key: K, value: V) => void
}

interface Entry<V> {
  readonly value: V
  /** On the monotonic clock, so that a jump of the wall clock neither revives nor kills entries. */
  readonly expiresAtMs: number
}

/** A map whose entries stop being readable at the end of their time to live. */
export class TtlCache<K, V> {
  readonly #options: TtlCacheOptions<K, V>
  readonly #entries = new Map<K, Entry<V>>()
  readonly #cleanMs: number
  #sweptAtMs: number
  #timer: Timer | undefined

  constructor(options: TtlCacheOptions<K, V>) {
    this.#options = options
    this.#cleanMs = options.cleanMs ?? 60_000
    this.#sweptAtMs = options.clock.monotonicMs()
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined || this.#isExpired(entry) ? undefined : entry.value
  }

  has(key: K): boolean {
    const entry = this.#entries.get(key)
    return entry !== undefined && !this.#isExpired(entry)
  }

  set(key: K, value: V, ttlMs: number | undefined = this.#options.ttlMs): void {
    const now = this.#options.clock.monotonicMs()
    this.#entries.set(key, { value, expiresAtMs: ttlMs === undefined ? Number.POSITIVE_INFINITY : now + ttlMs })
    if (this.#options.onExpired !== undefined) this.#armTimer()
    else if (now - this.#sweptAtMs >= this.#cleanMs) this.sweep()
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }

  deleteMatching(matches: (key: K) => boolean): void {
    for (const key of this.#entries.keys()) if (matches(key)) this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  /** Live entries in insertion order. */
  entries(): (readonly [K, V])[] {
    const live: (readonly [K, V])[] = []
    for (const [key, entry] of this.#entries) if (!this.#isExpired(entry)) live.push([key, entry.value])
    return live
  }

  get size(): number {
    return this.entries().length
  }

  /** Removes what has expired now, as the timer would. */
  sweep(): void {
    this.#sweptAtMs = this.#options.clock.monotonicMs()
    const expired: [K, V][] = []
    for (const [key, entry] of this.#entries) {
      if (!this.#isExpired(entry)) continue
      this.#entries.delete(key)
      expired.push([key, entry.value])
    }
    for (const [key, value] of expired) this.#options.onExpired?.(key, value)
  }

  /** Cancels the sweep; for shutdown and loss of leadership. */
  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #armTimer(): void {
    if (this.#timer !== undefined) return
    this.#timer = this.#options.clock.schedule(this.#cleanMs, () => {
      this.#timer = undefined
      this.sweep()
      if (this.#entries.size > 0) this.#armTimer()
    })
  }

  /** Inclusive: whoever comes back exactly after the time to live, as controllers do, shall read anew. */
  #isExpired(entry: Entry<V>): boolean {
    return this.#options.clock.monotonicMs() >= entry.expiresAtMs
  }
}
