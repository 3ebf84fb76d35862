import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { Pace } from '../../../src/embedded/pace.ts'

/** Which turn of the event loop each of the calls is let in, all made at once. */
async function turnsOf(clock: VirtualClock, units: readonly number[]): Promise<readonly number[]> {
  const pace = new Pace(clock)
  let turn = 0
  const count = (): void => {
    turn += 1
    if (turn < 100) setImmediate(count)
  }
  setImmediate(count)
  return Promise.all(
    units.map(async (each) => {
      await pace.enter(each)
      return turn
    }),
  )
}

test('calls are let in in their order, so much work per turn of the event loop', async () => {
  const turns = await turnsOf(
    new VirtualClock(),
    Array.from({ length: 40 }, () => 8),
  )
  expect(turns).toEqual(turns.toSorted((a, b) => a - b))
  expect(new Set(turns).size).toBe(5)
  expect(turns.filter((turn) => turn === 0)).toHaveLength(8)
})

test('a call that is more than a turn of its own still comes in', async () => {
  const turns = await turnsOf(new VirtualClock(), [1_000, 1_000, 1_000])
  expect(new Set(turns).size).toBe(3)
})

test('the clock stands until all are let in', async () => {
  const clock = new VirtualClock()
  const pace = new Pace(clock)
  const seen: number[] = []
  clock.schedule(1_000, () => {
    for (let call = 0; call < 100; call += 1) {
      void Promise.resolve(pace.enter(8)).then(() => seen.push(clock.monotonicMs()))
    }
  })
  clock.schedule(1_001, () => undefined)
  await clock.run({ forMs: 5_000 })
  expect(seen).toEqual(Array.from({ length: 100 }, () => 1_000))
})

test('the next timer begins with a full measure', async () => {
  const clock = new VirtualClock()
  const pace = new Pace(clock)
  const waited: boolean[] = []
  for (let second = 0; second < 40; second += 1) {
    clock.schedule(1_000 * second, () => {
      for (let call = 0; call < 8; call += 1) waited.push(pace.enter(8) !== undefined)
    })
  }
  await clock.run({ forMs: 60_000 })
  expect(waited).toEqual(Array.from({ length: 320 }, () => false))
})

test('without a clock to stop nothing waits', () => {
  const pace = new Pace(undefined)
  expect([1, 2, 3].map(() => pace.enter(1_000))).toEqual([undefined, undefined, undefined])
})
