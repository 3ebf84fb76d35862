import { describe, expect, test } from 'vitest'
import { aGuard, minute } from './a-guard.ts'

test.each(['reset', 'forget'] as const)('a pool that failed has a first launch again after `%s`', (what) => {
  const { guard, admit, fail } = aGuard()
  fail(30, 'capacity', 'static')
  expect(admit(5, 'static')).toBe(0)
  guard[what]('static')
  expect(admit(5, 'static')).toBe(1)
})

test('neither claims that are gone nor those that were on their way out when they were first seen are waited for', () => {
  const { guard, admit, claim } = aGuard()
  for (let index = 0; index < 20; index += 1) {
    const { metadata, ...leaving } = claim()
    guard.observe({ ...leaving, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })
    const lost = claim()
    guard.observe(lost)
    guard.gone(lost.metadata.uid)
  }
  expect(admit(20)).toBe(20)
})

test.each([
  ['launch', ['Launched']],
  ['initialization', ['Launched', 'Registered', 'Initialized']],
] as const)('a node that gets past the stage %s closes a breaker that opened for it', (stage, reached) => {
  const { guard, fail, claim } = aGuard()
  fail(3, stage)
  const tried = claim()
  guard.observe(tried)
  expect(guard.breakers.ofPool('general')?.stage).toBe(stage)
  guard.observe(claim(reached, 'general', tried.metadata.uid))
  expect(guard.breakers.ofPool('general')).toBeUndefined()
})

test.each([
  ['capacity', ['Launched']],
  ['registration', ['Launched', 'Registered']],
  ['initialization', ['Launched', 'Registered', 'Initialized']],
] as const)('what an older node has reached before tells nothing of the stage %s', (stage, reached) => {
  const { guard, fail, claim } = aGuard()
  const older = claim()
  const now = claim(reached, 'general', older.metadata.uid)
  if (stage !== 'initialization') guard.observe(older)
  guard.observe(now)
  fail(3, stage)
  guard.observe(now)
  guard.observe(now)
  expect(guard.breakers.ofPool('general')?.stage).toBe(stage)
})

test('a node that was tried, did not initialize and stays keeps no other from being tried', async () => {
  const { guard, fail, claim, admit, pass } = aGuard()
  fail(3, 'initialization')
  await pass(minute)
  const tried = claim()
  expect(admit(1)).toBe(1)
  guard.written(tried)
  guard.failed(claim(['Launched', 'Registered'], 'general', tried.metadata.uid), 'initialization', 'because')
  expect(admit(1)).toBe(0)
  await pass(2 * minute)
  expect(admit(1)).toBe(1)
})

describe('after a restart', () => {
  const memory = { message: 'because', forMs: 0 }

  test('a pool whose nodes do not register says nothing of the others, two of them do', () => {
    const { guard, admit } = aGuard()
    guard.restore('a', { ...memory, stage: 'registration' })
    expect([guard.ofPool('c'), admit(1, 'c')]).toEqual([[], 1])
    guard.restore('b', { ...memory, stage: 'registration' })
    expect(guard.ofPool('c')[0]?.message).toMatch(/^all NodePools: because/)
    expect(admit(1, 'c')).toBe(0)
  })

  test.each([
    ['capacity', 1],
    ['launch', 1],
    ['initialization', 5],
  ] as const)('into trouble of the stage %s, of five launches of another pool %d may begin', (stage, want) => {
    const { guard, admit } = aGuard()
    guard.restore('a', { ...memory, stage })
    expect(admit(5, 'c')).toBe(want)
  })

  test('what is known by then of a pool counts for more than what its condition says', () => {
    const { guard, fail } = aGuard()
    fail(3, 'registration')
    const known = guard.breakers.ofPool('general')
    guard.restore('general', { ...memory, stage: 'launch' })
    expect(guard.breakers.ofPool('general')).toEqual(known)
  })
  test('a node that had joined before the breaker opened is no try of it', async () => {
    const { guard, claim, pass } = aGuard()
    await pass(30 * minute)
    guard.restore('general', { stage: 'initialization', message: 'because', forMs: 20 * minute })
    const before = guard.breakers.ofPool('general')
    guard.failed(claim(['Launched', 'Registered']), 'initialization', 'the startup taint is still there')
    expect(guard.breakers.ofPool('general')).toEqual(before)
    const { metadata, ...tried } = claim(['Launched', 'Registered'])
    guard.failed(
      { ...tried, metadata: { ...metadata, creationTimestamp: '2026-01-01T00:15:00Z' } },
      'initialization',
      '',
    )
    expect(guard.breakers.ofPool('general')?.failedTries).toBe((before?.failedTries ?? 0) + 1)
  })
})
