/** Says when the process has more to do than it can answer in time, so that the excess gets a quick, retryable refusal. */
export interface LoadGauge {
  /** Whether a review that arrives now should be refused. */
  isOverloaded(): boolean
  /** Whether one more review may be taken on; `leave` must follow when it was. */
  enter(): boolean
  leave(): void
  readonly inFlight: number
}

export interface LoadLimits {
  /** Reviews held at once. A review takes well under a millisecond, so this many are tens of milliseconds of work. */
  readonly inFlightMax: number
  /**
   * How long one turn of the event loop may answer reviews before the rest of what has arrived is refused; below the 100 ms within
   * which the refusal must be out. Refusing costs a part of answering, so probes and the next turn come soon.
   */
  readonly turnMaxMs: number
  /** A turn never refuses before it has taken on so many: with fewer waiting it is the machine that is slow, and asking again costs more. */
  readonly turnReviewsMin: number
}

const defaultLoadLimits: LoadLimits = { inFlightMax: 512, turnMaxMs: 40, turnReviewsMin: 32 }

export function createLoadGauge(limits: LoadLimits = defaultLoadLimits): LoadGauge {
  let inFlight = 0
  let turnStartedAt: number | undefined
  let takenThisTurn = 0
  const isOverloaded = (): boolean => {
    const now = performance.now()
    if (turnStartedAt === undefined) {
      turnStartedAt = now
      // Runs when all input of this turn has been handled.
      setImmediate(() => {
        turnStartedAt = undefined
        takenThisTurn = 0
      })
    }
    if (inFlight >= limits.inFlightMax) return true
    return takenThisTurn >= limits.turnReviewsMin && now - turnStartedAt > limits.turnMaxMs
  }
  return {
    isOverloaded,
    enter() {
      if (isOverloaded()) return false
      inFlight += 1
      takenThisTurn += 1
      return true
    },
    leave() {
      inFlight -= 1
    },
    get inFlight() {
      return inFlight
    },
  }
}
