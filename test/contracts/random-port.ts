import { describe, expect, test } from 'vitest'
import type { Random } from '../../src/model/random.ts'

/** Everything that the program expects of chance. */
export function randomPortContract(implementation: string, create: () => Random): void {
  describe(`chance is the same for everybody: ${implementation}`, () => {
    const draws = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw)

    test('fractions lie in [0, 1), on both sides of the middle', () => {
      const random = create()
      const drawn = draws(1000, () => random.next())
      expect(drawn.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true)
      const low = drawn.filter((fraction) => fraction < 0.5).length
      expect(low).toBeGreaterThan(350)
      expect(low).toBeLessThan(650)
    })

    test.each([1, 2, 27, 1000, 2 ** 32 + 1, 2 ** 48, Number.MAX_SAFE_INTEGER])('whole numbers below %d', (limit) => {
      const random = create()
      const drawn = draws(500, () => random.below(limit))
      expect(drawn.every((number) => Number.isSafeInteger(number) && number >= 0 && number < limit)).toBe(true)
      // All of a few, and of many not just those at the beginning.
      if (limit <= 27) expect(new Set(drawn).size).toBe(limit)
      else expect(Math.max(...drawn)).toBeGreaterThan(limit / 2)
    })

    test('UUIDs are of version 4, each another one', () => {
      const random = create()
      const drawn = draws(100, () => random.uuid())
      for (const uuid of drawn) expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
      expect(new Set(drawn).size).toBe(100)
    })

    test('suffixes of names have the length that is asked for and spell nothing', () => {
      const random = create()
      expect(random.nameSuffix(0)).toBe('')
      const drawn = draws(200, () => random.nameSuffix(5))
      for (const suffix of drawn) expect(suffix).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
      expect(new Set(drawn.join('')).size).toBe(27)
    })

    test('forks draw each for itself', () => {
      const random = create()
      const drawn = [random.fork('a'), random.fork('a'), random.fork('b'), random].map((each) => each.uuid())
      expect(new Set(drawn).size).toBe(4)
    })
  })
}
