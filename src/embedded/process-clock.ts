import { type Clock, sleepBy, type Timer } from '../model/clock.ts'

/**
 * Time as one process of many has it: the process may stand still while the others go on, as with a busy event loop or a frozen machine.
 * What falls due meanwhile runs late, in its order. What it is told from outside meanwhile has to be held back by whoever tells it.
 */
export class ProcessClock implements Clock {
  readonly #clock: Clock
  /** What fell due while the process stood still; undefined while it runs. */
  #due: (() => void)[] | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.now()
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs()
  }

  schedule(ms: number, run: () => void): Timer {
    let isCancelled = false
    const due = (): void => {
      if (!isCancelled) run()
    }
    const timer = this.#clock.schedule(ms, () => {
      if (this.#due === undefined) run()
      else this.#due.push(due)
    })
    return {
      cancel: () => {
        isCancelled = true
        timer.cancel()
      },
    }
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, ms, signal)
  }

  /** Stands still for so long. Resolves after everything that fell due meanwhile has run. */
  stall(ms: number): Promise<void> {
    if (this.#due !== undefined) throw new Error('the process stands still already')
    this.#due = []
    return new Promise((resolve) => {
      this.#clock.schedule(ms, () => {
        const due = this.#due ?? []
        this.#due = undefined
        // One after the other, each with what follows from it, as an event loop does.
        for (const run of due) this.#clock.schedule(0, run)
        this.#clock.schedule(0, resolve)
      })
    })
  }
}
