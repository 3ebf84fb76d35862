import { expect, test } from 'vitest'
import { backOffMs } from '../../../src/model/back-off.ts'

test('waits double from the base to their most, however often something has failed', () => {
  const waits = [0, 1, 2, 3, 4, 5, 2_000].map((failures) => backOffMs({ baseMs: 100, maxMs: 1_000, failures }))
  expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000])
})

test('jitter lengthens each, the longest too', () => {
  const turn = { baseMs: 100, maxMs: 1_000, jitter: 0.5 }
  expect([1, 9].map((failures) => backOffMs({ ...turn, failures }))).toEqual([300, 1_500])
})
