import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runToEnd } from '../../../../src/model/sliced.ts'
import { packInSlices } from '../../../../src/scheduling/packing/pack.ts'
import type { Bin, PackingProblem } from '../../../../src/scheduling/packing/problem.ts'

function pack(problem: PackingProblem, slices = 5): readonly Bin[] | undefined {
  return runToEnd(packInSlices(problem, slices))
}

interface Given {
  readonly items: readonly { readonly need: readonly [number, number]; readonly count: number }[]
  readonly columns: readonly { readonly room: readonly [number, number]; readonly price: number }[]
}

function problemOf({ items, columns }: Given): PackingProblem {
  return {
    items: items.map(({ need, count }) => ({
      need: Float64Array.from(need),
      count,
      perBin: count,
      fits: Uint8Array.from(columns, ({ room }) => (need[0] <= room[0] && need[1] <= room[1] ? 1 : 0)),
    })),
    columns: columns.map(({ room, price }) => ({ room: Float64Array.from(room), price })),
  }
}

const problems: fc.Arbitrary<Given> = fc.record({
  items: fc.array(
    fc.record({
      need: fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 })),
      count: fc.integer({ min: 1, max: 12 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  columns: fc.array(
    fc.record({
      room: fc.tuple(fc.integer({ min: 4, max: 30 }), fc.integer({ min: 4, max: 30 })),
      price: fc.integer({ min: 1, max: 20 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
})

test('every pod is on one node, no node holds more than it has room for, and the same problem has the same answer', () => {
  fc.assert(
    fc.property(problems, (given) => {
      const problem = problemOf(given)
      const bins = pack(problem)
      const homeless = problem.items.some(({ fits }) => fits.every((one) => one === 0))
      expect(bins === undefined).toBe(homeless)
      if (bins === undefined) return
      const placed = problem.items.map(() => 0)
      for (const { column, counts } of bins) {
        const used = [0, 0]
        for (const [item, count] of counts) {
          placed[item] = (placed[item] ?? 0) + count
          for (const r of [0, 1]) used[r] = (used[r] ?? 0) + count * (problem.items[item]?.need[r] ?? 0)
        }
        for (const r of [0, 1]) expect(used[r]).toBeLessThanOrEqual(problem.columns[column]?.room[r] ?? 0)
      }
      expect(placed).toEqual(problem.items.map(({ count }) => count))
      expect(pack(problem)).toEqual(bins)
    }),
    { numRuns: 100, seed: 3 },
  )
})

test('a bound on how many of a kind share a node is kept', () => {
  const problem = problemOf({ items: [{ need: [1, 1], count: 9 }], columns: [{ room: [10, 10], price: 1 }] })
  const bins = pack({ ...problem, items: problem.items.map((item) => ({ ...item, perBin: 3 })) }) ?? []
  expect(bins.map(({ counts }) => counts)).toEqual([[[0, 3]], [[0, 3]], [[0, 3]]])
})

test('more work never makes it dearer', () => {
  fc.assert(
    fc.property(problems, (given) => {
      const problem = problemOf(given)
      const price = (slices: number) =>
        (pack(problem, slices) ?? []).reduce((sum, { column }) => sum + (problem.columns[column]?.price ?? 0), 0)
      expect(price(8)).toBeLessThanOrEqual(price(0.01))
    }),
    { numRuns: 60, seed: 5 },
  )
})

test('control is handed back also in the middle of one node', () => {
  // All pods fit on any node, so that one node is all there is to find, in each of many sizes.
  const sizes = Array.from({ length: 200 }, (_, index) => index)
  const work = packInSlices(
    problemOf({
      items: sizes.map((size) => ({ need: [1 + size, 1], count: 5 })),
      columns: sizes.map((size) => ({ room: [1_000_000 + size, 1_000_000], price: 1_000 + size })),
    }),
    20,
  )
  let slices = 0
  while (work.next().done !== true) slices += 1
  expect(slices).toBeGreaterThan(20)
})
