import type { Clock } from '../model/clock.ts'

/** Which nodes pending pods were promised places on, and until when. Keys are those of state nodes. */
export class Nominations {
  readonly #clock: Clock
  readonly #lastMs: number
  readonly #onMoved: (key: string) => void
  /** In milliseconds since the epoch. */
  readonly #until = new Map<string, number>()
  /** By how much the wall clock was ahead of the monotonic one at the last look. */
  #wallAheadMs: number | undefined

  /** `lastMs`: how long a nomination protects a node. `onMoved`: told of nodes whose nomination ends at another time. */
  constructor(clock: Clock, lastMs: number, onMoved: (key: string) => void) {
    this.#clock = clock
    this.#lastMs = lastMs
    this.#onMoved = onMoved
  }

  nominate(key: string): void {
    this.followClock()
    this.#until.set(key, this.#clock.now() + this.#lastMs)
    this.#onMoved(key)
  }

  /** When the last nomination ends or has ended; 0 for a node that never had one. */
  until(key: string): number {
    return this.#until.get(key) ?? 0
  }

  isNominated(key: string): boolean {
    this.followClock()
    return this.until(key) > this.#clock.now()
  }

  /** The node is gone. */
  forget(key: string): void {
    this.#until.delete(key)
  }

  /** Promises last as long as they were given for, also when the wall clock is set meanwhile. */
  followClock(): void {
    const aheadMs = this.#clock.now() - this.#clock.monotonicMs()
    const setMs = aheadMs - (this.#wallAheadMs ?? aheadMs)
    // The clocks drift, and both are read one after the other.
    if (this.#wallAheadMs !== undefined && Math.abs(setMs) < 1_000) return
    this.#wallAheadMs = aheadMs
    if (setMs === 0) return
    for (const [key, until] of this.#until) {
      this.#until.set(key, until + setMs)
      this.#onMoved(key)
    }
  }
}
