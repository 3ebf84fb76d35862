import { describe, expect, test } from 'vitest'
import {
  combineGates,
  type DisruptionGate,
  holdingGate,
  limitBudgets,
  openGate,
  throughGate,
} from '../../../src/disruption/gate.ts'
import { type BudgetMap, BudgetPurse } from '../../../src/disruption/budgets.ts'
import { aCandidate, aPool, aStateNode, aWorld, candidatesOf } from '../../support/disruption-builders.ts'

const holds = (name: string, message: string): DisruptionGate => ({
  ...openGate,
  hold: (candidate) => (candidate.name === name ? { code: 'RolloutHeld', message } : undefined),
})
const limits = (limit: number | undefined): DisruptionGate => ({ ...openGate, limit: () => limit })

describe('gates together', () => {
  test('the first that holds a node says why', () => {
    const gate = combineGates(holds('a', 'first'), holds('a', 'second'), holds('b', 'third'))
    expect(gate.hold(aCandidate('a'), 'Drifted')?.message).toBe('first')
    expect(gate.hold(aCandidate('b'), 'Drifted')?.message).toBe('third')
    expect(gate.hold(aCandidate('c'), 'Drifted')).toBeUndefined()
  })

  test('the lowest bound counts, and none bounds nothing', () => {
    expect(combineGates(limits(3), limits(undefined), limits(1)).limit('pool', 'Empty')).toBe(1)
    expect(combineGates(openGate, limits(undefined)).limit('pool', 'Empty')).toBeUndefined()
  })

  test('the first order that is given counts', () => {
    const reversed: DisruptionGate = { ...openGate, driftOrder: (candidates) => candidates.toReversed() }
    expect(combineGates(openGate, reversed).driftOrder).toBe(reversed.driftOrder)
    expect(combineGates(openGate).driftOrder).toBeUndefined()
  })
})

test('held nodes are blocked with the code and words of the gate, without an event each', () => {
  const [a, b] = [aCandidate('a'), aCandidate('b')]
  const { eligible, blocked } = throughGate([a, b], 'Drifted', holds('a', 'not yet'))
  expect(eligible).toEqual([b])
  expect(blocked).toEqual([{ stateNode: a.stateNode, code: 'RolloutHeld', message: 'not yet', reported: 'silently' }])
})

test.each([
  'ConsolidationUndone',
  'PodsAwaited',
  'LateReplacement',
  'LaunchRefused',
  'MarkingRefused',
  'DeletionRefused',
] as const)('of %s the node itself tells in an event, since nothing else does', (code) => {
  const gate = holdingGate(() => ({ code, message: 'not yet' }))
  const { blocked } = throughGate([aCandidate('a')], 'Underutilized', gate)
  expect(blocked).toMatchObject([{ code, reported: 'DisruptionBlocked' }])
})

test('where several go in one pass, a pool whose nodes stay anyway takes no place from another', () => {
  const pools = ['closed', 'narrow', 'open'].map((name) => aPool({ name }))
  const nodes = pools.flatMap(({ metadata: { name } }) =>
    ['1', '2'].map((index) => aStateNode(`${name}-${index}`, { pool: name })),
  )
  const candidates = candidatesOf(aWorld({ pools, nodes }))
  let left = 2
  const gate: DisruptionGate = {
    ...holds('held', 'not yet'),
    take: () => {
      left -= 1
      return left < 0 ? { code: 'RolloutHeld', message: 'others go first' } : undefined
    },
  }
  const room: Readonly<Record<string, number>> = { closed: 0, narrow: 1, open: 2 }
  const { blocked } = throughGate(candidates, 'Drifted', combineGates(gate), (pool) => room[pool] ?? 0)
  // Of the nodes that a pool keeps its own budget tells: both of the first, one of the second.
  expect(blocked.map(({ stateNode }) => stateNode.name)).toEqual(['open-2'])
})

test('nodes that a gate holds use up no room of their pool, so it holds all that it must', () => {
  const candidates = ['1', '2', '3'].map(aCandidate)
  const gate: DisruptionGate = { ...openGate, take: () => ({ code: 'RolloutHeld', message: 'others go first' }) }
  const { eligible, blocked } = throughGate(candidates, 'Drifted', combineGates(gate), () => 1)
  expect([eligible.length, blocked.length]).toEqual([0, 3])
})

test('a bound lowers what remains of a budget and never raises it', () => {
  const budget = {
    pool: aCandidate('a').pool,
    total: 10,
    disrupting: 0,
    allowed: 4,
    remaining: 4,
    error: undefined,
  }
  const budgets: BudgetMap = new Map([['p', budget]])
  expect(limitBudgets(budgets, 'Drifted', limits(1)).get('p')).toMatchObject({ allowed: 4, remaining: 1 })
  expect(limitBudgets(budgets, 'Drifted', limits(9)).get('p')).toMatchObject({ remaining: 4 })
  expect(limitBudgets(budgets, 'Drifted', openGate).get('p')).toBe(budget)
})

test('what pools may start together is spent by all of them, whoever comes first', () => {
  const { pool } = aCandidate('a')
  const budget = { pool, total: 10, disrupting: 0, allowed: 2, remaining: 2, error: undefined }
  const budgets: BudgetMap = new Map(['p', 'q', 'free'].map((name) => [name, budget]))
  const common: DisruptionGate = {
    ...openGate,
    common: (name) => (name === 'free' ? [] : [{ name: 'policy', nodes: 3 }]),
  }
  const purse = new BudgetPurse(limitBudgets(budgets, 'Empty', combineGates(limits(undefined), common)))
  expect(['q', 'q', 'q', 'p', 'p', 'free', 'free', 'free'].map((name) => purse.spend(name))).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
    true,
    false,
  ])
  expect(['p', 'q', 'free'].map((name) => purse.remaining(name))).toEqual([0, 0, 0])
})

test('of several rooms that pools have in common, each bounds them', () => {
  const { pool } = aCandidate('a')
  const budget = { pool, total: 10, disrupting: 0, allowed: 9, remaining: 9, error: undefined }
  const budgets: BudgetMap = new Map(['p', 'q', 'r'].map((name) => [name, budget]))
  const room = (name: string, nodes: number, pools: readonly string[]): DisruptionGate => ({
    ...openGate,
    common: (of) => (pools.includes(of) ? [{ name, nodes }] : []),
  })
  const gate = combineGates(room('policy', 2, ['p', 'q']), room('brake', 3, ['p', 'q', 'r']))
  const purse = new BudgetPurse(limitBudgets(budgets, 'Empty', gate))
  expect(['p', 'q', 'p', 'r', 'r'].map((name) => purse.spend(name))).toEqual([true, true, false, true, false])
})

test('gates that are all open are one open gate, through which everything passes as it came', () => {
  expect(combineGates(openGate, openGate)).toBe(openGate)
  expect(combineGates(openGate, limits(1))).not.toBe(openGate)
  const candidates = [aCandidate('a')]
  expect(throughGate(candidates, 'Empty', openGate)).toEqual({ eligible: candidates, blocked: [] })
})
