import type { Clock } from '../../src/model/clock.ts'

/** A clock on which work takes as long as is said with `spend`; timers go by the other one. */
export function spendingClock(clock: Clock): { readonly clock: Clock; readonly spend: (ms: number) => void } {
  let spentMs = 0
  return {
    clock: {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs() + spentMs,
      schedule: (ms, run) => clock.schedule(ms, run),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    },
    spend: (ms) => {
      spentMs += ms
    },
  }
}
