import type { Clock } from '../model/clock.ts'
import { ExpiringMap } from '../model/expiring-map.ts'

interface Seen {
  readonly moment: number
  /** By how much the wall clock was ahead of the monotonic one then. */
  readonly aheadMs: number
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
  readonly #seen: ExpiringMap<string, Seen>

  constructor(clock: Clock) {
    this.#clock = clock
    this.#seen = new ExpiringMap({ clock, ttlMs: forgetMs, cleanMs: forgetMs })
  }

  /** `key` says whose moment it is; for another `moment` of the same key the measure begins anew. All in milliseconds since the epoch. */
  onWallClock(key: string, moment: number): number {
    const aheadMs = this.#clock.now() - this.#clock.monotonicMs()
    const known = this.#seen.renewed(key)
    if (known?.moment === moment) {
      const setMs = aheadMs - known.aheadMs
      return Math.abs(setMs) < driftMs ? moment : moment + setMs
    }
    this.#seen.set(key, { moment, aheadMs })
    return moment
  }
}
