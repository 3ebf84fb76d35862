import { describe, expect, test } from 'vitest'
import { SteadyMoments } from '../../../src/controllers/steady-moments.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'

const minute = 60_000

function world() {
  const clock = new VirtualClock()
  return { clock, moments: new SteadyMoments(clock), now: clock.now() }
}

test.each([5 * minute, -5 * minute])(
  'a moment goes along when the wall clock is set by %i ms, and back',
  async (setMs) => {
    const { clock, moments, now } = world()
    expect(moments.onWallClock('a', now)).toBe(now)
    await clock.run({ forMs: minute })
    clock.jump(setMs)
    await clock.run({ forMs: minute })
    expect(clock.now() - moments.onWallClock('a', now)).toBe(2 * minute)
    clock.jump(-setMs)
    expect(moments.onWallClock('a', now)).toBe(now)
  },
)

test('what is first seen after the clock was set is taken as it stands', () => {
  const { clock, moments, now } = world()
  clock.jump(minute)
  expect(moments.onWallClock('a', now)).toBe(now)
})

describe('of what has begun', () => {
  test('one that lies ahead, as a clock that was ahead wrote it, counts from when it was first asked for', async () => {
    const { clock, moments, now } = world()
    const ahead = now + 60 * minute
    expect(moments.begun('a', ahead)).toBe(now)
    await clock.run({ forMs: minute })
    expect(moments.begun('a', ahead)).toBe(now)
    clock.jump(5 * minute)
    expect(moments.begun('a', ahead)).toBe(now + 5 * minute)
  })

  test('one that lies behind is taken as it stands', () => {
    const { moments, now } = world()
    expect(moments.begun('a', now - minute)).toBe(now - minute)
  })

  test('one that nobody wrote down counts from when it was first asked for, and anew in another state', async () => {
    const { clock, moments, now } = world()
    expect(moments.begun('a', undefined, 'False')).toBe(now)
    await clock.run({ forMs: minute })
    expect(moments.begun('a', undefined, 'False')).toBe(now)
    expect(moments.begun('a', undefined, 'True')).toBe(now + minute)
    await clock.run({ forMs: minute })
    expect(moments.begun('a', undefined, 'False')).toBe(now + 2 * minute)
  })

  test('one that is to come stays where it is', () => {
    const { moments, now } = world()
    expect(moments.onWallClock('a', now + minute)).toBe(now + minute)
  })
})

test('clocks that drift apart by less than a second are not set clocks', () => {
  const { clock, moments, now } = world()
  moments.onWallClock('a', now)
  clock.jump(999)
  expect(moments.onWallClock('a', now)).toBe(now)
})

test('another moment of the same key begins anew', async () => {
  const { clock, moments, now } = world()
  moments.onWallClock('a', now)
  clock.jump(minute)
  expect(moments.onWallClock('a', now + 1)).toBe(now + 1)
})

test('what nobody has asked for in an hour is forgotten, what is asked for is not', async () => {
  const { clock, moments, now } = world()
  moments.onWallClock('asked', now)
  moments.onWallClock('forgotten', now)
  await clock.run({ forMs: 50 * minute })
  moments.onWallClock('asked', now)
  await clock.run({ forMs: 50 * minute })
  moments.onWallClock('new', now)
  clock.jump(minute)
  expect(moments.onWallClock('asked', now)).toBe(now + minute)
  expect(moments.onWallClock('forgotten', now)).toBe(now)
})
