export type LaunchOutcome = 'success' | 'failure'
export type PoolHealth = 'unknown' | 'healthy' | 'unhealthy'

/** How many launches count. */
const size = 4
/** Share of failures, of the full size, from which a pool is unhealthy: two of four, also when only two are known. */
const unhealthyShare = 0.5

/** The last four launches of a pool. */
export class OutcomeBuffer {
  readonly #outcomes: LaunchOutcome[] = []
  #oldest = 0

  get health(): PoolHealth {
    return healthOf(this.#outcomes)
  }

  record(outcome: LaunchOutcome): void {
    if (this.#outcomes.length < size) {
      this.#outcomes.push(outcome)
      return
    }
    this.#outcomes[this.#oldest] = outcome
    this.#oldest = (this.#oldest + 1) % size
  }

  /** Health if this outcome came next. In a full buffer it takes the place of the first slot, not of the oldest one, as in Karpenter. */
  healthWith(outcome: LaunchOutcome): PoolHealth {
    return healthOf(this.#outcomes.length < size ? [...this.#outcomes, outcome] : this.#outcomes.with(0, outcome))
  }
}

function healthOf(outcomes: readonly LaunchOutcome[]): PoolHealth {
  if (outcomes.length === 0) return 'unknown'
  const failures = outcomes.filter((outcome) => outcome === 'failure').length
  return failures / size >= unhealthyShare ? 'unhealthy' : 'healthy'
}
