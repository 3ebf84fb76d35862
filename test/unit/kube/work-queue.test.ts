import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { WorkQueue } from '../../../src/kube/work-queue.ts'

const a = { name: 'a' }
const b = { name: 'b' }

function world(limit = { baseMs: 100, maxMs: 1_000 }) {
  const clock = new VirtualClock()
  const queue = new WorkQueue(clock, limit)
  return { clock, queue }
}

test('a key that waits is not added twice', () => {
  const { queue } = world()
  queue.add(a)
  queue.add(b)
  queue.add(a)
  expect([queue.take(), queue.take(), queue.take()]).toEqual([a, b, undefined])
})

test('a key added while it is worked on comes back when that is done, and not before', () => {
  const { queue } = world()
  queue.add(a)
  queue.take()
  queue.add(a)
  queue.add(a)
  expect(queue.take()).toBeUndefined()
  queue.done(a)
  expect(queue.take()).toEqual(a)
  queue.done(a)
  expect(queue.take()).toBeUndefined()
})

test('keys of one name in two namespaces are two', () => {
  const { queue } = world()
  queue.add({ namespace: 'x', name: 'a' })
  queue.add({ namespace: 'y', name: 'a' })
  expect(queue.length).toBe(2)
})

test('of delayed additions the earliest counts', async () => {
  const { clock, queue } = world()
  queue.addAfter(a, 500)
  queue.addAfter(a, 200)
  queue.addAfter(a, 900)
  await clock.run({ forMs: 199 })
  expect(queue.length).toBe(0)
  await clock.run({ forMs: 1 })
  expect(queue.take()).toEqual(a)
  queue.done(a)
  await clock.run({ forMs: 2_000 })
  expect(queue.length).toBe(0)
})

test('failures wait twice as long each time, up to a limit, until they are forgotten', async () => {
  const { clock, queue } = world()
  const waitOf = async () => {
    queue.addRateLimited(a)
    const before = clock.monotonicMs()
    await clock.run({ until: () => queue.length > 0, withinMs: 10_000 })
    queue.take()
    queue.done(a)
    return clock.monotonicMs() - before
  }
  const waits = []
  for (let i = 0; i < 6; i++) waits.push(await waitOf())
  expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000])
  queue.forget(a)
  expect(await waitOf()).toBe(100)
})

test('keys that failed together come back one by one, none before its time and none much later', async () => {
  const clock = new VirtualClock()
  const queue = new WorkQueue(clock, { baseMs: 100, maxMs: 1_000 }, { random: new SeededRandom(1) })
  const keys = Array.from({ length: 20 }, (_, index) => ({ name: `key-${index}` }))
  const backAt: number[] = []
  queue.whenReady(() => void backAt.push(clock.monotonicMs()))
  for (const key of keys) queue.addRateLimited(key)
  await clock.run({ forMs: 1_000 })
  expect(backAt).toHaveLength(keys.length)
  expect(Math.min(...backAt)).toBeGreaterThanOrEqual(100)
  expect(Math.max(...backAt)).toBeLessThanOrEqual(150)
  expect(new Set(backAt).size).toBeGreaterThan(10)
})

test('beyond the burst all keys together wait for tokens', async () => {
  const clock = new VirtualClock()
  const queue = new WorkQueue(clock, { baseMs: 1, maxMs: 1, perSecond: 10, burst: 2 })
  for (const name of ['a', 'b', 'c', 'd']) queue.addRateLimited({ name })
  await clock.run({ forMs: 50 })
  expect(queue.length).toBe(2)
  await clock.run({ forMs: 50 })
  expect(queue.length).toBe(3)
  await clock.run({ forMs: 100 })
  expect(queue.length).toBe(4)
})

test('a closed queue gives out nothing and leaves no timers', async () => {
  const { clock, queue } = world()
  queue.add(a)
  queue.addAfter(b, 100)
  queue.close()
  queue.add(b)
  expect(queue.take()).toBeUndefined()
  expect(clock.pending).toBe(0)
})

test('a key that is added again while it waits is counted once, and has waited since the first time', async () => {
  const clock = new VirtualClock()
  const waited: number[] = []
  let added = 0
  const observer = {
    added: () => void (added += 1),
    retried: () => undefined,
    depth: () => undefined,
    taken: (seconds: number) => void waited.push(seconds),
    finished: () => undefined,
  }
  const queue = new WorkQueue(clock, { baseMs: 100, maxMs: 1_000 }, { observer })
  queue.add(a)
  await clock.run({ forMs: 4_000 })
  queue.add(a)
  await clock.run({ forMs: 1_000 })
  queue.take()
  queue.add(a)
  queue.add(a)
  expect({ added, waited }).toEqual({ added: 2, waited: [5] })
})

test('a key that is looked at every so often waits as long again while there is nothing to do', async () => {
  const { clock, queue } = world()
  let isStill = true
  queue.addAfter(a, 500, () => isStill)
  await clock.run({ forMs: 1_400 })
  isStill = false
  expect(queue.length).toBe(0)
  await clock.run({ forMs: 99 })
  expect(queue.length).toBe(0)
  await clock.run({ forMs: 1 })
  expect(queue.take()).toEqual(a)
})

test('whoever adds a key later says when it may go on waiting, and the earliest time still counts', async () => {
  const { clock, queue } = world()
  queue.addAfter(a, 500, () => true)
  await clock.run({ forMs: 100 })
  queue.addAfter(a, 900)
  await clock.run({ forMs: 400 })
  expect(queue.take()).toEqual(a)
})

test('a queue that is closed lets go of keys that go on waiting', async () => {
  const { clock, queue } = world()
  queue.addAfter(a, 500, () => true)
  await clock.run({ forMs: 1_200 })
  queue.close()
  expect(clock.pending).toBe(0)
})
