import type { Clock } from '../model/clock.ts'

/** After so long everything is looked at again, even though nothing changed: prices and schedules move without an event. */
const staleAfterMs = 300_000

/**
 * Says whether anything that disruption looks at has changed. A method that found nothing remembers the token and does nothing while
 * it stays the same. A counter, not a time: two changes within one millisecond differ.
 */
export class ChangeToken {
  readonly #clock: Clock
  #token = 1
  #changedAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#changedAt = clock.monotonicMs()
  }

  /** Something changed: whatever was settled is not any more. */
  bump(): void {
    this.#token++
    this.#changedAt = this.#clock.monotonicMs()
  }

  current(): number {
    if (this.#clock.monotonicMs() - this.#changedAt > staleAfterMs) this.bump()
    return this.#token
  }
}
