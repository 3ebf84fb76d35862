import { expect, test } from 'vitest'
import { scaledConcurrency } from '../../../src/controllers/concurrency.ts'

test.each([
  ['the lifecycle of claims', 1_000, 5_000, [1_000, 1_067, 1_203, 5_000]],
  ['evictions and the termination of nodes', 100, 5_000, [100, 183, 349, 5_000]],
  ['most others', 10, 1_000, [10, 26, 60, 1_000]],
] as const)('with one, two, four and sixty cores: %s', (_what, min, max, want) => {
  expect([1_000, 2_000, 4_000, 60_000].map((milli) => scaledConcurrency(min, max, milli))).toEqual(want)
  // A part of a core counts as a whole one, and there are never fewer or more than these.
  expect([1, 1_001, 100_000].map((milli) => scaledConcurrency(min, max, milli))).toEqual([min, want[1], max])
})
