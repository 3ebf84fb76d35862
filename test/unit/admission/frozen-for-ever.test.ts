import { expect, test } from 'vitest'
import type { NodePoolBudget } from '../../../src/api/karpenter.ts'
import { aPool, findings } from '../../support/judged-objects.ts'

test.each<[string, NodePoolBudget[]]>([
  [
    'a reason',
    [
      { nodes: '0', reasons: ['Drifted'] },
      { nodes: '0', reasons: ['Empty'] },
    ],
  ],
  [
    'an hour',
    [
      { nodes: '0', schedule: '0 8 * * *', duration: '12h' },
      { nodes: '0', schedule: '0 20 * * *', duration: '11h' },
    ],
  ],
  [
    'a Sunday',
    [
      { nodes: '0', schedule: '0 0 * * 1-5', duration: '24h' },
      { nodes: '0', schedule: '0 0 * * 6', duration: '24h' },
    ],
  ],
  ['a Sunday, and freeze hour by hour', [{ nodes: '0', schedule: '0 * * * mon-sat', duration: '1h' }]],
  ['a Sunday, and freeze minute by minute', [{ nodes: '0', schedule: '* * * * mon-sat', duration: '10m' }]],
  ['the night, though a window opens every minute', [{ nodes: '0', schedule: '* 9-17 * * mon-fri', duration: '8h' }]],
  ['a month of the year', [{ nodes: '0', schedule: '0 0 * 1,3-12 *', duration: '24h' }]],
  [
    'most hours of two reasons',
    [
      { nodes: '0', reasons: ['Drifted'] },
      { nodes: '0', reasons: ['Empty', 'Underutilized'], schedule: '0 8 * * *', duration: '1h' },
    ],
  ],
  [
    'half a day of one reason that another reason does not leave out',
    [
      { nodes: '0', schedule: '0 0 * * *', duration: '12h' },
      { nodes: '0', reasons: ['Drifted', 'Empty'], schedule: '0 12 * * *', duration: '12h' },
      { nodes: '0', reasons: ['Underutilized'], schedule: '0 12 * * *', duration: '1h' },
    ],
  ],
  ['what cannot be read', [{ nodes: '0', schedule: 'now and then', duration: '24h' }]],
  ['windows without length', [{ nodes: '0', schedule: '* * * * *', duration: '0s' }]],
])('freezes that leave out %s are none for ever', (_what, budgets) => {
  const pool = aPool({ disruption: { budgets } })
  const found = findings(pool)
  expect([...found.denied, ...found.warned].filter(({ rule }) => rule === 'JN-209')).toEqual([])
})

test('a freeze for ever is told as such beside one that ends', () => {
  const budgets = [{ nodes: '0' }, { nodes: '0', schedule: '0 8 * * *', duration: '1h' }]
  const { warned } = findings(aPool({ disruption: { budgets } }))
  expect(warned.map(({ rule, path }) => [rule, path])).toEqual([['JN-209', 'spec.disruption.budgets[0]']])
})

test('freezes of rare days do not fill the hour that a daily one leaves out', () => {
  const rare = Array.from({ length: 49 }, (_, index) => ({
    nodes: '0',
    schedule: `${index} 0 29 2 *`,
    duration: '1h',
  }))
  const pool = aPool({ disruption: { budgets: [{ nodes: '0', schedule: '@daily', duration: '23h' }, ...rare] } })
  expect(findings(pool).warned.filter(({ rule }) => rule === 'JN-209')).toEqual([])
})
