import { describe, expect, test } from 'vitest'
import { decideEmptiness, filterEmpty } from '../../../src/disruption/emptiness.ts'
import { validateEmptiness } from '../../../src/disruption/validation.ts'
import type { Snapshot } from '../../../src/model/snapshot.ts'
import { aPool, aStateNode, aType, aWorld, candidatesOf, condition } from '../../support/disruption-builders.ts'
import { budgetsOf, busy, names } from '../../support/disruption-decisions.ts'

describe('emptiness', () => {
  const prices = [aType('cheap', { price: 0.1 }), aType('dear', { price: 0.4 }), aType('middling', { price: 0.2 })]

  function decide(world: Snapshot) {
    const { eligible, blocked } = filterEmpty(candidatesOf(world), new Set())
    return { decision: decideEmptiness(eligible, budgetsOf(world, 'Empty')), blocked }
  }

  test('case 50: with one node to go, the dearest goes', () => {
    const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } })]
    const nodes = [
      aStateNode('a', { type: 'cheap' }),
      aStateNode('b', { type: 'dear' }),
      aStateNode('c', { type: 'middling' }),
    ]
    const { decision } = decide(aWorld({ pools, nodes, types: prices }))
    expect(decision.kind === 'command' ? names(decision.command.candidates) : decision).toEqual(['b'])
  })

  test('case 51: one command takes as many as the budget lets go, and only the others are told of it', () => {
    const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '30%' }] } })]
    const nodes = Array.from({ length: 10 }, (_, index) => aStateNode(`n${index}`))
    const { decision } = decide(aWorld({ pools, nodes }))
    expect(decision.kind === 'command' ? names(decision.command.candidates) : decision).toEqual(['n0', 'n1', 'n2'])
    expect(decision.blocked.map(({ stateNode }) => stateNode.name)).toEqual(nodes.slice(3).map(({ name }) => name))
  })

  test('case 52: a pool that never consolidates says so', () => {
    const pools = [aPool({ disruption: { consolidateAfter: 'Never' } })]
    const { decision, blocked } = decide(aWorld({ pools, nodes: [aStateNode('a')] }))
    expect(decision).toEqual({ kind: 'nothing', constrained: false, blocked: [] })
    expect(blocked.map(({ message }) => message)).toEqual(['NodePool "default" has consolidation disabled'])
  })

  test.each(['WhenEmpty', 'Balanced'] as const)(
    'case 53: policy %s deletes empty nodes, too',
    (consolidationPolicy) => {
      const pools = [
        aPool({ disruption: { consolidateAfter: '0s', consolidationPolicy, budgets: [{ nodes: '100%' }] } }),
      ]
      expect(decide(aWorld({ pools, nodes: [aStateNode('a')] })).decision.kind).toBe('command')
    },
  )

  test('case 57: not before its claim is Consolidatable', () => {
    expect(decide(aWorld({ nodes: [aStateNode('a', { conditions: [] })] })).decision).toEqual({
      kind: 'nothing',
      constrained: false,
      blocked: [],
    })
  })

  test('case 59: one that has drifted as well goes as empty, within the budget of empty nodes', () => {
    const conditions = [condition('Drifted'), condition('Consolidatable')]
    const budgets = [
      { nodes: '0', reasons: ['Drifted' as const] },
      { nodes: '1', reasons: ['Empty' as const] },
    ]
    const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets } })]
    const nodes = [aStateNode('a', { conditions }), aStateNode('b', { conditions })]
    const { decision } = decide(aWorld({ pools, nodes }))
    expect(decision).toMatchObject({ kind: 'command', command: { reason: 'Empty', candidates: [{ name: 'a' }] } })
  })

  test('case 58: a node that holds buffer pods is kept', () => {
    const { eligible, blocked } = filterEmpty(
      candidatesOf(aWorld({ nodes: [aStateNode('a')] })),
      new Set(['aws:///z1/i-a']),
    )
    expect(eligible).toEqual([])
    expect(blocked.map(({ message }) => message)).toEqual(['Node "a" has buffer pods'])
  })

  test('a spent budget is remembered as a constraint, not as consolidated', () => {
    const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] } })]
    const { decision } = decide(aWorld({ pools, nodes: [aStateNode('a')] }))
    expect(decision).toMatchObject({ kind: 'nothing', constrained: true })
    expect(decision.blocked.map(({ stateNode, code, reported }) => [stateNode.name, code, reported])).toEqual([
      ['a', 'BudgetExhausted', 'silently'],
    ])
  })

  describe('after the wait', () => {
    const before = aWorld({ nodes: [aStateNode('a'), aStateNode('b')] })
    const command = () => {
      const decision = decide(before).decision
      if (decision.kind !== 'command') throw new Error('expected a command')
      return decision.command
    }
    const again = (world: Snapshot) => {
      const { eligible } = filterEmpty(candidatesOf(world), new Set())
      return validateEmptiness({ command: command(), eligible, budgets: budgetsOf(world, 'Empty'), now: world.now })
    }

    test('case 54: a pod that came keeps its node, the other goes', () => {
      const result = again(aWorld({ nodes: [busy('a'), aStateNode('b')] }))
      expect(result.kind === 'valid' ? [names(result.command.candidates), result.dropped] : result).toEqual([['b'], 1])
    })
    test('case 55: nothing is left', () => {
      expect(again(aWorld({ nodes: [busy('a'), busy('b')] }))).toMatchObject({
        kind: 'invalid',
        failure: 'churn',
        dropped: 2,
      })
    })
    test('case 56: the budget closed', () => {
      const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] } })]
      const world = aWorld({ pools, nodes: [aStateNode('a'), aStateNode('b')] })
      expect(again(world)).toMatchObject({ kind: 'invalid', failure: 'budget', dropped: 2 })
    })
  })
})
