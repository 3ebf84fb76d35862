import { expect, test } from 'vitest'
import { type LaunchOutcome, OutcomeBuffer } from '../../../../src/controllers/nodepool/outcome-buffer.ts'

function after(...outcomes: readonly LaunchOutcome[]): OutcomeBuffer {
  const buffer = new OutcomeBuffer()
  for (const outcome of outcomes) buffer.record(outcome)
  return buffer
}

test('two failures of the last four are too many, one is not, and of nothing nothing is known', () => {
  expect(after().health).toBe('unknown')
  expect(after('failure').health).toBe('healthy')
  expect(after('failure', 'failure').health).toBe('unhealthy')
  expect(after('failure', 'success', 'success', 'success').health).toBe('healthy')
  expect(after('failure', 'failure', 'success', 'success', 'success').health).toBe('healthy')
})

test('what would come next is asked without being remembered', () => {
  const buffer = after('failure')
  expect(buffer.healthWith('failure')).toBe('unhealthy')
  expect(buffer.health).toBe('healthy')
})

test('once all places are taken the question puts the next one in the first place, the memory in the oldest', () => {
  const buffer = after('success', 'failure', 'success', 'success', 'failure')
  expect(buffer.health).toBe('unhealthy')
  expect(buffer.healthWith('success')).toBe('healthy')
  buffer.record('failure')
  expect(buffer.health).toBe('unhealthy')
  buffer.record('success')
  buffer.record('success')
  expect(buffer.health).toBe('unhealthy')
  buffer.record('success')
  expect(buffer.health).toBe('healthy')
})
