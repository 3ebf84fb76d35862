import { type Clock, sleepBy, type Timer } from '../../src/model/clock.ts'

/** A clock that moves only when told, running what comes due on the way in order of time. */
export class ManualClock implements Clock {
  #now: number
  #sequence = 0
  #timers: { at: number; sequence: number; run: () => void }[] = []

  readonly #settle: () => Promise<void>

  /** `settle` lets what the last step started come through; the default is enough for promises, not for real I/O. */
  constructor(now: number, settle: () => Promise<void> = settlePromises) {
    this.#now = now
    this.#settle = settle
  }

  now(): number {
    return this.#now
  }

  monotonicMs(): number {
    return this.#now
  }

  /** Timers that are waiting. */
  get pending(): number {
    return this.#timers.length
  }

  schedule(ms: number, run: () => void): Timer {
    const timer = { at: this.#now + Math.max(0, ms), sequence: this.#sequence++, run }
    this.#timers.push(timer)
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((other) => other !== timer)
      },
    }
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, ms, signal)
  }

  /** Moves on by `ms`; between timers everything that is ready runs to its end. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    for (;;) {
      await this.#settle()
      const next = this.#timers.toSorted((a, b) => a.at - b.at || a.sequence - b.sequence)[0]
      if (next === undefined || next.at > until) break
      this.#now = Math.max(this.#now, next.at)
      this.#timers = this.#timers.filter((other) => other !== next)
      next.run()
    }
    this.#now = until
    await this.#settle()
  }
}

async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
