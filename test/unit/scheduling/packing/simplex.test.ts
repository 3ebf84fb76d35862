import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maximise, maximiseTable } from '../../../../src/scheduling/packing/simplex.ts'

const programs = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.record({
    width: fc.constant(width),
    // Every variable is bounded by some constraint, as every pod is by the nodes that take it.
    constraints: fc
      .array(
        fc.record({
          row: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: width, maxLength: width }),
          limit: fc.integer({ min: 0, max: 50 }),
        }),
        { maxLength: 6 },
      )
      .map((more) => [...more, { row: Array<number>(width).fill(1), limit: 40 }]),
  }),
)

function tableOf(constraints: readonly { readonly row: readonly number[]; readonly limit: number }[]): Float64Array {
  return Float64Array.from(constraints.flatMap(({ row, limit }) => [...row, limit]))
}

test('values keep to every limit, shadows cover every variable, and both come to the same: so neither can be better', () => {
  fc.assert(
    fc.property(programs, ({ width, constraints }) => {
      const { values, shadows } = maximiseTable(tableOf(constraints), width)
      const slack = 1e-7
      for (const { row, limit } of constraints)
        expect(row.reduce((sum, each, j) => sum + each * (values[j] ?? 0), 0)).toBeLessThanOrEqual(limit + slack)
      for (let j = 0; j < width; j += 1)
        expect(
          constraints.reduce((sum, { row }, i) => sum + (row[j] ?? 0) * (shadows[i] ?? 0), 0),
        ).toBeGreaterThanOrEqual(1 - slack)
      expect(Math.min(...values, ...shadows)).toBeGreaterThanOrEqual(0)
      const dual = constraints.reduce((sum, { limit }, i) => sum + limit * (shadows[i] ?? 0), 0)
      expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(dual, 6)
      expect(maximise(width, constraints)).toEqual(values)
    }),
    { numRuns: 300, seed: 7 },
  )
})

test('a goal without a bound has no values', () => {
  const { values, shadows } = maximiseTable(tableOf([{ row: [1, 0], limit: 3 }]), 2)
  expect([...values, ...shadows]).toEqual([0, 0, 0])
})
