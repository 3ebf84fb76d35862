import { type Clock, sleepBy, type Timer } from '../model/clock.ts'
import { TimerQueue } from './timer-queue.ts'
import { Turns } from './turns.ts'

export interface VirtualClockOptions {
  /** Wall-clock time at the start, in milliseconds since the epoch. */
  readonly startMs?: number
  /** Timers at one instant that mean something re-arms itself without delay, so that time would never pass again. */
  readonly timersPerInstantMax?: number
}

/** When `run` stops: at a time, after a while, or as soon as something holds (looked at whenever all is quiet). */
export type RunUntil =
  | { readonly untilMs: number }
  | { readonly forMs: number }
  | { readonly until: () => boolean; readonly withinMs: number }

export class StillTimeError extends Error {
  readonly code = 'StillTime'
  override readonly name = 'StillTimeError'
}

/** 2026-01-01T00:00:00Z. A fixed start makes every timestamp of a run part of its seed. */
export const defaultStartMs = 1_767_225_600_000

const defaultTimersPerInstantMax = 1_000_000
/** Between two looks at holds while real I/O is in flight, and the longest wait of a paced clock, in real milliseconds. */
const pacedWaitMaxMs = 60_000

/**
 * Time that stands still while anybody works. Only `run` advances it, to the next timer, and only when every promise that can
 * settle has settled: a turn of the real event loop drains them all. Work that waits for the real world (a socket, a worker) must
 * be announced with `hold`, or time passes under its feet.
 *
 * A clock may instead be paced (`pace`), so that people can live with it: then time flows with the real one, times a factor.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerQueue()
  readonly #turns = new Turns()
  readonly #startMs: number
  readonly #timersPerInstantMax: number
  #elapsedMs = 0
  #skewMs = 0
  #holds = 0
  #released: (() => void) | undefined
  #pacing: Pacing | undefined
  #running = false
  #longestBlockMs = 0
  #moment = 0

  constructor(options: VirtualClockOptions = {}) {
    this.#startMs = options.startMs ?? defaultStartMs
    this.#timersPerInstantMax = options.timersPerInstantMax ?? defaultTimersPerInstantMax
  }

  now(): number {
    return Math.floor(this.#startMs + this.monotonicMs() + this.#skewMs)
  }

  monotonicMs(): number {
    if (this.#pacing === undefined) return this.#elapsedMs
    // Under load time falls behind rather than overtake what was to happen earlier: a lease would run out before its renewal.
    const due = Math.min(this.#pacing.elapsedMs(), this.#timers.nextAt() ?? Number.POSITIVE_INFINITY)
    this.#elapsedMs = Math.max(this.#elapsedMs, due)
    return this.#elapsedMs
  }

  schedule(ms: number, run: () => void): Timer {
    const delay = Number.isNaN(ms) ? Number.MAX_SAFE_INTEGER : Math.min(Math.max(0, ms), Number.MAX_SAFE_INTEGER)
    const now = this.monotonicMs()
    const timer = this.#timers.add(this.#pacing === undefined || delay === 0 ? now + delay : laterThan(now, delay), run)
    this.#pacing?.wake()
    return timer
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, ms, signal)
  }

  /** Stops time until `work` settles; hands its result on. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.#holds += 1
    try {
      return await work
    } finally {
      this.#holds -= 1
      if (this.#holds === 0) this.#released?.()
    }
  }

  /** Moves the wall clock, not the monotonic one, as an NTP step does. */
  jump(ms: number): void {
    this.#skewMs += ms
  }

  /** Timers that are waiting. */
  get pending(): number {
    return this.#timers.size
  }

  /** Timers that have fired so far. */
  get moment(): number {
    return this.#moment
  }

  /** The longest real time, in milliseconds, that one turn of the event loop has taken in `run` since the last reset. */
  get longestBlockMs(): number {
    return this.#longestBlockMs
  }

  resetLongestBlock(): void {
    this.#longestBlockMs = 0
  }

  /** Lets time pass. Resolves with whether the predicate held, or true when the time was reached. */
  async run(until: RunUntil): Promise<boolean> {
    if (this.#running || this.#pacing !== undefined) throw new Error('the clock is running already')
    this.#running = true
    try {
      return await this.#run(until)
    } finally {
      this.#running = false
    }
  }

  /** Resolves when nothing is left to do at this instant. Timers due now have fired. */
  async settle(): Promise<void> {
    await this.run({ forMs: 0 })
  }

  /** Lets time flow with the real one, `speed` times as fast, until the signal is aborted. */
  async pace(speed: number, signal: AbortSignal): Promise<void> {
    if (this.#running || this.#pacing !== undefined) throw new Error('the clock is running already')
    const pacing = new Pacing(speed, this.#elapsedMs)
    this.#pacing = pacing
    const onAbort = () => pacing.wake()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      while (!signal.aborted) {
        const next = this.#timers.nextAt()
        if (next !== undefined && next <= this.monotonicMs()) {
          this.#moment += 1
          this.#timers.take()?.run()
          await turn()
        } else {
          await pacing.wait(next === undefined ? pacedWaitMaxMs : (next - this.monotonicMs()) / speed)
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.monotonicMs()
      this.#pacing = undefined
    }
  }

  async #run(until: RunUntil): Promise<boolean> {
    const end = this.#endOf(until)
    const reached = 'until' in until ? until.until : () => false
    let atThisInstant = 0
    await this.#quiet(undefined)
    for (;;) {
      if (reached()) return true
      const next = this.#timers.nextAt()
      if (next === undefined || next > end) break
      atThisInstant = next > this.#elapsedMs ? 0 : atThisInstant + 1
      if (atThisInstant > this.#timersPerInstantMax)
        throw new StillTimeError('timers re-arm without delay: time stands still')
      const timer = this.#timers.take()
      this.#elapsedMs = Math.max(this.#elapsedMs, next)
      await this.#quiet(timer?.run)
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, end)
    return !('until' in until)
  }

  #endOf(until: RunUntil): number {
    if ('untilMs' in until) return until.untilMs - this.#startMs - this.#skewMs
    return this.#elapsedMs + ('forMs' in until ? until.forMs : until.withinMs)
  }

  /** Runs `work` and all that follows from it at this instant. */
  async #quiet(work: (() => void) | undefined): Promise<void> {
    let before = performance.now()
    this.#moment += 1
    work?.()
    await this.#turns.next()
    for (;;) {
      this.#longestBlockMs = Math.max(this.#longestBlockMs, performance.now() - before)
      if (this.#holds === 0) return
      await new Promise<void>((resolve) => {
        this.#released = resolve
      })
      this.#released = undefined
      before = performance.now()
      await this.#turns.next()
    }
  }
}

/**
 * Real time flows in fractions of a millisecond, and whoever waits for the rest of a span asks for as little: so little that, added to
 * the time since the start, it is lost. Such a timer would fire at the instant that armed it, again and again, and time, which no timer
 * is overtaken by, would stand still.
 */
function laterThan(now: number, delay: number): number {
  return Math.max(Math.floor(now) + 1, Math.ceil(now + delay))
}

/** Resolves after everything that is already runnable has run. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

class Pacing {
  readonly #speed: number
  readonly #startElapsedMs: number
  readonly #startRealMs = performance.now()
  #wake: (() => void) | undefined

  constructor(speed: number, startElapsedMs: number) {
    this.#speed = speed
    this.#startElapsedMs = startElapsedMs
  }

  elapsedMs(): number {
    return this.#startElapsedMs + (performance.now() - this.#startRealMs) * this.#speed
  }

  wake(): void {
    this.#wake?.()
  }

  async wait(realMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.max(0, realMs), pacedWaitMaxMs))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }
}
