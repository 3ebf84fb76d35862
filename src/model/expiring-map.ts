import type { Clock, Timer } from './clock.ts'

export interface ExpiringMapOptions<K, V> {
  readonly clock: Clock
  /** Undefined: entries never expire. */
  readonly ttlMs: number | undefined
  /** How often expired entries are looked for; until then they are only hidden. Default one minute. */
  readonly cleanMs?: number
  /** Past so many entries those that were set longest ago go before their time. Default: no bound, for keys that are few. */
  readonly sizeMax?: number
  /** Called for entries that the sweep found expired, not for deleted ones. Needs a timer, which runs only while the cache holds something. */
  readonly onExpired?: (key: K, value: V) => void
}

interface Entry<V> {
  readonly value: V
  /** On the monotonic clock, so that a jump of the wall clock neither revives nor kills entries. */
  readonly expiresAtMs: number
}

/** So many are worth a look before its time; from then on they are looked at whenever they have doubled, so that none costs more than a look. */
const sweptFromSize = 1_024

/** A map whose entries stop being readable at the end of their time to live. */
export class ExpiringMap<K, V> {
  readonly #options: ExpiringMapOptions<K, V>
  readonly #entries = new Map<K, Entry<V>>()
  readonly #cleanMs: number
  #sweptAtMs: number
  #sweepAtSize = sweptFromSize
  #timer: Timer | undefined

  constructor(options: ExpiringMapOptions<K, V>) {
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

  /** As `get`; the entry's time begins anew, so that it stays for as long as somebody asks for it. */
  renewed(key: K): V | undefined {
    const value = this.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: K, value: V, ttlMs: number | undefined = this.#options.ttlMs): void {
    const { clock, sizeMax, onExpired } = this.#options
    const now = clock.monotonicMs()
    if (sizeMax !== undefined) this.#entries.delete(key)
    this.#entries.set(key, { value, expiresAtMs: ttlMs === undefined ? Number.POSITIVE_INFINITY : now + ttlMs })
    if (onExpired !== undefined) this.#armTimer()
    else if (now - this.#sweptAtMs >= this.#cleanMs || this.#entries.size >= this.#sweepAtSize) this.sweep()
    if (sizeMax !== undefined && this.#entries.size > sizeMax) this.#dropOldest()
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

  /** Of what is held, also of that which is over and not yet swept. */
  get size(): number {
    return this.#entries.size
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
    this.#sweepAtSize = Math.max(sweptFromSize, 2 * this.#entries.size)
    for (const [key, value] of expired) this.#options.onExpired?.(key, value)
  }

  /** Cancels the sweep; for shutdown and loss of leadership. */
  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #dropOldest(): void {
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
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
