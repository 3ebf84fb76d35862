import type { Random } from '../model/random.ts'

/** Waits that double from `baseMs` to `maxMs`, each lengthened by up to its own length, so that many clients do not retry in step. */
export class BackOff {
  readonly #baseMs: number
  readonly #maxMs: number
  readonly #random: Random
  #failures = 0

  constructor(options: { baseMs: number; maxMs: number; random: Random }) {
    this.#baseMs = options.baseMs
    this.#maxMs = options.maxMs
    this.#random = options.random
  }

  nextMs(): number {
    const plain = Math.min(this.#maxMs, this.#baseMs * 2 ** Math.min(this.#failures, 30))
    this.#failures++
    return Math.round(plain * (1 + this.#random.next()))
  }

  reset(): void {
    this.#failures = 0
  }
}
