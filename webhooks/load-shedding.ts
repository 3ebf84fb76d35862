/** Says when the process has more to do than it can answer in time, so that the excess gets a quick, retryable refusal. */
export interface LoadGauge {
  /** Whether a review that is found now on this connection should be refused; the refusal is then taken for sent. */
  isOverloaded(connection: object): boolean
  /** Whether one more review may be taken on; `leave` must follow when it was. */
  enter(connection: object): boolean
  /** The review of this connection has its answer. */
  leave(connection: object): void
  readonly inFlight: number
}

export interface LoadLimits {
  /** Reviews held at once. A review takes well under a millisecond, so this many are tens of milliseconds of work. */
  readonly inFlightMax: number
  /**
   * How long a review may have waited, at the most, to be taken on still; well below the 100 ms within which a refusal must be out, for
   * what is refused waits a turn longer. Refusing costs a part of answering, so probes and the next turn come soon.
   */
  readonly waitMaxMs: number
  /** A turn never refuses before it has taken on so many: with fewer waiting it is the machine that is slow, and asking again costs more. */
  readonly turnReviewsMin: number
  /** Nor before it has worked so long: a machine that stood still for a moment is no reason to refuse what is done in a few milliseconds. */
  readonly turnWorkMinMs: number
}

const defaultLoadLimits: LoadLimits = { inFlightMax: 512, waitMaxMs: 35, turnReviewsMin: 16, turnWorkMinMs: 10 }

/** When the loop goes on sooner after the end of a turn, the next one found its work waiting. */
const restMinMs = 1

/** `clock`: milliseconds since any moment. */
export function createLoadGauge(
  limits: LoadLimits = defaultLoadLimits,
  clock: () => number = () => performance.now(),
): LoadGauge {
  let inFlight = 0
  let takenThisTurn = 0
  let turnStartedAt: number | undefined
  let lastTurn = { startedAt: 0, endedAt: Number.NEGATIVE_INFINITY }
  /** What is handled now cannot have arrived before: the turn before would have found it. */
  let arrivedAfter = 0
  /** A client sends the next review of a connection when it has the answer to the last: that one cannot have waited longer. */
  const answeredAt = new WeakMap<object, number>()
  const hasWaitedTooLong = (connection: object, now: number): boolean =>
    now - Math.max(arrivedAfter, answeredAt.get(connection) ?? arrivedAfter) > limits.waitMaxMs
  const isOverloaded = (connection: object): boolean => {
    const now = clock()
    if (turnStartedAt === undefined) {
      const startedAt = now
      turnStartedAt = startedAt
      arrivedAfter = startedAt - lastTurn.endedAt < restMinMs ? lastTurn.startedAt : startedAt
      // Runs when all input of this turn has been handled.
      setImmediate(() => {
        lastTurn = { startedAt, endedAt: clock() }
        turnStartedAt = undefined
        takenThisTurn = 0
      })
    }
    const hasWorked = takenThisTurn >= limits.turnReviewsMin && now - turnStartedAt >= limits.turnWorkMinMs
    const refused = inFlight >= limits.inFlightMax || (hasWorked && hasWaitedTooLong(connection, now))
    if (refused) answeredAt.set(connection, now)
    return refused
  }
  return {
    isOverloaded,
    enter(connection) {
      if (isOverloaded(connection)) return false
      inFlight += 1
      takenThisTurn += 1
      return true
    },
    leave(connection) {
      inFlight -= 1
      answeredAt.set(connection, clock())
    },
    get inFlight() {
      return inFlight
    },
  }
}
