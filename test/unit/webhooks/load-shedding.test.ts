import { beforeEach, expect, test } from 'vitest'
import { createLoadGauge, type LoadLimits } from '../../../webhooks/load-shedding.ts'

let now = 0
beforeEach(() => {
  now = 0
})

const gaugeOf = (limits: LoadLimits) => createLoadGauge(limits, () => now)

/** What has been handled until now was one turn of the event loop. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const one = {}
const other = {}

test('what may have waited too long is refused; after a rest of the event loop nothing has', async () => {
  const gauge = gaugeOf({ inFlightMax: 100, waitMaxMs: 5, turnReviewsMin: 2, turnWorkMinMs: 0 })
  expect([gauge.enter(one), gauge.enter(one)]).toEqual([true, true])
  now += 6
  expect(gauge.enter(one)).toBe(false)
  await nextTurn()
  now += 2
  // On a connection without an answer until now, which would tell how long it can have waited.
  expect([gauge.enter(other), gauge.enter(other), gauge.enter(other)]).toEqual([true, true, true])
})

test('what a turn finds when it follows another at once may have waited since that one began', async () => {
  const gauge = gaugeOf({ inFlightMax: 100, waitMaxMs: 20, turnReviewsMin: 1, turnWorkMinMs: 0 })
  expect(gauge.enter(one)).toBe(true)
  now += 15
  expect(gauge.enter(one)).toBe(true)
  await nextTurn()
  expect(gauge.enter(one)).toBe(true)
  now += 4
  expect(gauge.enter(one)).toBe(true)
  now += 2
  expect(gauge.enter(one)).toBe(false)
})

test('what is held does not exceed its bound, however quick the turns are', () => {
  const gauge = gaugeOf({ inFlightMax: 2, waitMaxMs: 10_000, turnReviewsMin: 0, turnWorkMinMs: 0 })
  expect([gauge.enter(one), gauge.enter(one), gauge.enter(one)]).toEqual([true, true, false])
  gauge.leave(one)
  expect([gauge.enter(one), gauge.inFlight]).toEqual([true, 2])
})

test('a turn that takes long over a few reviews refuses none: the machine is slow, and there is no excess', () => {
  const gauge = gaugeOf({ inFlightMax: 100, waitMaxMs: 5, turnReviewsMin: 3, turnWorkMinMs: 0 })
  expect(gauge.enter(one)).toBe(true)
  now += 6
  expect([gauge.enter(one), gauge.enter(one), gauge.enter(one)]).toEqual([true, true, false])
})

test('each turn takes on so many anew before it refuses', async () => {
  const gauge = gaugeOf({ inFlightMax: 100, waitMaxMs: 5, turnReviewsMin: 2, turnWorkMinMs: 0 })
  expect([gauge.enter(one), gauge.enter(one)]).toEqual([true, true])
  await nextTurn()
  now += 50
  expect(gauge.enter(one)).toBe(true)
  now += 6
  expect([gauge.enter(one), gauge.enter(one)]).toEqual([true, false])
})

test('what comes on a connection that had an answer since the last turn has waited since then only', async () => {
  const gauge = gaugeOf({ inFlightMax: 100, waitMaxMs: 20, turnReviewsMin: 0, turnWorkMinMs: 0 })
  expect(gauge.enter(one)).toBe(true)
  now += 15
  gauge.leave(one)
  await nextTurn()
  expect(gauge.enter(other)).toBe(true)
  now += 6
  expect([gauge.enter(other), gauge.enter(one)]).toEqual([false, true])
})

test('a refusal is an answer: what comes next on that connection was not there before', async () => {
  const gauge = gaugeOf({ inFlightMax: 100, waitMaxMs: 20, turnReviewsMin: 0, turnWorkMinMs: 0 })
  expect(gauge.enter(one)).toBe(true)
  now += 21
  expect(gauge.isOverloaded(other)).toBe(true)
  await nextTurn()
  expect([gauge.enter(one), gauge.enter(other)]).toEqual([false, true])
})

test('after a standstill of the machine nothing is refused that the turn can do in a few milliseconds', async () => {
  const gauge = gaugeOf({ inFlightMax: 100, waitMaxMs: 20, turnReviewsMin: 1, turnWorkMinMs: 10 })
  expect(gauge.enter(one)).toBe(true)
  now += 50
  await nextTurn()
  // These may have waited through it.
  expect([gauge.enter(one), gauge.enter(one)]).toEqual([true, true])
  now += 9
  expect(gauge.enter(one)).toBe(true)
  now += 1
  expect(gauge.enter(one)).toBe(false)
})
