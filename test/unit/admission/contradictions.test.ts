import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contradictions, type RequirementLine } from '../../../src/admission/pool-requirements.ts'
import { effectiveOperator, intersect, type Requirement, toRequirement } from '../../../src/model/requirement.ts'

const aLine = fc.oneof(
  fc.record({
    key: fc.constantFrom('a', 'b'),
    operator: fc.constantFrom('In' as const, 'NotIn' as const),
    values: fc.uniqueArray(fc.constantFrom('x', '1', '2', '9'), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    key: fc.constantFrom('a', 'b'),
    operator: fc.constantFrom('Gt' as const, 'Lt' as const, 'Gte' as const, 'Lte' as const),
    values: fc.constantFrom('1', '2', '5').map((value) => [value]),
  }),
  fc.record({
    key: fc.constantFrom('a', 'b'),
    operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const),
  }),
)

/** The same, line by line. */
function oneByOne(
  lines: readonly RequirementLine[],
  labels: Readonly<Record<string, string>>,
): { key: string; index: number }[] {
  const known = new Map<string, Requirement>(
    Object.entries(labels).map(([key, value]) => [key, toRequirement(key, 'In', [value])]),
  )
  const found: { key: string; index: number }[] = []
  for (const [index, { key, operator, values }] of lines.entries()) {
    const next = toRequirement(key, operator, values)
    const before = known.get(key)
    const merged = before === undefined ? next : intersect(before, next)
    known.set(key, merged)
    if (before === undefined || effectiveOperator(merged) !== 'DoesNotExist') continue
    const isMissed = [before, next].some((one) => ['In', 'Exists'].includes(effectiveOperator(one)))
    if (isMissed && !found.some((one) => one.key === key)) found.push({ key, index })
  }
  return found
}

test('a line that asks for less than zero leaves nothing by itself', () => {
  const lines: RequirementLine[] = [
    { key: 'a', operator: 'Lt', values: ['1'] },
    { key: 'b', operator: 'Lt', values: ['0'] },
  ]
  expect(contradictions(lines)).toEqual([{ key: 'b', index: 1 }])
})

describe('lines that exclude each other', () => {
  test('are found at the line where nothing is left', () => {
    fc.assert(
      fc.property(
        fc.array(aLine, { maxLength: 8 }),
        fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', '2')),
        (lines, labels) => {
          expect(contradictions(lines, labels)).toEqual(oneByOne(lines, labels))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
