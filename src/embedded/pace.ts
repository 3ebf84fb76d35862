/** Stops the cluster's time while something is awaited that the virtual clock does not know of. */
export interface TimeHold {
  /** Counts the timers that have fired; all that follows from one happens before the next. */
  readonly moment: number
  hold<T>(work: Promise<T>): Promise<T>
}

/** What one turn of the event loop may hold: some ten milliseconds of work, that of all who read the answers included. */
const unitsPerTurn = 64

/**
 * Spreads calls over turns of the event loop. Without it a call is answered within microtasks, and a controller that creates a thousand
 * pods would keep everything else, a person's kubectl for one, waiting until the last of them runs. Calls are let in by count and in
 * the order they came, never by the time they took, so that a run stays the same every time; the cluster's clock stands meanwhile.
 */
export class Pace {
  readonly #clock: TimeHold | undefined
  readonly #waiting: { readonly units: number; readonly enter: () => void }[] = []
  #left = unitsPerTurn
  #moment = 0

  constructor(clock: TimeHold | undefined) {
    this.#clock = clock
  }

  /** Undefined when the call may go on at once. */
  enter(units: number): Promise<void> | undefined {
    const clock = this.#clock
    if (clock === undefined) return undefined
    if (this.#moment !== clock.moment) {
      this.#moment = clock.moment
      this.#left = unitsPerTurn
    }
    if (this.#waiting.length === 0 && this.#left > 0) {
      this.#left -= units
      return undefined
    }
    return clock.hold(
      new Promise((resolve) => {
        this.#waiting.push({ units, enter: resolve })
        if (this.#waiting.length === 1) this.#turn()
      }),
    )
  }

  /** The next turn of the event loop begins with a full measure. */
  #turn(): void {
    setImmediate(() => {
      this.#left = unitsPerTurn
      while (this.#left > 0) {
        const next = this.#waiting.shift()
        if (next === undefined) return
        this.#left -= next.units
        next.enter()
      }
      if (this.#waiting.length > 0) this.#turn()
    })
  }
}
