import { expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/kube/system-clock.ts'

test('who gives up a turn goes on in the next one, after what was waiting, and takes no timer', async () => {
  const clock = systemClock()
  const order: string[] = []
  const timers = vi.spyOn(globalThis, 'setTimeout')
  setImmediate(() => order.push('what was waiting'))
  await clock.sleep(0)
  order.push('the next turn')
  expect(order).toEqual(['what was waiting', 'the next turn'])
  expect(timers).not.toHaveBeenCalled()
  timers.mockRestore()
})

test('what is cancelled, or whose signal is aborted, does not come', async () => {
  const clock = systemClock()
  let came = 0
  for (const ms of [0, 1]) clock.schedule(ms, () => (came += 1)).cancel()
  const stop = new AbortController()
  const sleeping = clock.sleep(0, stop.signal)
  stop.abort(new Error('stop'))
  await expect(sleeping).rejects.toThrow('stop')
  await clock.sleep(5)
  expect(came).toBe(0)
})
