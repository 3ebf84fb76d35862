import { expect, test } from 'vitest'
import { repeatedFailures } from '../../../../src/cli/up/repeated-failures.ts'

const minute = 60_000
const failed = (at: string, why = 'no instance type has enough resources') =>
  `   ${at.padStart(8)}  error provisioner: could not schedule pod: ${why}`

test('a failure that goes on is told once in five minutes, whenever it happened', () => {
  const isWorthTelling = repeatedFailures()
  expect(isWorthTelling(failed('29s'), 0)).toBe(true)
  expect(isWorthTelling(failed('1h24m08s'), 5 * minute - 1)).toBe(false)
  expect(isWorthTelling(failed('2h24m08s'), 5 * minute)).toBe(true)
})

test('another failure is told at once, and so is all that is none, each time', () => {
  const isWorthTelling = repeatedFailures()
  expect(isWorthTelling(failed('29s'), 0)).toBe(true)
  expect(isWorthTelling(failed('30s', 'the limits are reached'), 0)).toBe(true)
  const planned = '        30s  planned 1 node(s) for 1 pod(s)'
  expect([isWorthTelling(planned, 0), isWorthTelling(planned, 0)]).toEqual([true, true])
})
