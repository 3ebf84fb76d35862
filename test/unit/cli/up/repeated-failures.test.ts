import { expect, test } from 'vitest'
import { tellLogLine } from '../../../../src/cli/demo/view.ts'
import { repeatedFailures } from '../../../../src/cli/up/repeated-failures.ts'

const minute = 60_000
const startMs = Date.parse('2026-01-01T00:00:00Z')

function told(seconds: number, entry: Record<string, unknown>) {
  const line = tellLogLine(JSON.stringify({ time: new Date(startMs + 1_000 * seconds), ...entry }), startMs)
  if (line === undefined) throw new Error('this is told')
  return line
}

const failed = (seconds: number, error = 'no instance type has enough resources') =>
  told(seconds, { level: 'ERROR', controller: 'provisioner', message: 'could not schedule pod', error })

test('a failure that goes on is told once in five minutes, whenever it happened', () => {
  const isWorthTelling = repeatedFailures()
  expect(isWorthTelling(failed(29), 0)).toBe(true)
  expect(isWorthTelling(failed(5_048), 5 * minute - 1)).toBe(false)
  expect(isWorthTelling(failed(8_648), 5 * minute)).toBe(true)
})

test('another failure is told at once, and so is all that is none, each time', () => {
  const isWorthTelling = repeatedFailures()
  expect(isWorthTelling(failed(29), 0)).toBe(true)
  expect(isWorthTelling(failed(30, 'the limits are reached'), 0)).toBe(true)
  const planned = told(30, { message: 'computed new nodeclaim(s) to fit pod(s)', nodeclaims: 1, pods: 1 })
  expect([isWorthTelling(planned, 0), isWorthTelling(planned, 0)]).toEqual([true, true])
})
