export { parseRFC3339, parseTimestamp, toGoTime, toMicroTimestamp, toTimestamp } from '../api/time.ts'

/** Time as an injected port: the system clock in production, a virtual one in the embedded cluster and in simulations. */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch. May jump; use `monotonicMs` to measure how long something took. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number
  /** Resolves after `ms`, or rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `run` once after `ms`; never where that is no number. The returned handle cancels it; cancelling twice is harmless. */
  schedule(ms: number, run: () => void): Timer
}

export interface Timer {
  cancel(): void
}

/** The `sleep` of a clock that can schedule. */
export function sleepBy(clock: Pick<Clock, 'schedule'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason)
      return
    }
    const onAbort = (): void => {
      timer.cancel()
      reject(signal?.reason)
    }
    const timer = clock.schedule(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
