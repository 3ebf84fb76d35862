/** How long an answer may wait for others: a fraction of what the network takes, and time for some twenty reviews. */
const holdMaxMs = 1

/**
 * Answers to questions that were found together leave together. Whoever writes to a process that sleeps has to wake it, which costs as
 * much as judging a review; while it is awake it takes the others for nothing.
 */
export class Outbox {
  readonly #now: () => number
  #waiting: (() => void)[] = []
  #since = 0

  /** `now`: monotonic, in ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** `write` must not throw. */
  add(write: () => void): void {
    const now = this.#now()
    if (this.#waiting.length === 0) {
      this.#since = now
      setImmediate(() => this.flush())
    }
    this.#waiting.push(write)
    if (now - this.#since > holdMaxMs) this.flush()
  }

  flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const write of waiting) write()
  }
}
