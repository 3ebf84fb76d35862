import { describe, expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import {
  allowedDisruptions,
  budgetErrors,
  BudgetPurse,
  computeBudgets,
  unlimited,
  voluntaryReasons,
  zeroBudgetEnd,
} from '../../../src/disruption/budgets.ts'
import { aPool, aStateNode, condition, type NodeOptions, noon } from '../../support/disruption-builders.ts'

type Budgets = NonNullable<NonNullable<NodePool['spec']['disruption']>['budgets']>

const poolWith = (budgets: Budgets): NodePool => aPool({ disruption: { consolidateAfter: '0s', budgets } })
const at = (text: string): number => Date.parse(text)

function allowed(
  budgets: Budgets,
  reason: 'Empty' | 'Drifted' | 'Underutilized',
  nodes: number,
  now = noon,
): number | 'invalid' {
  const value = allowedDisruptions(poolWith(budgets), reason, nodes, now)
  return value.kind === 'allowed' ? value.nodes : 'invalid'
}

describe('what a budget allows', () => {
  test('percentages round up (cases 1–3)', () => {
    expect(allowed([{ nodes: '20%' }], 'Empty', 19)).toBe(4)
    expect(allowed([{ nodes: '5%' }], 'Empty', 10)).toBe(1)
    // A budget that names none has ten per cent.
    expect(allowed([{} as Budgets[number]], 'Empty', 20)).toBe(2)
    expect(allowed([{ nodes: '10%' }], 'Empty', 0)).toBe(0)
  })

  test('a pool without the field has ten percent; an empty list lifts every limit', () => {
    const { budgets: _, ...withoutBudgets } = { consolidateAfter: '0s', budgets: [] as Budgets }
    const value = allowedDisruptions(aPool({ disruption: withoutBudgets }), 'Empty', 30, noon)
    expect(value).toEqual({ kind: 'allowed', nodes: 3 })
    expect(allowed([], 'Empty', 30)).toBe(unlimited)
  })

  test('the smallest applicable one wins, by reason and by schedule (case 11)', () => {
    const budgets: Budgets = [
      { nodes: '20%', reasons: ['Empty', 'Drifted'] },
      { nodes: '5' },
      { nodes: '0', schedule: '@daily', duration: '10m', reasons: ['Underutilized'] },
    ]
    const inside = at('2026-06-14T00:05:00Z')
    expect(allowed(budgets, 'Empty', 19, inside)).toBe(4)
    expect(allowed(budgets, 'Drifted', 19, inside)).toBe(4)
    expect(allowed(budgets, 'Underutilized', 19, inside)).toBe(0)
    expect(allowed(budgets, 'Underutilized', 19, at('2026-06-14T00:10:00Z'))).toBe(5)
  })

  const reasons: Record<string, [Budgets, 'Empty' | 'Drifted' | 'Underutilized', number]> = {
    'case 20: a budget of its own beside a smaller one for all': [
      [{ nodes: '10' }, { nodes: '15', reasons: ['Drifted'] }],
      'Drifted',
      10,
    ],
    'case 21: the smaller one of its own': [[{ nodes: '100' }, { nodes: '5', reasons: ['Drifted'] }], 'Drifted', 5],
    'case 21: other reasons keep the general one': [
      [{ nodes: '100' }, { nodes: '5', reasons: ['Drifted'] }],
      'Empty',
      100,
    ],
    'an explicit empty list of reasons matches none': [[{ nodes: '0', reasons: [] }], 'Empty', unlimited],
  }
  test.each(Object.entries(reasons))('%s', (_name, [budgets, reason, want]) => {
    expect(allowed(budgets, reason, 1000)).toBe(want)
  })
})

describe('a schedule is active from its hit until just before hit plus duration, in UTC', () => {
  const cases: Record<string, [schedule: string, duration: string, now: string, active: boolean]> = {
    'case 12: yearly, in June': ['@yearly', '1h', '2026-06-14T12:00:00Z', false],
    'case 13: every minute for an hour': ['* * * * *', '1h', '2026-06-14T12:34:56Z', true],
    'case 14: a duration longer than the recurrence': ['@daily', '48h', '2026-06-14T12:00:00Z', true],
    'case 15: later the same Sunday': ['30 6 * * SUN', '6h', '2026-06-14T00:00:00Z', false],
    'case 15: within it': ['30 6 * * SUN', '6h', '2026-06-14T12:29:59Z', true],
    'case 15: its end is outside': ['30 6 * * SUN', '6h', '2026-06-14T12:30:00Z', false],
    'case 16: midnight elsewhere is not midnight': ['@daily', '30m', '2026-06-14T23:00:00Z', false],
    'a day that never comes, which the original takes for always': ['0 0 31 2 *', '1h', '2026-06-14T12:00:00Z', true],
    'the hit itself': ['@daily', '30m', '2026-06-14T00:00:00Z', true],
    'the last moment before the hit': ['@daily', '30m', '2026-06-13T23:59:59Z', false],
    'in the night in which clocks elsewhere skip an hour': ['30 2 * * *', '30m', '2026-03-29T02:59:59Z', true],
    'a day of the month or of the week, whichever comes': ['0 12 1 * SUN', '1h', '2026-06-14T12:00:00Z', true],
  }
  test.each(Object.entries(cases))('%s', (_name, [schedule, duration, now, active]) => {
    for (const reason of voluntaryReasons) {
      expect(allowed([{ nodes: '0', schedule, duration }], reason, 10, at(now))).toBe(active ? 0 : unlimited)
    }
  })
})

describe('a budget that cannot be evaluated freezes its pool', () => {
  test('for every reason, also those it does not name (cases 17, 18), and says why', () => {
    const budgets: Budgets = [{ nodes: '5', schedule: '0 0 * * tue-mon', duration: '1h', reasons: ['Drifted'] }]
    expect(allowed([{ nodes: '5', schedule: '@daily', duration: '9999999999h' }], 'Empty', 10)).toBe('invalid')
    for (const reason of voluntaryReasons) expect(allowed(budgets, reason, 10)).toBe('invalid')
    const pools = [poolWith(budgets)]
    expect(budgetErrors(pools, noon)).toHaveLength(1)
    expect(budgetErrors(pools, noon)[0]).toContain('invalid disruption budgets in nodepool default, ')
    expect(computeBudgets(pools, [aStateNode('a')], 'Empty', noon).get('default')).toMatchObject({
      allowed: 0,
      remaining: 0,
    })
  })
})

test('a budget whose number cannot be read is one within its windows alone, and is told then', () => {
  const pools = [poolWith([{ nodes: 'five', schedule: '0 12 * * *', duration: '1h' }])]
  const noonOfDay = at('2026-03-01T12:00:00Z')
  expect(budgetErrors(pools, noonOfDay - 1)).toEqual([])
  expect(budgetErrors(pools, noonOfDay)).toEqual([
    'invalid disruption budgets in nodepool default, invalid value "five" of nodes',
  ])
})

describe('what several pools may start between them', () => {
  const purse = () => {
    const pools = ['a', 'b', 'c'].map((name) => aPool({ name, disruption: { consolidateAfter: '0s', budgets: [] } }))
    const room = { name: 'one policy', nodes: 2 }
    const budgets = [...computeBudgets(pools, [], 'Empty', noon)].map(
      ([name, budget]) => [name, name === 'c' ? budget : { ...budget, common: [room] }] as const,
    )
    return new BudgetPurse(new Map(budgets))
  }

  test('is spent by each of them, and others have their own', () => {
    const { spent, of } = { spent: purse(), of: ['a', 'b', 'a', 'b', 'c', 'c', 'c'] }
    expect(of.map((pool) => spent.spend(pool))).toEqual([true, true, false, false, true, true, true])
    expect([spent.remaining('a'), spent.remaining('b')]).toEqual([0, 0])
  })

  test('is spent by one pool alone, too', () => {
    const spent = purse()
    expect(['a', 'a', 'a'].map((pool) => spent.spend(pool))).toEqual([true, true, false])
  })
})

describe('what remains is what is allowed less the nodes already on their way or out of order', () => {
  const ten = (...others: readonly NodeOptions[]) =>
    Array.from({ length: 10 }, (_, index) => aStateNode(`n${index}`, others[index] ?? {}))
  const remaining = (nodes: ReturnType<typeof ten>, percent: string) =>
    computeBudgets([poolWith([{ nodes: percent }])], nodes, 'Empty', noon).get('default')

  test('case 4: a node that is not ready uses up the only place', () => {
    expect(remaining(ten({ ready: 'False' }), '10%')).toMatchObject({ allowed: 1, remaining: 0 })
  })
  test('cases 5 and 6: deleting, queued and not-ready nodes count alike', () => {
    expect(remaining(ten({ markedForDeletion: true }, { markedForDeletion: true }), '100%')?.remaining).toBe(8)
    expect(remaining(ten({ ready: 'Unknown' }, { ready: 'False' }), '100%')?.remaining).toBe(8)
  })
  test('cases 7 and 8: uninitialized nodes and instances already terminating are not counted at all', () => {
    const nodes = [
      ...ten(),
      aStateNode('new', { initialized: false }),
      aStateNode('gone', { conditions: [condition('InstanceTerminating')], markedForDeletion: true }),
    ]
    expect(remaining(nodes, '100%')).toMatchObject({ total: 10, remaining: 10 })
  })
  test('case 9: unmanaged nodes never change a total', () => {
    expect(remaining([...ten(), aStateNode('own', { claim: 'none' })], '10%')).toMatchObject({ total: 10, allowed: 1 })
  })
  test('a node that is being deleted counts, also while its claim is not seen to be', () => {
    const leaving = aStateNode('leaving')
    const node =
      leaving.node === undefined
        ? undefined
        : {
            ...leaving.node,
            metadata: { ...leaving.node.metadata, deletionTimestamp: '2026-06-14T00:00:00Z' },
          }
    expect(remaining([...ten().slice(1), { ...leaving, node }], '10%')?.remaining).toBe(0)
  })

  test('case 10: it is never negative', () => {
    expect(remaining(ten(...Array<NodeOptions>(10).fill({ markedForDeletion: true })), '10%')?.remaining).toBe(0)
  })
})

describe('when budgets of zero end', () => {
  const end = (budgets: Budgets, now: string): string | undefined => {
    const found = zeroBudgetEnd(poolWith(budgets), 'Drifted', at(now))
    return found === undefined ? undefined : new Date(found).toISOString()
  }

  test('at the end of the window; without a schedule never', () => {
    expect(end([{ nodes: '0', schedule: '@daily', duration: '5h' }], '2026-01-02T01:30:00Z')).toBe(
      '2026-01-02T05:00:00.000Z',
    )
    expect(end([{ nodes: '0' }], '2026-01-02T01:30:00Z')).toBeUndefined()
    expect(end([{ nodes: '0%', schedule: '0 0 31 2 *', duration: '1h' }], '2026-01-02T01:30:00Z')).toBeUndefined()
  })

  test('windows that overlap or follow each other count as one, those of other reasons not at all', () => {
    const budgets: Budgets = [
      { nodes: '0', schedule: '@daily', duration: '5h' },
      { nodes: '0', schedule: '0 5 * * *', duration: '1h' },
      { nodes: '0', schedule: '30 5 * * *', duration: '2h' },
      { nodes: '0', schedule: '0 7 * * *', duration: '9h', reasons: ['Empty'] },
      { nodes: '50%' },
    ]
    expect(end(budgets, '2026-01-02T01:30:00Z')).toBe('2026-01-02T07:30:00.000Z')
  })

  test('a schedule that covers all time has no end', () => {
    expect(end([{ nodes: '0', schedule: '* * * * *', duration: '1h' }], '2026-01-02T01:30:00Z')).toBeUndefined()
    expect(end([{ nodes: '0', schedule: '@hourly', duration: '1h' }], '2026-01-02T01:30:00Z')).toBeUndefined()
  })
})
