import { expect, test } from 'vitest'
import { judgeMinValues, type MinValuesVerdict, minValuesText } from '../../../src/model/min-values.ts'
import { type Requirement, toRequirement } from '../../../src/model/requirement.ts'
import { requirementsOf } from '../../../src/model/requirements.ts'
import { aType } from '../../support/disruption-builders.ts'

/** Types of the given families, `m`, `m`, `c` … in this order; all of one size. */
const typesOf = (...families: readonly string[]) =>
  families.map((family, index) => {
    const type = aType(`${family}${index}`, { price: 1 })
    const own = [toRequirement('family', 'In', [family]), toRequirement('size', 'In', ['large'])]
    return { ...type, requirements: new Map([...type.requirements, ...requirementsOf(...own)]) }
  })
const atLeast = (key: string, minValues?: number): Requirement => toRequirement(key, 'Exists', [], minValues)

const cases: Record<string, [families: readonly string[], wanted: readonly Requirement[], MinValuesVerdict]> = {
  'nobody asks for variety': [['m'], [atLeast('family')], { kind: 'met', typesNeeded: 0 }],
  'types are needed up to the one that brings the last value': [
    ['m', 'm', 'c', 'r'],
    [atLeast('family', 2)],
    { kind: 'met', typesNeeded: 3 },
  ],
  'types count only with the values they bring': [
    ['m', 'm', 'm'],
    [atLeast('family', 2)],
    { kind: 'unmet', reached: new Map([['family', 1]]) },
  ],
  'where there are no types at all, that is what there is to tell': [
    [],
    [atLeast('family', 2)],
    { kind: 'met', typesNeeded: 0 },
  ],
  'only the keys that fall short are told': [
    ['m', 'c'],
    [atLeast('family', 2), atLeast('size', 2)],
    { kind: 'unmet', reached: new Map([['size', 1]]) },
  ],
}
test.each(Object.entries(cases))('%s', (_name, [families, wanted, want]) => {
  expect(judgeMinValues(typesOf(...families), requirementsOf(...wanted))).toEqual(want)
})

test('keys that fall short are told in their order, whatever the order of the requirements', () => {
  const verdict = judgeMinValues(typesOf('m'), requirementsOf(atLeast('size', 2), atLeast('family', 2)))
  expect(verdict.kind === 'unmet' ? minValuesText(verdict) : verdict).toBe(
    'minValues requirement is not met for label(s) (label(s)=[family size])',
  )
})
