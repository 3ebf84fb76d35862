import type { Clock } from '../model/clock.ts'
import { ExpiringMap } from '../model/expiring-map.ts'

interface Seen {
  readonly moment: number | undefined
  readonly state: string
  /** Where the moment was taken to lie when it was first asked for. */
  readonly at: number
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
    return this.#look(key, { moment, state: '', at: moment })
  }

  /**
   * The same of what has begun. A moment that still lies ahead, as a clock that is ahead writes it, is taken for the one at which it was
   * first asked for, and so is one that nobody wrote down, which begins anew with each `state`.
   */
  begun(key: string, moment: number | undefined, state = ''): number {
    const now = this.#clock.now()
    return this.#look(key, { moment, state, at: Math.min(moment ?? now, now) })
  }

  #look(key: string, asked: Pick<Seen, 'moment' | 'state' | 'at'>): number {
    const aheadMs = this.#clock.now() - this.#clock.monotonicMs()
    const known = this.#seen.renewed(key)
    if (known !== undefined && known.moment === asked.moment && known.state === asked.state) {
      const setMs = aheadMs - known.aheadMs
      return Math.abs(setMs) < driftMs ? known.at : known.at + setMs
    }
    this.#seen.set(key, { ...asked, aheadMs })
    return asked.at
  }
}
