import type { Clock } from '../model/clock.ts'

interface Seen {
  readonly moment: number
  /** By how much the wall clock was ahead of the monotonic one then. */
  readonly aheadMs: number
  usedAt: number
}

/** Wall and monotonic clocks drift apart by less than this between two looks; more is a clock that was set. */
const driftMs = 1_000
/** Who measures from a moment looks at it more often. */
const forgetMs = 3_600_000

/**
 * Moments that were written down by a wall clock, as they lie on the wall clock now. From when a moment was first asked for, only monotonic
 * time counts: a clock that is set meanwhile neither hurries nor delays what is measured from it (I31 of the reliability invariants). What
 * a process finds when it starts it has to take as it stands.
 */
export class SteadyMoments {
  readonly #clock: Clock
  readonly #seen = new Map<string, Seen>()
  #sweptAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sweptAt = clock.monotonicMs()
  }

  /** `key` says whose moment it is; for another `moment` of the same key the measure begins anew. All in milliseconds since the epoch. */
  onWallClock(key: string, moment: number): number {
    const steady = this.#clock.monotonicMs()
    const aheadMs = this.#clock.now() - steady
    const known = this.#seen.get(key)
    if (known?.moment === moment) {
      known.usedAt = steady
      const setMs = aheadMs - known.aheadMs
      return Math.abs(setMs) < driftMs ? moment : moment + setMs
    }
    this.#sweep(steady)
    this.#seen.set(key, { moment, aheadMs, usedAt: steady })
    return moment
  }

  #sweep(steady: number): void {
    if (steady - this.#sweptAt < forgetMs) return
    this.#sweptAt = steady
    for (const [key, { usedAt }] of this.#seen) if (steady - usedAt > forgetMs) this.#seen.delete(key)
  }
}
