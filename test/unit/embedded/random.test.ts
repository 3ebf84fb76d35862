import { expect, test } from 'vitest'
import { SeededRandom } from '../../../src/embedded/random.ts'

test('the same seed gives the same draws, another seed others', () => {
  const draw = (seed: string) =>
    Array.from({ length: 5 }, (_, index) => new SeededRandom(seed).fork(String(index)).uuid())
  expect(draw('a')).toEqual(draw('a'))
  expect(draw('a')).not.toEqual(draw('b'))
})

test('draws lie in their range and fill it evenly', () => {
  const random = new SeededRandom(7)
  const counts = [0, 0, 0, 0]
  for (let index = 0; index < 40_000; index += 1) {
    const value = random.below(4)
    counts[value] = (counts[value] ?? 0) + 1
  }
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400)
})

test('uuids are version 4 and names use the alphabet of generateName', () => {
  const random = new SeededRandom('x')
  for (let index = 0; index < 100; index += 1) {
    expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(random.nameSuffix(5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(random.hex(17)).toMatch(/^[0-9a-f]{17}$/)
  }
})

test('a generator continues from its saved state', () => {
  const random = new SeededRandom('x')
  random.next()
  const copy = new SeededRandom(random.state())
  expect([copy.next(), copy.uuid()]).toEqual([random.next(), random.uuid()])
})
