import { expect, test } from 'vitest'
import { createLoadGauge } from '../../../webhooks/load-shedding.ts'

test('what may have waited too long is refused; after a rest of the event loop nothing has', async () => {
  const gauge = createLoadGauge({ inFlightMax: 100, waitMaxMs: 5, turnReviewsMin: 2 })
  expect([gauge.enter(), gauge.enter()]).toEqual([true, true])
  busy(6)
  expect(gauge.enter()).toBe(false)
  await rest()
  expect([gauge.enter(), gauge.enter(), gauge.enter()]).toEqual([true, true, true])
})

test('what a turn finds when it follows another at once may have waited since that one began', async () => {
  const gauge = createLoadGauge({ inFlightMax: 100, waitMaxMs: 20, turnReviewsMin: 1 })
  expect(gauge.enter()).toBe(true)
  busy(15)
  expect(gauge.enter()).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  expect(gauge.enter()).toBe(true)
  busy(10)
  expect(gauge.enter()).toBe(false)
})

test('what is held does not exceed its bound, however quick the turns are', () => {
  const gauge = createLoadGauge({ inFlightMax: 2, waitMaxMs: 10_000, turnReviewsMin: 0 })
  expect([gauge.enter(), gauge.enter(), gauge.enter()]).toEqual([true, true, false])
  gauge.leave()
  expect([gauge.enter(), gauge.inFlight]).toEqual([true, 2])
})

test('a turn that takes long over a few reviews refuses none: the machine is slow, and there is no excess', () => {
  const gauge = createLoadGauge({ inFlightMax: 100, waitMaxMs: 5, turnReviewsMin: 3 })
  expect(gauge.enter()).toBe(true)
  busy(6)
  expect([gauge.enter(), gauge.enter(), gauge.enter()]).toEqual([true, true, false])
})

function busy(ms: number): void {
  const from = performance.now()
  while (performance.now() - from < ms);
}

/** The event loop waits for a timer, as it waits for input. */
function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5))
}
