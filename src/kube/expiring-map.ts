/** Fewer are not worth a look. */
const sweptFromSize = 1_024

/**
 * Values that count for a while. Those whose time is over go when the map has doubled since the last look, so that none costs more than
 * one look on average; past `sizeMax` the oldest go before their time.
 */
export class ExpiringMap<Value> {
  readonly #now: () => number
  readonly #sizeMax: number
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()
  #sweepAt = sweptFromSize

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number, sizeMax: number) {
    this.#now = now
    this.#sizeMax = sizeMax
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined || entry.until <= this.#now() ? undefined : entry.value
  }

  set(key: string, value: Value, forMs: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: this.#now() + forMs })
    if (this.#entries.size >= this.#sweepAt) this.#sweep()
    if (this.#entries.size > this.#sizeMax) this.#dropOldest()
  }

  #sweep(): void {
    const now = this.#now()
    for (const [key, { until }] of this.#entries) if (until <= now) this.#entries.delete(key)
    this.#sweepAt = Math.max(sweptFromSize, 2 * this.#entries.size)
  }

  #dropOldest(): void {
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }
}
