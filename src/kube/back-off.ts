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

  nextMs(): number {
    const turn = { baseMs: this.#baseMs, maxMs: this.#maxMs, failures: this.#failures, jitter: this.#random.next() }
    this.#failures++
    return Math.round(backOffMs(turn))
  }

  reset(): void {
    this.#failures = 0
  }
}
