import { expect, test } from 'vitest'
import { aPool, capacityType, catalogue, familyKey, findings, typeKey } from '../../support/judged-objects.ts'

test.each([
  { key: capacityType, operator: 'NotIn' as const, values: ['on-demand', 'reserved'] },
  { key: capacityType, operator: 'In' as const, values: ['spot', 'sopt'] },
])('spot of one type is seen however it is written: $operator $values', (capacity) => {
  const requirements = [capacity, { key: typeKey, operator: 'In' as const, values: ['m7i.large'] }]
  expect(findings(aPool({ template: { requirements } })).warned.map(({ rule }) => rule)).toEqual(['JN-210'])
})

test('spot of one type is seen where a label says spot, and where only one type is left', () => {
  const requirements = [{ key: familyKey, operator: 'In' as const, values: ['m7i'] }]
  const pool = aPool({ labels: { [capacityType]: 'spot' }, template: { requirements } })
  expect(findings(pool, { catalogueOf: () => catalogue }).warned.map(({ rule }) => rule)).toEqual(['JN-210'])
  const any = aPool({ labels: { [capacityType]: 'spot' } })
  expect(findings(any, { catalogueOf: () => catalogue }).warned).toEqual([])
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
