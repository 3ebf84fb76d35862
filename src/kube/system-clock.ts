import { type Clock, sleepBy } from '../model/clock.ts'

/** setTimeout takes at most this many milliseconds; longer waits are made of several. */
const longestTimerMs = 2 ** 31 - 1

export function systemClock(): Clock {
  const clock: Clock = {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    sleep: (ms, signal) => sleepBy(clock, ms, signal),
    schedule: (ms, run) => {
      if (ms <= 0) {
        // Long work that pauses waits for others' turn and no longer: a timer would take a millisecond, hundreds of times.
        const immediate = setImmediate(run)
        return { cancel: () => clearImmediate(immediate) }
      }
      let handle: NodeJS.Timeout
      const arm = (left: number): void => {
        handle =
          left > longestTimerMs ? setTimeout(() => arm(left - longestTimerMs), longestTimerMs) : setTimeout(run, left)
      }
      // Of what is no number setTimeout would make a millisecond, and of a mistake a storm.
      arm(Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms)
      return { cancel: () => clearTimeout(handle) }
    },
  }
  return clock
}
