import { expect, test } from 'vitest'
import { ExpiringMap } from '../../../src/kube/expiring-map.ts'

function aMap(sizeMax = 100_000) {
  let now = 0
  const map = new ExpiringMap<string>(() => now, sizeMax)
  return {
    map,
    pass: (ms: number): void => {
      now += ms
    },
  }
}

test('a value counts until its time is over', () => {
  const { map, pass } = aMap()
  map.set('a', 'x', 1_000)
  pass(999)
  expect(map.get('a')).toBe('x')
  pass(1)
  expect(map.get('a')).toBeUndefined()
})

test('setting it anew begins its time anew', () => {
  const { map, pass } = aMap()
  map.set('a', 'x', 1_000)
  pass(900)
  map.set('a', 'y', 1_000)
  pass(900)
  expect(map.get('a')).toBe('y')
})

test('what is over does not stay', () => {
  const { map, pass } = aMap()
  for (let round = 0; round < 50; round += 1) {
    for (let index = 0; index < 1_000; index += 1) map.set(`${round}/${index}`, '', 1_000)
    pass(1_000)
  }
  expect(map.size).toBeLessThanOrEqual(2_048)
})

test('past its size the oldest goes', () => {
  const { map } = aMap(3)
  for (const key of ['a', 'b', 'c', 'a', 'd']) map.set(key, key, 1_000)
  expect(['a', 'b', 'c', 'd'].map((key) => map.get(key))).toEqual(['a', undefined, 'c', 'd'])
})
