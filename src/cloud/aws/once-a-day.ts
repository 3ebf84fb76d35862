import type { Clock } from '../../model/clock.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'

const dayMs = 24 * 3_600_000

/** For lines about what stays as it is until somebody changes it, but is come across every minute and with every launch. */
export class OnceADay {
  readonly #told: ExpiringMap<string, true>

  constructor(clock: Clock) {
    this.#told = new ExpiringMap({ clock, ttlMs: dayMs })
  }

  /** Whether it is due; it counts as told then. */
  isDue(...what: readonly (string | number | undefined)[]): boolean {
    const key = JSON.stringify(what)
    if (this.#told.has(key)) return false
    this.#told.set(key, true)
    return true
  }
}
