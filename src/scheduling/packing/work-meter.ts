import type { Sliced } from '../../model/sliced.ts'
/** Items looked at between two pauses: about a millisecond. */
const workPerSlice = 60_000

/** Work that is counted, not timed, so that the same problem has the same answer. */
export class WorkMeter {
  #work = 0
  #pausedAt = 0
  readonly #most: number

  constructor(slices: number) {
    this.#most = slices * workPerSlice
  }

  /** What may still be spent. */
  get left(): number {
    return this.#most - this.#work
  }

  get isSpent(): boolean {
    return this.#work >= this.#most
  }

  add(work: number): void {
    this.#work += work
  }

  /** Yields when about a millisecond has gone since the last time. */
  *pause(): Sliced<void> {
    if (this.#work - this.#pausedAt <= workPerSlice) return
    this.#pausedAt = this.#work
    yield
  }
}
