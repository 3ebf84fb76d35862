import { expect, test } from 'vitest'
import { createLoadGauge } from '../../../webhooks/load-shedding.ts'

test('what arrives in one turn of the event loop is answered for so long, the rest refused; the next turn starts anew', async () => {
  const gauge = createLoadGauge({ inFlightMax: 100, turnMaxMs: 5, turnReviewsMin: 2 })
  expect([gauge.enter(), gauge.enter()]).toEqual([true, true])
  const from = performance.now()
  while (performance.now() - from < 6);
  expect(gauge.enter()).toBe(false)
  await new Promise((resolve) => setImmediate(resolve))
  expect(gauge.enter()).toBe(true)
})

test('what is held does not exceed its bound, however quick the turns are', () => {
  const gauge = createLoadGauge({ inFlightMax: 2, turnMaxMs: 10_000, turnReviewsMin: 0 })
  expect([gauge.enter(), gauge.enter(), gauge.enter()]).toEqual([true, true, false])
  gauge.leave()
  expect([gauge.enter(), gauge.inFlight]).toEqual([true, 2])
})

test('a turn that takes long over a few reviews refuses none: the machine is slow, and there is no excess', () => {
  const gauge = createLoadGauge({ inFlightMax: 100, turnMaxMs: 5, turnReviewsMin: 3 })
  expect(gauge.enter()).toBe(true)
  const from = performance.now()
  while (performance.now() - from < 6);
  expect([gauge.enter(), gauge.enter(), gauge.enter()]).toEqual([true, true, false])
})
