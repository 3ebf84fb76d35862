import { describe, expect, test } from 'vitest'
import type { NodePoolBudget } from '../../../src/api/karpenter.ts'
import type { CountedNode } from '../../../src/rollout/status.ts'
import { hasZeroBudget, movementOf, stuckCauses, withZeroBudget } from '../../../src/rollout/stuck.ts'
import { aPool } from '../../support/controller-builders.ts'

const minute = 60_000
const old = (name: string, reason?: string, going = false): CountedNode => ({
  name,
  outdated: 'NodePoolDrifted',
  ready: true,
  going,
  blocked: reason === undefined ? undefined : { reason, message: 'why' },
})
const fresh: CountedNode = { name: 'new', outdated: undefined, ready: true, going: false, blocked: undefined }

describe('a rollout is stuck', () => {
  const after = (minutes: number, ...nodes: readonly CountedNode[]) =>
    stuckCauses(nodes, { stillSince: 0, now: minutes * minute }).map(({ reason, message }) => `${reason}: ${message}`)

  test.each<[string, number, readonly CountedNode[], readonly string[]]>([
    ['not before a quarter of an hour', 14, [old('a', 'PDBBlocked')], []],
    ['after a quarter of an hour', 15, [fresh, old('a', 'PDBBlocked')], ['PDBBlocked: 1 node(s) blocked: a: why']],
    ['not while a node is on its way', 99, [old('a', 'PDBBlocked'), old('b', undefined, true)], []],
    ['not while a node may still be taken', 99, [old('a', 'PDBBlocked'), old('b')], []],
    ['not by what passes by itself', 99, [old('a', 'PDBBlocked'), old('b', 'Nominated')], []],
    ['not by what a policy says for itself', 99, [old('a', 'RolloutHeld')], []],
    [
      'not within an hour where pods must not be disturbed',
      59,
      [old('a', 'PodDoNotDisrupt'), old('b', 'PDBBlocked')],
      [],
    ],
    [
      'by everything that holds its nodes',
      60,
      [old('a', 'PodDoNotDisrupt'), old('b', 'PDBBlocked'), old('c', 'PDBBlocked')],
      ['PDBBlocked: 2 node(s) blocked: b: why', 'PodDoNotDisrupt: 1 node(s) blocked: a: why'],
    ],
    ['never without outdated nodes', 99, [fresh], []],
  ])('%s', (_name, minutes, nodes, want) => {
    expect(after(minutes, ...nodes)).toEqual(want)
  })
})

test.each<[string, NodePoolBudget[], boolean]>([
  ['no budget', [], false],
  ['nothing, always', [{ nodes: '0' }], true],
  ['nothing, in per cent', [{ nodes: '10%' }, { nodes: '0%' }], true],
  ['nothing in a window', [{ nodes: '0', schedule: '@daily', duration: '10m' }], false],
  ['no empty node', [{ nodes: '0', reasons: ['Empty'] }], false],
  ['no drifted node', [{ nodes: '0', reasons: ['Empty', 'Drifted'] }], true],
])('a budget that never lets a drifted node go: %s', (_name, budgets, want) => {
  expect(hasZeroBudget(aPool('p', { disruption: { consolidateAfter: '0s', budgets } }))).toBe(want)
})

test('only a budget that is never open is told apart from one that is used up', () => {
  expect(withZeroBudget(old('a', 'BudgetExhausted'), true).blocked?.reason).toBe('BudgetIsZero')
  expect(withZeroBudget(old('a', 'BudgetExhausted'), false).blocked?.reason).toBe('BudgetExhausted')
  expect(withZeroBudget(old('a', 'PDBBlocked'), true).blocked?.reason).toBe('PDBBlocked')
})

test('a rollout moves when an old node leaves or starts to; new nodes and blocks are no movement', () => {
  const still = movementOf([old('a', 'PDBBlocked'), old('b')])
  expect(movementOf([fresh, old('b', 'PDBBlocked'), old('a')])).toBe(still)
  expect(movementOf([old('b')])).not.toBe(still)
  expect(movementOf([old('a', undefined, true), old('b')])).not.toBe(still)
})
