import { describe, expect, test } from 'vitest'
import type { NodeClaim, NodePoolBudget } from '../../../src/api/karpenter.ts'
import { annotationTerminationTimestamp } from '../../../src/api/labels.ts'
import type { Condition, Node } from '../../../src/api/kubernetes.ts'
import type { CountedNode } from '../../../src/rollout/status.ts'
import {
  hasZeroBudget,
  initializationBlock,
  lostNodeBlock,
  movementOf,
  readinessBlock,
  stuckCauses,
  terminationBlock,
  withZeroBudget,
} from '../../../src/rollout/stuck.ts'
import { aClaim, aNode, aPool } from '../../support/controller-builders.ts'

const minute = 60_000
const start = '2026-01-01T00:00:00Z'
const is = (type: string, status: Condition['status'] = 'True'): Condition => ({
  type,
  status,
  lastTransitionTime: start,
})
const base = { name: 'a', uid: 'a', resourceVersion: '1', creationTimestamp: start }
const dueAfter = (minutes: number) => ({
  annotations: { [annotationTerminationTimestamp]: new Date(Date.parse(start) + minutes * minute).toISOString() },
})
const old = (name: string, reason?: string, going = false): CountedNode => ({
  name,
  outdated: 'NodePoolDrifted',
  ready: true,
  going,
  blocked: reason === undefined ? undefined : { reason, message: 'why' },
})
const fresh: CountedNode = { name: 'new', outdated: undefined, ready: true, going: false, blocked: undefined }

const lingering = (name: string): CountedNode => {
  const lingers = { reason: 'TerminationBlocked', message: 'its pods stay' }
  return { ...old(name, undefined, true), blocked: lingers, lingers }
}

describe('a rollout is stuck', () => {
  const after = (minutes: number, ...nodes: readonly CountedNode[]) =>
    stuckCauses(nodes, { stillSince: 0, now: minutes * minute }).map(({ reason, message }) => `${reason}: ${message}`)

  test.each<[string, number, readonly CountedNode[], readonly string[]]>([
    ['not before a quarter of an hour', 14, [old('a', 'PDBBlocked')], []],
    ['after a quarter of an hour', 15, [fresh, old('a', 'PDBBlocked')], ['PDBBlocked: 1 node(s) blocked: a: why']],
    [
      'by a node limit that leaves no room for replacements',
      15,
      [old('a', 'NodeLimit')],
      ['NodeLimit: 1 node(s) blocked: a: why'],
    ],
    ['by more nodes than replicas', 15, [old('a', 'ExcessNodes')], ['ExcessNodes: 1 node(s) blocked: a: why']],
    ['not while a node is on its way', 99, [old('a', 'PDBBlocked'), old('b', undefined, true)], []],
    ['not while a node may still be taken', 99, [old('a', 'PDBBlocked'), old('b')], []],
    ['not by what passes by itself', 99, [old('a', 'PDBBlocked'), old('b', 'Nominated')], []],
    ['not by what a policy says for itself', 99, [old('a', 'RolloutHeld')], []],
    [
      'nor where a node that cannot end uses up the budget meanwhile',
      99,
      [old('a', 'RolloutHeld'), { ...lingering('b'), outdated: undefined, blocked: undefined }],
      [],
    ],
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
    [
      'by a node that was to end and does not',
      15,
      [old('a', 'PDBBlocked'), lingering('b')],
      ['PDBBlocked: 1 node(s) blocked: a: why', 'TerminationBlocked: 1 node(s) blocked: b: its pods stay'],
    ],
    [
      'by one that is outdated no more and uses up the budget of the others',
      15,
      [{ ...lingering('b'), outdated: undefined, blocked: undefined }, old('a', 'BudgetExhausted')],
      ['TerminationBlocked: 1 node(s) blocked: b: its pods stay'],
    ],
    [
      'by a node that never came up',
      15,
      [old('a', 'NotInitialized'), fresh],
      ['NotInitialized: 1 node(s) blocked: a: why'],
    ],
    [
      'by nodes out of service that use up the budget, their own turn included',
      15,
      [{ ...old('a', 'BudgetExhausted'), lingers: { reason: 'NodeNotReady', message: 'it is lost' } }],
      ['NodeNotReady: 1 node(s) blocked: a: it is lost'],
    ],
    ['not by a budget that others use for a moment', 99, [old('a', 'PDBBlocked'), old('b', 'BudgetExhausted')], []],
    ['not while another node ends', 99, [lingering('a'), old('b', undefined, true)], []],
  ])('%s', (_name, minutes, nodes, want) => {
    expect(after(minutes, ...nodes)).toEqual(want)
  })
})

describe('a node that is not in service', () => {
  const at = (minutes: number) => Date.parse(start) + minutes * minute
  const claimOf = (metadata: Partial<NodeClaim['metadata']>, ...conditions: readonly Condition[]): NodeClaim => {
    const claim = aClaim('a', { status: { conditions: [...conditions] } })
    return { ...claim, metadata: { ...base, ...metadata } }
  }
  const unknown = { ...is('Initialized', 'Unknown'), message: 'Node status is NotReady' }

  test.each<[string, number, NodeClaim, string | undefined]>([
    ['has a quarter of an hour to come up', 14, claimOf({}, is('Registered'), unknown), undefined],
    [
      'says what it lacks, and what helps',
      15,
      claimOf({}, is('Registered'), unknown),
      `registered at ${start} and not initialized since (Node status is NotReady): disruption does not take it; mend it, or delete NodeClaim a`,
    ],
    ['may be no node yet', 99, claimOf({}, is('Registered', 'Unknown'), unknown), undefined],
    ['may have come up', 99, claimOf({}, is('Registered'), is('Initialized')), undefined],
    ['may be going', 99, claimOf({ deletionTimestamp: start }, is('Registered'), unknown), undefined],
    ['does not tell since when', 99, claimOf({}, { ...is('Registered'), lastTransitionTime: '' }, unknown), undefined],
  ])('%s', (_name, minutes, claim, want) => {
    expect(initializationBlock(claim, at(minutes))?.message).toBe(want)
  })

  test.each<[string, number, Condition['status'], NodeClaim, string | undefined]>([
    ['has a quarter of an hour to come back', 14, 'False', claimOf({}, is('Initialized')), undefined],
    ['uses up the budget from then on', 15, 'Unknown', claimOf({}, is('Initialized')), `not ready since ${start}`],
    ['may be ready', 99, 'True', claimOf({}, is('Initialized')), undefined],
    ['was never in service', 99, 'False', claimOf({}, unknown), undefined],
  ])('%s', (_name, minutes, status, claim, want) => {
    const node: Node = { ...aNode('a', { status: { conditions: [is('Ready', status)] } }), metadata: base }
    const message = readinessBlock(claim, node, at(minutes))?.message
    if (want === undefined) expect(message).toBeUndefined()
    else expect(message).toContain(want)
  })

  test.each<[string, NodeClaim, Node | undefined, string | undefined, minutes?: number]>([
    ['has joined, and its Node is gone', claimOf({}, is('Registered')), undefined, 'delete NodeClaim a'],
    ['has just joined, whose Node may not have been read', claimOf({}, is('Registered')), undefined, undefined, 5],
    ['has its Node', claimOf({}, is('Registered')), { ...aNode('a'), metadata: base }, undefined],
    ['has not joined yet', claimOf({}, is('Registered', 'Unknown')), undefined, undefined],
    ['is going itself', claimOf({ deletionTimestamp: start }, is('Registered')), undefined, undefined],
  ])('a claim that %s', (_name, claim, node, want, minutes = 6) => {
    const block = lostNodeBlock(claim, node, at(minutes))
    if (want === undefined) expect(block).toBeUndefined()
    else expect(block).toEqual({ reason: 'NoNode', message: expect.stringContaining(want) })
  })

  test.each([[], [{ type: 'Ready', status: 'Unknown' as const }]])('may not tell since when: %j', (...conditions) => {
    const node = aNode('a', { status: { conditions } }) as Node
    expect(readinessBlock(claimOf({}, is('Initialized')), node, at(99))).toBeUndefined()
  })
})

test.each<[string, number, Partial<NodeClaim['metadata']>, Condition[], string | undefined]>([
  ['is not deleted', 999, {}, [], undefined],
  ['has an hour', 59, { deletionTimestamp: start }, [], undefined],
  ['keeps its pods', 60, { deletionTimestamp: start }, [is('Drained', 'Unknown')], 'pods do not leave it'],
  [
    'keeps its volumes',
    60,
    { deletionTimestamp: start },
    [is('Drained'), is('VolumesDetached', 'Unknown')],
    'its volumes are not detached',
  ],
  [
    'cannot be ended in the cloud',
    60,
    { deletionTimestamp: start },
    [is('Drained'), is('VolumesDetached')],
    'its instance does not end',
  ],
  [
    'never came, and whose instance stays',
    60,
    { deletionTimestamp: start },
    [is('InstanceTerminating')],
    'its instance does not end',
  ],
  ['nobody looks after', 60, { deletionTimestamp: start }, [], 'its termination has not begun'],
  ['has until its deadline, and an hour', 89, { deletionTimestamp: start, ...dueAfter(30) }, [], undefined],
  [
    'outlives its deadline',
    90,
    { deletionTimestamp: start, ...dueAfter(30) },
    [is('Drained', 'Unknown')],
    'pods do not leave it',
  ],
])('a node that %s', (_name, minutes, metadata, conditions, awaited) => {
  const claim = { ...aClaim('a', { status: { conditions } }), metadata: { ...base, ...metadata } }
  const expected =
    awaited === undefined ? undefined : { reason: 'TerminationBlocked', message: `deleted at ${start}, ${awaited}` }
  expect(terminationBlock(claim, Date.parse(start) + minutes * minute)).toEqual(expected)
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
