import { beforeEach, expect, test } from 'vitest'
import { createLoadGauge, type LoadLimits } from '../../../webhooks/load-shedding.ts'

let now = 0
beforeEach(() => {
  now = 0
})

const gaugeOf = (limits: LoadLimits) => createLoadGauge(limits, () => now)

/** What has been handled until now was one turn of the event loop. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what may have waited too long is refused; after a rest of the event loop nothing has', async () => {
  const gauge = gaugeOf({ inFlightMax: 100, waitMaxMs: 5, turnReviewsMin: 2 })
  expect([gauge.enter(), gauge.enter()]).toEqual([true, true])
  now += 6
  expect(gauge.enter()).toBe(false)
  await nextTurn()
  now += 2
  expect([gauge.enter(), gauge.enter(), gauge.enter()]).toEqual([true, true, true])
})

test('what a turn finds when it follows another at once may have waited since that one began', async () => {
  const gauge = gaugeOf({ inFlightMax: 100, waitMaxMs: 20, turnReviewsMin: 1 })
  expect(gauge.enter()).toBe(true)
  now += 15
  expect(gauge.enter()).toBe(true)
  await nextTurn()
  expect(gauge.enter()).toBe(true)
  now += 4
  expect(gauge.enter()).toBe(true)
  now += 2
  expect(gauge.enter()).toBe(false)
})

test('what is held does not exceed its bound, however quick the turns are', () => {
  const gauge = gaugeOf({ inFlightMax: 2, waitMaxMs: 10_000, turnReviewsMin: 0 })
  expect([gauge.enter(), gauge.enter(), gauge.enter()]).toEqual([true, true, false])
  gauge.leave()
  expect([gauge.enter(), gauge.inFlight]).toEqual([true, 2])
})

test('a turn that takes long over a few reviews refuses none: the machine is slow, and there is no excess', () => {
  const gauge = gaugeOf({ inFlightMax: 100, waitMaxMs: 5, turnReviewsMin: 3 })
  expect(gauge.enter()).toBe(true)
  now += 6
  expect([gauge.enter(), gauge.enter(), gauge.enter()]).toEqual([true, true, false])
})
