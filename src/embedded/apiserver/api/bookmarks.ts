import type { Clock } from '../../../model/clock.ts'

/** About what a real server does while nothing happens. */
const everyMs = 60_000

/** Tells all watches that asked for it, once a minute, how far they are: one timer for all of them. */
export class Bookmarks {
  readonly #clock: Clock
  readonly #due = new Set<() => void>()
  #isScheduled = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns how to stop. */
  add(push: () => void): () => void {
    this.#due.add(push)
    this.#schedule()
    return () => {
      this.#due.delete(push)
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#due.size === 0) return
    this.#isScheduled = true
    this.#clock.schedule(everyMs, () => {
      this.#isScheduled = false
      for (const push of this.#due) push()
      this.#schedule()
    })
  }
}
