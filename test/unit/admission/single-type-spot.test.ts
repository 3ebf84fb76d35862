import { expect, test } from 'vitest'
import { aPool, capacityType, findings, typeKey } from '../../support/judged-objects.ts'

test.each([
  { key: capacityType, operator: 'NotIn' as const, values: ['on-demand', 'reserved'] },
  { key: capacityType, operator: 'In' as const, values: ['spot', 'sopt'] },
])('spot of one type is seen however it is written: $operator $values', (capacity) => {
  const requirements = [capacity, { key: typeKey, operator: 'In' as const, values: ['m7i.large'] }]
  expect(findings(aPool({ template: { requirements } })).warned.map(({ rule }) => rule)).toEqual(['JN-210'])
})

test.each<[string, string[], string[]]>([
  ['on-demand of one type', ['on-demand'], ['m7i.large']],
  ['spot or on-demand of one type', ['spot', 'on-demand'], ['m7i.large']],
  ['spot of two types', ['spot'], ['m7i.large', 'm7i.xlarge']],
])('%s is not at the mercy of one shortage of spot', (_what, capacityTypes, types) => {
  const requirements = [
    { key: capacityType, operator: 'In' as const, values: capacityTypes },
    { key: typeKey, operator: 'In' as const, values: types },
  ]
  const { warned } = findings(aPool({ template: { requirements } }))
  expect(warned.filter(({ rule }) => rule === 'JN-210')).toEqual([])
})
