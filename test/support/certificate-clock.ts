import { vi } from 'vitest'
import { ManualClock } from './manual-clock.ts'

/**
 * A clock that moves on only when every certificate manager sleeps on it again: keys are made on other threads, which takes real time.
 * `also`: what else has to be done between two steps.
 */
export function certificateClock(managers: number, also: () => boolean = () => true): ManualClock {
  const clock: ManualClock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'), async () => {
    await vi.waitUntil(() => clock.pending >= managers && also(), { timeout: 15_000, interval: 1 })
  })
  return clock
}
