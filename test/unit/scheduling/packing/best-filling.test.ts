import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BestFilling } from '../../../../src/scheduling/packing/best-filling.ts'
import type { PackingProblem } from '../../../../src/scheduling/packing/problem.ts'
import { WorkMeter } from '../../../../src/scheduling/packing/work-meter.ts'

interface Given {
  readonly room: readonly [number, number, number]
  readonly items: readonly {
    readonly need: readonly [number, number, number]
    readonly worth: number
    readonly count: number
    readonly perBin: number
  }[]
}

function amounts(most: number): fc.Arbitrary<[number, number, number]> {
  const amount = fc.integer({ min: 0, max: most })
  return fc.tuple(amount, amount, fc.integer({ min: 1, max: most }))
}

const nodes = (roomMost: number): fc.Arbitrary<Given> =>
  fc.record({
    room: amounts(roomMost),
    items: fc.array(
      fc.record({
        need: amounts(5),
        worth: fc.integer({ min: 0, max: 9 }),
        count: fc.integer({ min: 0, max: 6 }),
        perBin: fc.integer({ min: 1, max: 6 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })

function problemOf({ room, items }: Given): PackingProblem {
  return {
    columns: [{ room: Float64Array.from(room), price: 1 }],
    items: items.map(({ need, count, perBin }) => ({
      need: Float64Array.from(need),
      count,
      perBin,
      fits: Uint8Array.of(need.every((each, r) => each <= (room[r] ?? 0)) ? 1 : 0),
    })),
  }
}

function filled(given: Given, least = 0) {
  const filling = new BestFilling(problemOf(given), Float64Array.of(1, 0, 2), new WorkMeter(100))
  const worth = Float64Array.from(given.items, (item) => item.worth)
  return filling.of(0, { worth, counts: given.items.map(({ count }) => count) }, least)
}

/** Every filling there is. */
function bestOfAll({ room, items }: Given, at = 0): number {
  const item = items[at]
  if (item === undefined) return 0
  let best = 0
  for (let count = 0; count <= Math.min(item.count, item.perBin); count += 1) {
    const free = room.map((amount, r) => amount - count * (item.need[r] ?? 0)) as [number, number, number]
    if (free.some((amount) => amount < 0)) break
    best = Math.max(best, count * item.worth + bestOfAll({ room: free, items }, at + 1))
  }
  return best
}

test('no filling of a small node is worth more', () => {
  fc.assert(
    fc.property(nodes(9), (given) => {
      expect(filled(given)?.value ?? 0).toBe(bestOfAll(given))
    }),
    { numRuns: 300, seed: 11 },
  )
})

test('on a large node it is close, has room, takes no more than there are, and is worth what it says', () => {
  let worthOfAll = 0
  let worthFound = 0
  fc.assert(
    fc.property(nodes(40), (given) => {
      const found = filled(given)
      const used = [0, 0, 0]
      let value = 0
      for (const [item, count] of found?.counts ?? []) {
        const { need, worth, count: most, perBin } = given.items[item] as Given['items'][number]
        expect(count).toBeGreaterThan(0)
        expect(count).toBeLessThanOrEqual(Math.min(most, perBin))
        value += count * worth
        for (const [r, each] of need.entries()) used[r] = (used[r] ?? 0) + count * each
      }
      for (const [r, amount] of given.room.entries()) expect(used[r]).toBeLessThanOrEqual(amount)
      expect(found?.value ?? 0).toBe(value)
      worthFound += value
      worthOfAll += bestOfAll(given)
    }),
    { numRuns: 300, seed: 12 },
  )
  expect(worthFound / worthOfAll).toBeGreaterThan(0.995)
})

test('what is worth no more than is asked for is not told', () => {
  const given: Given = { room: [4, 4, 4], items: [{ need: [2, 2, 2], worth: 3, count: 5, perBin: 5 }] }
  expect(filled(given, 5)).toEqual({ counts: [[0, 2]], value: 6 })
  expect(filled(given, 6)).toBeUndefined()
})
