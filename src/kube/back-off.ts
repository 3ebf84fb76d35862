import { backOffMs } from '../model/back-off.ts'
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

  /** Not less than `leastMs`, lengthened alike. */
  nextMs(leastMs = 0): number {
    const jitter = this.#random.next()
    const turn = { baseMs: this.#baseMs, maxMs: this.#maxMs, failures: this.#failures, jitter }
    this.#failures++
    return Math.round(Math.max(backOffMs(turn), leastMs * (1 + jitter)))
  }

  reset(): void {
    this.#failures = 0
  }
}
