import { describe, expect, test } from 'vitest'
import { LaunchGuard } from '../../../../src/controllers/launches/index.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { guardDefaults } from '../../../support/controller-world.ts'
import { aGuard, minute } from './a-guard.ts'

test('a small scale-up goes at once, the rest of a large one when the first nodes have been launched', () => {
  const { guard, admit, claim } = aGuard()
  const released: string[] = []
  guard.onRelease(() => released.push('released'))
  expect(admit(50)).toBe(20)
  const young = Array.from({ length: 20 }, () => claim())
  for (const each of young) guard.written(each)
  expect(admit(30)).toBe(0)
  expect(released).toEqual([])
  for (const { metadata } of young) guard.observe(claim(['Launched'], 'general', metadata.uid))
  expect(released).toEqual(['released'])
  expect(admit(30)).toBe(30)
})

test('a claim that could not be written gives its place back', () => {
  const { guard, admit } = aGuard()
  expect(admit(20)).toBe(20)
  expect(admit(1)).toBe(0)
  guard.notWritten()
  expect(admit(1)).toBe(1)
})

test('a pool that never succeeds leaves the others a launch at a time', () => {
  const { guard, admit, claim, fail, launch } = aGuard()
  fail(30, 'capacity', 'static')
  expect(admit(5, 'static')).toBe(0)
  expect(admit(5)).toBe(1)
  const tried = claim()
  guard.written(tried)
  expect(admit(5)).toBe(0)
  guard.failed(tried, 'capacity', 'none here either')
  expect(admit(5)).toBe(0)
  launch('other')
  fail(30, 'capacity', 'static')
  launch()
  fail(30, 'capacity', 'static')
  expect([admit(5, 'static'), admit(5)]).toEqual([0, 1])
})

test('a claim that nobody hears of again does not hold its place for ever', async () => {
  const { guard, admit, claim, pass } = aGuard()
  expect(admit(20)).toBe(20)
  for (let index = 0; index < 20; index += 1) guard.written(claim())
  expect(admit(1)).toBe(0)
  await pass(31 * minute)
  expect(admit(1)).toBe(1)
})

describe('a lack of capacity', () => {
  test('opens the breaker, which holds moves, but leaves other types and zones of the pool to launches', () => {
    const { guard, fail, admit } = aGuard()
    fail(3, 'capacity')
    expect(guard.hold('general', 'Underutilized')?.code).toBe('CircuitOpen')
    expect(guard.hold('general', 'Drifted')?.message).toContain('3 in a row: launches found no capacity: because')
    expect(guard.heldPools(['general', 'other'])).toEqual(new Map())
    expect(admit(5)).toBe(5)
  })

  test('holds neither another pool nor empty nodes', () => {
    const { guard, fail } = aGuard()
    fail(3, 'capacity')
    expect(guard.hold('other', 'Drifted')).toBeUndefined()
    expect(guard.hold('general', 'Empty')).toBeUndefined()
    expect(guard.limit('general', 'Empty')).toBeUndefined()
  })

  test('ends with the first launch', () => {
    const { guard, fail, launch } = aGuard()
    fail(3, 'capacity')
    launch()
    expect(guard.hold('general', 'Drifted')).toBeUndefined()
    expect(guard.limit('general', 'Drifted')).toBeUndefined()
  })
})

describe('nodes that do not register', () => {
  test('keep the pool from opening more, until one may try', async () => {
    const { guard, fail, admit, pass } = aGuard()
    fail(3, 'registration')
    expect([...guard.heldPools(['general', 'other']).keys()]).toEqual(['general'])
    expect(admit(4)).toBe(0)
    expect(admit(4, 'other')).toBe(4)
    await pass(minute)
    expect(guard.heldPools(['general'])).toEqual(new Map())
    expect(admit(4)).toBe(1)
  })

  test('while the one is on its way no other follows, and its failure doubles the wait', async () => {
    const { guard, fail, claim, admit, pass } = aGuard()
    fail(3, 'registration')
    await pass(minute)
    expect(admit(1)).toBe(1)
    const probe = claim()
    guard.written(probe)
    guard.observe(claim(['Launched'], 'general', probe.metadata.uid))
    expect(admit(1)).toBe(0)
    expect(guard.hold('general', 'Drifted')).toBeDefined()
    guard.failed(probe, 'registration', 'again')
    guard.gone(probe.metadata.uid)
    await pass(2 * minute - 1)
    expect(admit(1)).toBe(0)
    await pass(1)
    expect(admit(1)).toBe(1)
  })

  test('neither one that was on its way before nor one of another pool is the one that tries', async () => {
    const { fail, launch, admit, pass } = aGuard()
    launch()
    await pass(1_000)
    fail(3, 'registration')
    launch('other')
    await pass(minute)
    expect(admit(1)).toBe(1)
    launch()
    expect(admit(1)).toBe(0)
  })

  test('one that registers closes the breaker', async () => {
    const { guard, fail, claim, admit, pass } = aGuard()
    fail(3, 'registration')
    await pass(minute)
    expect(admit(1)).toBe(1)
    const probe = claim()
    guard.written(probe)
    guard.observe(claim(['Launched', 'Registered'], 'general', probe.metadata.uid))
    expect(guard.ofPool('general')).toEqual([])
    expect(admit(5)).toBe(5)
  })

  test('are forgotten when the pool is changed', () => {
    const { guard, fail, admit } = aGuard()
    fail(3, 'registration')
    guard.reset('general')
    expect(admit(5)).toBe(5)
  })

  test('one node of the pool at a time may be replaced once it may be tried', async () => {
    const { guard, fail, pass } = aGuard()
    fail(3, 'registration')
    expect(guard.hold('general', 'Drifted')?.code).toBe('CircuitOpen')
    await pass(minute)
    expect(guard.hold('general', 'Drifted')).toBeUndefined()
    expect(guard.limit('general', 'Drifted')).toBe(1)
  })

  test('consolidation, which can wait, tries an hour later than what must come anyway', async () => {
    const { guard, fail, pass } = aGuard()
    fail(3, 'registration')
    const held = guard.hold('general', 'Underutilized')?.message
    await pass(minute)
    expect(guard.hold('general', 'Drifted')).toBeUndefined()
    expect(guard.hold('general', 'Underutilized')?.message).toBe(held)
    await pass(60 * minute - 1)
    expect(guard.hold('general', 'Underutilized')?.code).toBe('CircuitOpen')
    await pass(1)
    expect(guard.hold('general', 'Underutilized')).toBeUndefined()
    expect(guard.limit('general', 'Underutilized')).toBe(1)
  })
})

test('pools that fail together hold the others too', () => {
  const { guard, fail } = aGuard()
  fail(2, 'registration', 'a')
  fail(1, 'registration', 'b')
  expect(guard.ofPool('c')).toHaveLength(1)
  expect(guard.ofPool('c')[0]?.message).toMatch(/^all NodePools: 3 in a row: nodes did not register/)
  expect(guard.hold('c', 'Underutilized')?.code).toBe('CircuitOpen')
})

test('what is changed of a pool lets the others try again, too', () => {
  const { guard, fail, admit } = aGuard()
  fail(2, 'registration', 'a')
  fail(1, 'registration', 'b')
  expect(admit(1, 'c')).toBe(0)
  guard.reset('a')
  expect(guard.ofPool('c')).toEqual([])
  expect(admit(1, 'c')).toBe(1)
})

test('moves that leave pods which are not ready hold further moves, and no launch, as only another move could tell that it is over', () => {
  const { guard, admit, leave } = aGuard()
  for (let index = 0; index < 3; index += 1) guard.moved(leave(), false, 'default/web-1')
  expect(guard.ofPool('general')[0]).toEqual({
    reason: 'CircuitOpen',
    message: expect.stringContaining('moves left pods that are not ready: default/web-1 (PodsNotReady)'),
  })
  expect(guard.hold('general', 'Drifted')?.code).toBe('CircuitOpen')
  expect(guard.heldPools(['general'])).toEqual(new Map())
  expect(admit(5)).toBe(5)
})

test('while moves leave pods that are not ready one node at a time moves, until it is known what has become of its pods', async () => {
  const { guard, leave, launch, pass } = aGuard()
  const isHeld = (aboutToMove: readonly string[] = []): boolean =>
    guard.hold('general', 'Drifted', new Set(aboutToMove)) !== undefined
  const before = Array.from({ length: 5 }, () => leave())
  await pass(10 * minute)
  for (const uid of before) guard.moved(uid, false, 'default/web-1')
  // The last two began before anybody knew, and tried nothing.
  expect(guard.breakers.ofPool('general')).toMatchObject({ failedTries: 0, retryAt: 11 * minute })
  await pass(minute)
  // A node for pods that wait tries nothing either.
  launch()
  expect(isHeld()).toBe(false)
  expect(isHeld(['general'])).toBe(true)
  expect(isHeld(['other'])).toBe(false)
  const tried = leave()
  expect(isHeld()).toBe(true)
  expect(guard.hold('general', 'Empty')).toBeUndefined()
  await pass(10 * minute)
  expect(isHeld()).toBe(true)
  guard.moved(tried, false, 'default/web-1')
  expect(guard.breakers.ofPool('general')).toMatchObject({ failedTries: 1, retryAt: 23 * minute })
  await pass(2 * minute)
  leave()
  expect(isHeld()).toBe(true)
  // Its drain does not end.
  await pass(60 * minute)
  expect(isHeld()).toBe(false)
  guard.moved(leave(), true, '')
  expect(guard.breakers.ofPool('general')).toBeUndefined()
})

test('a failure is counted once for each claim', () => {
  const { guard, claim } = aGuard()
  const young = claim()
  guard.observe(young)
  for (let index = 0; index < 5; index += 1) guard.failed(young, 'launch', '')
  expect(guard.ofPool('general')).toEqual([])
})

test('a node that joined and stays uninitialized is counted once, however long it stays', async () => {
  const { guard, claim, admit, pass } = aGuard()
  const stuck = Array.from({ length: 4 }, () => claim(['Launched', 'Registered']))
  for (const each of stuck) guard.observe(claim([], 'general', each.metadata.uid))
  await pass(10 * minute)
  for (const each of stuck) guard.failed(each, 'initialization', 'the startup taint is still there')
  await pass(30 * minute)
  admit(1)
  for (const each of stuck) guard.failed(each, 'initialization', 'the startup taint is still there')
  expect(guard.breakers.ofPool('general')).toMatchObject({ failedTries: 0, retryAt: 11 * minute })
  guard.reset('general')
  for (const each of stuck) guard.failed(each, 'initialization', 'the startup taint is still there')
  expect(guard.breakers.ofPool('general')).toBeUndefined()
})

test('a wall clock that jumps neither ends a back-off nor prolongs it', async () => {
  const { clock, fail, admit, pass } = aGuard()
  fail(3, 'registration')
  clock.jump(60 * minute)
  expect(admit(1)).toBe(0)
  clock.jump(-120 * minute)
  await pass(minute)
  expect(admit(1)).toBe(1)
})

test('thresholds of zero switch breakers and budget off', () => {
  const settings = { breaker: { ...guardDefaults.breaker, failuresInARow: 0 }, budget: { size: 0, refillMs: 1 } }
  const guard = new LaunchGuard(new VirtualClock(), settings)
  for (let index = 0; index < 40; index += 1) {
    const { claim } = aGuard()
    const young = claim([], 'default', String(index))
    guard.observe(young)
    guard.failed(young, 'registration', '')
  }
  expect(guard.ofPool('default')).toEqual([])
  expect(guard.admit(Array.from({ length: 500 }, () => ({ nodePool: 'default' }))).admitted).toHaveLength(500)
})
