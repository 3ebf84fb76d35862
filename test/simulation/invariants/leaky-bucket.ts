/**
 * Says whether calls stay within so many at once and so many a second after. Work of its own: the token buckets of src/kube are what is
 * judged by it.
 */
export class LeakyBucket {
  readonly #perMs: number
  readonly #size: number
  #level = 0
  #at = 0

  constructor({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }) {
    this.#perMs = perSecond / 1000
    this.#size = burst
  }

  /** Whether one more fits at `elapsed`, in monotonic milliseconds; what does not fit takes no room. */
  takesIn(elapsed: number): boolean {
    this.#level = Math.max(0, this.#level - (elapsed - this.#at) * this.#perMs)
    this.#at = elapsed
    if (this.#level + 1 > this.#size) return false
    this.#level += 1
    return true
  }
}
