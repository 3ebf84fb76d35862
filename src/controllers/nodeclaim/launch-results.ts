import type { LaunchedInstance } from '../../cloud/provider.ts'
import type { Clock } from '../../model/clock.ts'

/** Long enough for the status write after a launch to be retried through any outage worth surviving. */
const ttlMs = 3_600_000
const sweepEveryMs = 60_000

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
  readonly #clock: Clock
  readonly #results = new Map<string, { readonly result: LaunchResult; readonly at: number }>()
  #sweptAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sweptAt = clock.monotonicMs()
  }

  get(uid: string): LaunchResult | undefined {
    this.#sweep()
    return this.#results.get(uid)?.result
  }

  put(uid: string, result: LaunchResult): void {
    this.#results.set(uid, { result, at: this.#clock.monotonicMs() })
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
