/** A token bucket on a monotonic time that the caller supplies, in milliseconds. */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  #tokens: number
  #at: number | undefined

  constructor(perSecond: number, burst: number) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#tokens = burst
  }

  /** Takes a token if there is one. */
  tryTake(nowMs: number): boolean {
    this.#refill(nowMs)
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /** Takes a token, borrowing from the future; returns after how many milliseconds it may be used. */
  reserve(nowMs: number): number {
    this.#refill(nowMs)
    this.#tokens -= 1
    return this.#tokens >= 0 ? 0 : Math.ceil(-this.#tokens / this.#perMs)
  }

  #refill(nowMs: number): void {
    const passed = Math.max(0, nowMs - (this.#at ?? nowMs))
    this.#at = Math.max(nowMs, this.#at ?? nowMs)
    this.#tokens = Math.min(this.#burst, this.#tokens + passed * this.#perMs)
  }
}
