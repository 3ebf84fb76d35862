import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runToEnd } from '../../../../src/model/sliced.ts'
import { packInSlices } from '../../../../src/scheduling/packing/pack.ts'
import type { Bin, PackingProblem } from '../../../../src/scheduling/packing/problem.ts'
import { Patterns } from '../../../../src/scheduling/packing/patterns.ts'
import { WorkMeter } from '../../../../src/scheduling/packing/work-meter.ts'
import { patternLowerBound } from '../../../bench/pattern-bound.ts'
import { seeded } from '../../../bench/workloads.ts'

interface Given {
  readonly items: readonly { readonly need: readonly number[]; readonly count: number; readonly perBin?: number }[]
  readonly columns: readonly { readonly room: readonly number[]; readonly price: number }[]
}

function problemOf({ items, columns }: Given): PackingProblem {
  return {
    items: items.map(({ need, count, perBin }) => ({
      need: Float64Array.from(need),
      count,
      perBin: perBin ?? count,
      fits: Uint8Array.from(columns, ({ room }) => (need.every((each, r) => each <= (room[r] ?? 0)) ? 1 : 0)),
    })),
    columns: columns.map(({ room, price }) => ({ room: Float64Array.from(room), price })),
  }
}

function mixOf(problem: PackingProblem, slices = 200): readonly Bin[] | undefined {
  const worth = Float64Array.from(problem.columns[0]?.room ?? [], () => 1)
  const patterns = new Patterns(problem, worth, new WorkMeter(slices))
  return runToEnd(
    patterns.bins(
      problem.items.map(({ count }) => count),
      [],
    ),
  )
}

function priceOf({ columns }: PackingProblem, bins: readonly Bin[] | undefined): number {
  return (bins ?? []).reduce((sum, { column }) => sum + (columns[column]?.price ?? Number.NaN), 0)
}

/** Pods of three sizes that fill a node of four GPUs only as 5 + 3 + 2 + 2 cores, and small nodes that cost more for each of them. */
const matching: Given = {
  items: [
    { need: [5, 1], count: 20 },
    { need: [3, 1], count: 20 },
    { need: [2, 1], count: 40 },
  ],
  columns: [
    { room: [12, 4], price: 10 },
    { room: [6, 1], price: 4 },
  ],
}

test('kinds that only fill a node together are put together', () => {
  const problem = problemOf(matching)
  const bins = mixOf(problem)
  expect(priceOf(problem, bins)).toBe(200)
  expect(bins).toHaveLength(20)
  expect(new Set(bins?.map(({ counts }) => JSON.stringify(counts)))).toEqual(new Set(['[[0,1],[1,1],[2,2]]']))
  expect(priceOf(problem, runToEnd(packInSlices(problem, 200)))).toBe(200)
})

const problems: fc.Arbitrary<Given> = fc.record({
  items: fc.array(
    fc.record({
      need: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 6 })),
      count: fc.integer({ min: 1, max: 30 }),
      perBin: fc.integer({ min: 1, max: 30 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  columns: fc
    .array(
      fc.record({
        room: fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 })),
        price: fc.integer({ min: 1, max: 20 }),
      }),
      { maxLength: 5 },
    )
    // One that takes every pod.
    .map((columns) => [...columns, { room: [6, 6] as [number, number], price: 15 }]),
})

test('every pod is on one node, with room for all of them, and no more of a kind than may share one', () => {
  fc.assert(
    fc.property(problems, (given) => {
      const problem = problemOf(given)
      const bins = mixOf(problem)
      const left = given.items.map(({ count }) => count)
      for (const { column, counts } of bins ?? []) {
        const used = [0, 0]
        for (const [item, count] of counts) {
          const { need, perBin } = given.items[item] as Required<Given['items'][number]>
          expect(count).toBeLessThanOrEqual(perBin)
          expect(problem.items[item]?.fits[column]).toBe(1)
          left[item] = (left[item] ?? 0) - count
          for (const [r, each] of need.entries()) used[r] = (used[r] ?? 0) + count * each
        }
        for (const [r, amount] of (given.columns[column]?.room ?? []).entries())
          expect(used[r]).toBeLessThanOrEqual(amount)
      }
      expect(left).toEqual(left.map(() => 0))
      expect(mixOf(problem)).toEqual(bins)
    }),
    { numRuns: 200, seed: 13 },
  )
})

test('without any work to spend on patterns there is still an answer, of nodes that hold one kind each', () => {
  const problem = problemOf(matching)
  const bins = mixOf(problem, 0) ?? []
  expect(bins.every(({ counts }) => counts.length === 1)).toBe(true)
  expect(priceOf(problem, bins)).toBeGreaterThan(200)
})

test('a node that is left with fewer pods is the cheapest that takes them', () => {
  // Two of three fit on the large node; the third is alone.
  const problem = problemOf({
    items: [{ need: [4, 1], count: 3 }],
    columns: [
      { room: [8, 2], price: 5 },
      { room: [4, 1], price: 3 },
    ],
  })
  expect(priceOf(problem, mixOf(problem))).toBe(8)
})

/** Ten kinds of pods, some three hundred, and nodes of two ratios in four sizes, two of them a bit dear. */
function generalProblem(seed: number): PackingProblem {
  const below = seeded(seed)
  const sizes = [1, 2, 4, 8].flatMap((size) => [
    { room: [7.6 * size, 14.4 * size], price: 3 * size },
    { room: [7.6 * size, 57.6 * size], price: 4 * size },
  ])
  const columns = [...sizes, { room: [15.2, 14.4], price: 5 }, { room: [60.8, 57.6], price: 20 }]
  const items = Array.from({ length: 10 }, () => ({
    need: [0.1 * (1 + below(60)), 0.5 * (1 + below(30))],
    count: 20 + below(40),
  }))
  return problemOf({ items, columns })
}

test('general problems cost at most three per cent more than a bound below which nothing can be', {
  timeout: 60_000,
}, () => {
  let packed = 0
  let bound = 0
  for (let seed = 1; seed <= 8; seed += 1) {
    const problem = generalProblem(seed)
    packed += priceOf(problem, runToEnd(packInSlices(problem, 60)))
    bound += patternLowerBound(problem).price
  }
  expect(bound).toBeGreaterThan(0)
  expect(packed / bound).toBeGreaterThanOrEqual(1)
  // Without mixes of patterns it is five.
  expect(packed / bound).toBeLessThanOrEqual(1.03)
})
