import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { ExpiringMap } from '../../../src/model/expiring-map.ts'

function aMap(sizeMax?: number) {
  const clock = new VirtualClock()
  const map = new ExpiringMap<string, string>({ clock, ttlMs: 1_000, ...(sizeMax === undefined ? {} : { sizeMax }) })
  return { map, pass: (ms: number) => clock.run({ forMs: ms }) }
}

test('a value counts until its time is over', async () => {
  const { map, pass } = aMap()
  map.set('a', 'x')
  await pass(999)
  expect(map.get('a')).toBe('x')
  await pass(1)
  expect(map.get('a')).toBeUndefined()
})

test('setting it anew begins its time anew', async () => {
  const { map, pass } = aMap()
  map.set('a', 'x')
  await pass(900)
  map.set('a', 'y')
  await pass(900)
  expect(map.get('a')).toBe('y')
})

test('asking for it may begin its time anew, too, and revives nothing', async () => {
  const { map, pass } = aMap()
  map.set('a', 'x')
  await pass(900)
  expect(map.renewed('a')).toBe('x')
  await pass(900)
  expect(map.get('a')).toBe('x')
  await pass(100)
  expect(map.renewed('a')).toBeUndefined()
})

test('what is over does not stay', async () => {
  const { map, pass } = aMap()
  for (let round = 0; round < 50; round += 1) {
    for (let index = 0; index < 1_000; index += 1) map.set(`${round}/${index}`, '')
    await pass(1_000)
  }
  expect(map.size).toBeLessThanOrEqual(2_048)
})

test('past its size the oldest goes', () => {
  const { map } = aMap(3)
  for (const key of ['a', 'b', 'c', 'a', 'd']) map.set(key, key)
  expect(['a', 'b', 'c', 'd'].map((key) => map.get(key))).toEqual(['a', undefined, 'c', 'd'])
})

describe('the map', () => {
  test('never returns what has expired, whether or not it was swept', async () => {
    const clock = new VirtualClock()
    const cache = new ExpiringMap<string, number>({ clock, ttlMs: 1_000 })
    cache.set('a', 1)
    cache.set('b', 2, 5_000)
    await clock.run({ forMs: 1_000 })
    expect([cache.get('a'), cache.get('b'), cache.entries()]).toEqual([undefined, 2, [['b', 2]]])
  })

  test('calls back for what expired, not for what was deleted, and needs no timer when empty', async () => {
    const clock = new VirtualClock()
    const expired: string[] = []
    const cache = new ExpiringMap<string, number>({
      clock,
      ttlMs: 1_000,
      cleanMs: 700,
      onExpired: (key) => expired.push(key),
    })
    expect(clock.pending).toBe(0)
    cache.set('a', 1)
    cache.set('b', 2)
    cache.delete('b')
    await clock.run({ forMs: 2_200 })
    expect(expired).toEqual(['a'])
    expect(clock.pending).toBe(0)
  })

  test('is not moved by a jump of the wall clock', () => {
    const clock = new VirtualClock()
    const cache = new ExpiringMap<string, number>({ clock, ttlMs: 1_000 })
    cache.set('a', 1)
    clock.jump(3_600_000)
    expect(cache.get('a')).toBe(1)
  })
})
