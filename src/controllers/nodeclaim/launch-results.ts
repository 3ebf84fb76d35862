import type { LaunchedInstance } from '../../cloud/provider.ts'
import type { Clock } from '../../model/clock.ts'

/** Long enough for the status write after a launch to be retried through any outage worth surviving. */
const ttlMs = 3_600_000
const sweepEveryMs = 60_000

/**
 * Launches that this process made, by claim UID: until the claim read back says that it was launched, the result here keeps a second
 * reconcile from launching again.
 */
export class LaunchResults {
  readonly #clock: Clock
  readonly #results = new Map<string, { readonly instance: LaunchedInstance; readonly at: number }>()
  #sweptAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sweptAt = clock.monotonicMs()
  }

  get(uid: string): LaunchedInstance | undefined {
    this.#sweep()
    return this.#results.get(uid)?.instance
  }

  put(uid: string, instance: LaunchedInstance): void {
    this.#results.set(uid, { instance, at: this.#clock.monotonicMs() })
  }

  drop(uid: string): void {
    this.#results.delete(uid)
  }

  #sweep(): void {
    const now = this.#clock.monotonicMs()
    if (now - this.#sweptAt < sweepEveryMs) return
    this.#sweptAt = now
    for (const [uid, { at }] of this.#results) if (now - at >= ttlMs) this.#results.delete(uid)
  }
}
