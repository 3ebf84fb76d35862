import { expect, test } from 'vitest'
import { retried } from '../../../src/controllers/retry.ts'
import { isConflict, KubeError } from '../../../src/kube/errors.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const conflict = new KubeError('Conflict', 409, 'the object has been modified')

/** A call that fails so often, and when it was made. */
function aCall(clock: ManualClock, failures: number, error: unknown = conflict) {
  const triedAt: number[] = []
  const call = async () => {
    triedAt.push(clock.now())
    if (triedAt.length <= failures) throw error
    return 'done'
  }
  return { call, triedAt }
}

test('a call that fails for a moment is made again after 10, 50 and 250 ms', async () => {
  const clock = new ManualClock(0)
  const { call, triedAt } = aCall(clock, 3)
  const result = retried(call, { clock, isWorthIt: isConflict })
  for (const waitMs of [10, 50, 250]) await clock.advance(waitMs)
  expect(await result).toBe('done')
  expect(triedAt).toEqual([0, 10, 60, 310])
})

test('one that fails four times has failed', async () => {
  const clock = new ManualClock(0)
  const { call, triedAt } = aCall(clock, 4)
  const result = expect(retried(call, { clock, isWorthIt: isConflict })).rejects.toBe(conflict)
  for (const waitMs of [10, 50, 250]) await clock.advance(waitMs)
  await result
  expect(triedAt).toHaveLength(4)
})

test('what another try does not mend is not tried again', async () => {
  const clock = new ManualClock(0)
  const { call, triedAt } = aCall(clock, 1, new KubeError('Forbidden', 403, 'no'))
  await expect(retried(call, { clock, isWorthIt: isConflict })).rejects.toThrow('no')
  expect(triedAt).toEqual([0])
})

test('who is to stop does not wait for the next try', async () => {
  const clock = new ManualClock(0)
  const stop = new AbortController()
  const { call, triedAt } = aCall(clock, 4)
  const result = expect(retried(call, { clock, isWorthIt: isConflict, signal: stop.signal })).rejects.toThrow('stop')
  stop.abort(new Error('stop'))
  await result
  expect(triedAt).toEqual([0])
})
