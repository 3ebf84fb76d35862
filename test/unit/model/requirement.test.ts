import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coreVocabulary } from '../../../src/api/label-rules.ts'
import {
  allows,
  effectiveOperator,
  intersect,
  intersectAll,
  type RequirementOperator,
  overlaps,
  type Requirement,
  requirementText,
  toEntries,
  toRequirement,
} from '../../../src/model/requirement.ts'
import {
  incompatibilities,
  incompatibilitiesText,
  isCompatible,
  mergeRequirements,
  requirementsOf,
  requirementsText,
  toRequirements,
} from '../../../src/model/requirements.ts'

function req(operator: RequirementOperator, values: readonly string[] = [], minValues?: number): Requirement {
  return toRequirement('k', operator, values, minValues)
}

describe('intersections', () => {
  const cases: Record<string, { a: Requirement; b: Requirement; want: string }> = {
    'case 1: a list loses what the other side excludes': {
      a: req('In', ['A', 'B']),
      b: req('NotIn', ['B', 'C']),
      want: 'k In [A]',
    },
    'case 1: a list that is wholly excluded leaves nothing': {
      a: req('In', ['A']),
      b: req('NotIn', ['A']),
      want: 'k DoesNotExist',
    },
    'case 2: exclusions add up': { a: req('NotIn', ['A']), b: req('NotIn', ['B']), want: 'k NotIn [A B]' },
    'case 2: anything but A stays that beside Exists': {
      a: req('Exists'),
      b: req('NotIn', ['A']),
      want: 'k NotIn [A]',
    },
    'case 2: nothing exists and does not exist': { a: req('Exists'), b: req('DoesNotExist'), want: 'k DoesNotExist' },
    'case 4: bounds that leave no integer leave nothing, with the larger minValues': {
      a: req('Gt', ['5'], 2),
      b: req('Lt', ['6'], 3),
      want: 'k DoesNotExist minValues 3',
    },
    'case 5: a list keeps the integers within bounds': {
      a: req('In', ['1', '5', '9', 'x']),
      b: req('Gte', ['5']),
      want: 'k In [5 9]',
    },
    'case 6: an exclusion and bounds are printed together': {
      a: intersect(req('NotIn', ['5']), req('Gte', ['5'])),
      b: req('Lte', ['5']),
      want: 'k NotIn [5] >=5 <=5',
    },
    'case 12: the larger minValues wins': {
      a: req('In', ['z1', 'z2', 'z3'], 2),
      b: req('In', ['z1', 'z2']),
      want: 'k In [z1 z2] minValues 2',
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { a, b, want }) => {
    expect(requirementText(intersect(a, b))).toBe(want)
    expect(requirementText(intersect(b, a))).toBe(want)
  })
})

test('case 3: bounds allow the integers between them, count as Exists, and are written as two entries', () => {
  const between = intersect(req('Gt', ['3']), req('Lt', ['7']))
  expect(['3', '4', '6', '7', 'abc'].filter((value) => allows(between, value))).toEqual(['4', '6'])
  expect(effectiveOperator(between)).toBe('Exists')
  expect(toEntries(between)).toEqual([
    { key: 'k', operator: 'Gte', values: ['4'] },
    { key: 'k', operator: 'Lte', values: ['6'] },
  ])
})

test('case 6: two complements overlap though no integer is left, and bounds swallow exclusions when written', () => {
  const excluded = intersect(req('NotIn', ['5']), req('Gte', ['5']))
  expect(overlaps(excluded, req('Lte', ['5']))).toBe(true)
  expect(toEntries(intersect(excluded, req('Lte', ['5'])))).toEqual([
    { key: 'k', operator: 'Gte', values: ['5'] },
    { key: 'k', operator: 'Lte', values: ['5'] },
  ])
})

test('case 7: nothing is greater than the largest integer, and its minValues goes with it', () => {
  expect(requirementText(req('Gt', ['9223372036854775807'], 4))).toBe('k DoesNotExist')
})

test('an operator of later definitions asks for the label alone, and keeps nobody from reading the rest', () => {
  const entries = JSON.parse(
    '[{"key":"k","operator":"Like","values":["a"]},{"key":"k","operator":"In","values":["b"]}]',
  )
  expect(requirementsText(toRequirements(entries, new Map()))).toBe('k In [b]')
  expect(requirementsText(mergeRequirements(toRequirements([entries[0]], new Map())))).toBe('k Exists')
})

describe('a bound beyond the integers that numbers tell apart', () => {
  test('is exact, and so is what it allows', () => {
    const above = req('Gt', ['9007199254740992'])
    expect(toEntries(above)).toEqual([{ key: 'k', operator: 'Gte', values: ['9007199254740993'] }])
    expect(['9007199254740992', '9007199254740993'].filter((value) => allows(above, value))).toEqual([
      '9007199254740993',
    ])
    expect(requirementText(intersect(above, req('Lt', ['9223372036854775807'])))).toBe(
      'k Exists >=9007199254740993 <=9223372036854775806',
    )
  })

  test('is the nearest that has 64 bits, and nothing with more is an integer', () => {
    const below = req('Lt', ['9'.repeat(23)])
    expect(toEntries(below)).toEqual([{ key: 'k', operator: 'Lte', values: ['9223372036854775806'] }])
    expect(allows(req('Gte', ['1']), '9223372036854775807')).toBe(true)
    expect(allows(req('Gte', ['1']), '9223372036854775808')).toBe(false)
  })
})

test('no label is below zero: a lower bound starts there, and an upper one leaves nothing', () => {
  expect(toEntries(req('Gt', ['-5']))).toEqual([{ key: 'k', operator: 'Gte', values: ['0'] }])
  const below = req('Lt', ['0'])
  expect(overlaps(below, req('Exists'))).toBe(false)
  expect(isCompatible(requirementsOf(), requirementsOf(below), new Set(['k']))).toBe(false)
  expect(incompatibilitiesText(incompatibilities(requirementsOf(), requirementsOf(below), new Set(['k'])))).toBe(
    'key k, k Exists <=-1 not in k Exists',
  )
})

describe('two open requirements that leave no integer', () => {
  const cases: Record<string, { a: Requirement; b: Requirement; want: boolean }> = {
    'cannot both hold where exclusions take what an upper bound leaves': {
      a: req('Lt', ['2']),
      b: req('NotIn', ['0', '1']),
      want: false,
    },
    'can where one is left': { a: req('Lt', ['3']), b: req('NotIn', ['0', '1']), want: true },
    'can where what is excluded lies beyond the bound': {
      a: req('Lt', ['2']),
      b: req('NotIn', ['1', '7']),
      want: true,
    },
    'can where one lists the very values that the other leaves': {
      a: req('Lt', ['2']),
      b: req('In', ['0', '1']),
      want: true,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { a, b, want }) => {
    expect(isCompatible(requirementsOf(a), requirementsOf(b))).toBe(want)
    expect(isCompatible(requirementsOf(b), requirementsOf(a))).toBe(want)
  })
})

test('case 13: of seven values five are shown', () => {
  expect(requirementText(req('In', ['g', 'f', 'e', 'd', 'c', 'b', 'a']))).toBe('k In [a b c d e and 2 others]')
})

describe('compatibility', () => {
  const custom = (operator: RequirementOperator, ...values: string[]) =>
    requirementsOf(toRequirement('team', operator, values))
  const nothing = requirementsOf()
  const cases: Record<
    string,
    { existing: ReturnType<typeof requirementsOf>; incoming: ReturnType<typeof requirementsOf>; want: boolean }
  > = {
    'case 9: absence satisfies an exclusion': {
      existing: custom('DoesNotExist'),
      incoming: custom('NotIn', 'x'),
      want: true,
    },
    'case 9: absence does not satisfy Exists': {
      existing: custom('DoesNotExist'),
      incoming: custom('Exists'),
      want: false,
    },
    'case 9: a value does not satisfy absence': {
      existing: custom('In', 'a'),
      incoming: custom('DoesNotExist'),
      want: false,
    },
    'case 9: a value does not satisfy its exclusion': {
      existing: custom('In', 'a'),
      incoming: custom('NotIn', 'a'),
      want: false,
    },
    'case 10: an undefined custom label satisfies no In': {
      existing: nothing,
      incoming: custom('In', 'a'),
      want: false,
    },
    'case 10: an undefined custom label satisfies no Exists': {
      existing: nothing,
      incoming: custom('Exists'),
      want: false,
    },
    'case 10: an undefined custom label satisfies no Gt': {
      existing: nothing,
      incoming: custom('Gt', '1'),
      want: false,
    },
    'case 10: an undefined custom label satisfies NotIn': {
      existing: nothing,
      incoming: custom('NotIn', 'a'),
      want: true,
    },
    'case 10: an undefined custom label satisfies DoesNotExist': {
      existing: nothing,
      incoming: custom('DoesNotExist'),
      want: true,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { existing, incoming, want }) => {
    expect(isCompatible(existing, incoming, coreVocabulary.wellKnown)).toBe(want)
    expect(incompatibilities(existing, incoming, coreVocabulary.wellKnown).length === 0).toBe(want)
  })

  test('case 10: the zone may be undefined only where that is allowed', () => {
    const zone = requirementsOf(toRequirement('topology.kubernetes.io/zone', 'In', ['z1']))
    expect(isCompatible(nothing, zone, coreVocabulary.wellKnown)).toBe(true)
    expect(isCompatible(nothing, zone)).toBe(false)
  })

  test('case 8: disjoint values are reported with both sides', () => {
    const found = incompatibilities(requirementsOf(req('In', ['a'])), requirementsOf(req('In', ['b'])))
    expect(incompatibilitiesText(found)).toBe('key k, k In [b] not in k In [a]')
  })

  const misspelt: Record<string, [key: string, existing: string, meant: string | undefined]> = {
    'case 14: a misspelt key is reported with the key that was meant': ['zone', 'team', 'topology.kubernetes.io/zone'],
    'so is one with the name of a known key but another domain': [
      'example.com/zone',
      'team',
      'topology.kubernetes.io/zone',
    ],
    'and one that is only a part of a known one': ['capacity', 'team', 'karpenter.sh/capacity-type'],
    'a label of the pool may have been meant, too': ['team', 'example.com/team', 'example.com/team'],
    'nothing is guessed where nothing resembles it': ['colour', 'team', undefined],
  }
  test.each(Object.entries(misspelt))('%s', (_name, [key, existing, meant]) => {
    const wanted = requirementsOf(toRequirement(key, 'In', ['a']))
    const found = incompatibilities(requirementsOf(toRequirement(existing, 'Exists')), wanted, coreVocabulary.wellKnown)
    const hint = meant === undefined ? '' : ` (typo of "${meant}"?)`
    expect(incompatibilitiesText(found)).toBe(`label "${key}" does not have known values${hint}`)
  })

  test('of several keys that resemble the misspelt one, the one whose whole name it is comes first', () => {
    const known = new Set(['topology.k8s.aws/zone-id', 'topology.kubernetes.io/zone'])
    const found = incompatibilities(nothing, requirementsOf(toRequirement('zone', 'In', ['z1'])), known)
    expect(incompatibilitiesText(found)).toContain('(typo of "topology.kubernetes.io/zone"?)')
  })
})

test('case 11: old spellings become the present key', () => {
  const set = toRequirements(
    [{ key: 'failure-domain.beta.kubernetes.io/zone', operator: 'In', values: ['z1'] }],
    coreVocabulary.aliases,
  )
  expect([...set.keys()]).toEqual(['topology.kubernetes.io/zone'])
})

const anyRequirement: fc.Arbitrary<Requirement> = fc
  .array(
    fc.oneof(
      fc.record({
        operator: fc.constantFrom<RequirementOperator>('In', 'NotIn'),
        values: fc.array(fc.constantFrom('a', 'b', '1', '2', '3', '7'), { maxLength: 4 }),
      }),
      fc.record({
        operator: fc.constantFrom<RequirementOperator>('Gt', 'Lt', 'Gte', 'Lte'),
        values: fc.integer({ min: 0, max: 8 }).map((bound) => [String(bound)]),
      }),
      fc.constantFrom({ operator: 'Exists' as const, values: [] }, { operator: 'DoesNotExist' as const, values: [] }),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.map(({ operator, values }) => req(operator, values)).reduce(intersect))

const probes = ['a', 'b', 'c', '0', '1', '2', '3', '5', '7', '9']

describe('for all requirements', () => {
  test('an intersection allows exactly what both sides allow', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, (a, b) => {
        const both = intersect(a, b)
        for (const value of probes) expect(allows(both, value)).toBe(allows(a, value) && allows(b, value))
      }),
    )
  })

  test('the order of intersecting does not matter', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, anyRequirement, (a, b, c) => {
        expect(requirementText(intersect(intersect(a, b), c))).toBe(requirementText(intersect(a, intersect(c, b))))
      }),
    )
  })

  test('many at once are what they are one after the other, to the order of the values', () => {
    fc.assert(
      fc.property(anyRequirement, fc.array(anyRequirement, { maxLength: 5 }), (first, others) => {
        const whole = intersectAll([first, ...others])
        const folded = others.reduce((sum, one) => intersect(sum, one), first)
        expect({ ...whole, values: [...whole.values] }).toEqual({ ...folded, values: [...folded.values] })
      }),
    )
  })

  test('whatever has no overlap has no value in common', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, (a, b) => {
        if (overlaps(a, b)) return
        for (const value of probes) expect(allows(a, value) && allows(b, value)).toBe(false)
      }),
    )
  })
})
