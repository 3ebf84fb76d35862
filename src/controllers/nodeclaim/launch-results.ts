import type { LaunchedInstance } from '../../cloud/provider.ts'
import type { Clock } from '../../model/clock.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'

/** Long enough for the status write after a launch to be retried through any outage worth surviving. */
const ttlMs = 3_600_000

export interface LaunchResult {
  readonly instance: LaunchedInstance
  /** An earlier launch had left what it knew of another instance on the claim, and died before it wrote down which. */
  readonly replaces: boolean
}

/**
 * Launches that this process made, by claim UID: until the claim read back says that it was launched, the result here keeps a second
 * reconcile from launching again.
 */
export class LaunchResults {
  readonly #results: ExpiringMap<string, LaunchResult>

  constructor(clock: Clock) {
    this.#results = new ExpiringMap({ clock, ttlMs })
  }

  get(uid: string): LaunchResult | undefined {
    return this.#results.get(uid)
  }

  put(uid: string, result: LaunchResult): void {
    this.#results.set(uid, result)
  }

  drop(uid: string): void {
    this.#results.delete(uid)
  }
}
