import { expect, test } from 'vitest'
import { defaultStartMs, StillTimeError, VirtualClock } from '../../../src/embedded/clock.ts'
import { processorMs } from '../../support/processor-time.ts'

test('time passes only in run, and a sleeper wakes at its time', async () => {
  const clock = new VirtualClock({ startMs: 1_000 })
  const seen: number[] = []
  void clock.sleep(500).then(() => seen.push(clock.now()))
  await Promise.resolve()
  expect(clock.now()).toBe(1_000)
  await clock.run({ forMs: 499 })
  expect(seen).toEqual([])
  await clock.run({ forMs: 1 })
  expect(seen).toEqual([1_500])
})

test('timers fire by time, then by the order in which they were scheduled', async () => {
  const clock = new VirtualClock()
  const order: string[] = []
  clock.schedule(20, () => order.push('late'))
  clock.schedule(10, () => order.push('first'))
  clock.schedule(10, () => order.push('second'))
  clock.schedule(5, () => clock.schedule(5, () => order.push('third')))
  await clock.run({ forMs: 20 })
  expect(order).toEqual(['first', 'second', 'third', 'late'])
})

test('a chain of promises is followed to its end before time moves on', async () => {
  const clock = new VirtualClock()
  let at = 0
  void (async () => {
    for (let index = 0; index < 1_000; index += 1) await Promise.resolve()
    at = clock.monotonicMs()
  })()
  clock.schedule(1, () => undefined)
  await clock.run({ forMs: 1 })
  expect(at).toBe(0)
})

test('a cancelled timer never fires and cancelling twice is harmless', async () => {
  const clock = new VirtualClock()
  let fired = false
  const timer = clock.schedule(10, () => {
    fired = true
  })
  timer.cancel()
  timer.cancel()
  await clock.run({ forMs: 100 })
  expect(fired).toBe(false)
  expect(clock.pending).toBe(0)
})

test('an aborted sleep rejects with the reason of the signal', async () => {
  const clock = new VirtualClock()
  const abort = new AbortController()
  const sleeping = clock.sleep(1_000, abort.signal)
  abort.abort(new Error('stop'))
  await expect(sleeping).rejects.toThrow('stop')
  await expect(clock.sleep(1, abort.signal)).rejects.toThrow('stop')
  expect(clock.pending).toBe(0)
})

test('run until a predicate stops at the instant it holds, or at the end of the wait', async () => {
  const clock = new VirtualClock({ startMs: 0 })
  let ready = false
  clock.schedule(700, () => {
    ready = true
  })
  expect(await clock.run({ until: () => ready, withinMs: 10_000 })).toBe(true)
  expect(clock.now()).toBe(700)
  expect(await clock.run({ until: () => false, withinMs: 300 })).toBe(false)
  expect(clock.now()).toBe(1_000)
})

test('run until a time stops there', async () => {
  const clock = new VirtualClock()
  expect(await clock.run({ untilMs: defaultStartMs + 60_000 })).toBe(true)
  expect(clock.now()).toBe(defaultStartMs + 60_000)
})

test('held time stands still until the real work is done', async () => {
  const clock = new VirtualClock()
  let at = -1
  const work = Promise.withResolvers<void>()
  void clock.hold(work.promise).then(() => {
    at = clock.monotonicMs()
  })
  const running = clock.run({ forMs: 1_000 })
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(clock.monotonicMs()).toBe(0)
  work.resolve()
  await running
  expect(at).toBe(0)
  expect(clock.monotonicMs()).toBe(1_000)
})

test('a jump moves the wall clock and leaves the monotonic one', async () => {
  const clock = new VirtualClock({ startMs: 10_000 })
  clock.jump(-4_000)
  await clock.run({ forMs: 1_000 })
  expect(clock.now()).toBe(7_000)
  expect(clock.monotonicMs()).toBe(1_000)
})

test('the longest block of the event loop is measured', async () => {
  const clock = new VirtualClock()
  clock.schedule(1, () => {
    const end = performance.now() + 15
    while (performance.now() < end) Math.sqrt(2)
  })
  await clock.run({ forMs: 2 })
  expect(clock.longestBlockMs).toBeGreaterThanOrEqual(10)
})

test('timers that re-arm without delay are found out', async () => {
  const clock = new VirtualClock({ timersPerInstantMax: 100 })
  const again = () => {
    clock.schedule(0, again)
  }
  again()
  await expect(clock.run({ forMs: 1 })).rejects.toThrow(StillTimeError)
})

test('a paced clock flows with the real one, times its speed', async () => {
  const clock = new VirtualClock({ startMs: 0 })
  const stop = new AbortController()
  const fired: number[] = []
  clock.schedule(60_000, () => fired.push(clock.monotonicMs()))
  clock.schedule(120_000, () => stop.abort())
  const before = performance.now()
  await clock.pace(10_000, stop.signal)
  expect(performance.now() - before).toBeGreaterThanOrEqual(10)
  expect(fired[0]).toBeGreaterThanOrEqual(60_000)
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(120_000)
})

test('an hour of a timer each second passes within a second', async () => {
  const clock = new VirtualClock()
  let ticks = 0
  const tick = () => {
    ticks += 1
    clock.schedule(1_000, tick)
  }
  clock.schedule(1_000, tick)
  expect(await processorMs(() => clock.run({ forMs: 3_600_000 }))).toBeLessThan(1_000)
  expect(ticks).toBe(3_600)
})

test('a paced clock that falls behind lets nothing overtake what was due earlier', async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const seen: number[] = []
  for (const due of [1_000, 20_000, 400_000]) {
    clock.schedule(due, () => {
      seen.push(clock.monotonicMs())
      if (due === 400_000) stop.abort()
      // Keeps the process busy for far longer than the next timer is away.
      const until = performance.now() + 5
      while (performance.now() < until);
    })
  }
  await clock.pace(1_000_000, stop.signal)
  const [first = 0, second = 0] = seen
  expect(first).toBeLessThanOrEqual(20_000)
  expect(second).toBeLessThanOrEqual(400_000)
  expect(seen).toHaveLength(3)
})

test('on a paced clock two who wait for the rest of a span, however little, do not hold each other up for ever', async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const looks = [0, 0]
  const look = (who: 0 | 1): void => {
    looks[who] = (looks[who] ?? 0) + 1
    const rest = 1_000 - clock.monotonicMs()
    if (rest <= 0 || looks[who] >= 10_000) stop.abort()
    // As a controller does whose interval is nearly over: added to the time so far, this is lost.
    else clock.schedule(1e-20, () => look(who))
  }
  clock.schedule(0.1, () => look(0))
  clock.schedule(0.1, () => look(1))
  await clock.pace(1_000, stop.signal)
  expect(Math.max(...looks)).toBeLessThan(10_000)
})
