import { describe, expect, test } from 'vitest'
import type { Condition } from '../../../src/api/kubernetes.ts'
import {
  type CountedNode,
  countNodes,
  retiringCondition,
  rolloutConditions,
  type RolloutConditionsInput,
  withConditions,
} from '../../../src/rollout/status.ts'

const node = (name: string, more: Partial<CountedNode> = {}): CountedNode => ({
  name,
  outdated: undefined,
  ready: true,
  going: false,
  blocked: undefined,
  ...more,
})
const old = (name: string, more: Partial<CountedNode> = {}) => node(name, { outdated: 'NodePoolDrifted', ...more })
const blocked = (name: string, reason: string) => old(name, { blocked: { reason, message: `because of ${reason}` } })

describe('how many nodes', () => {
  test('outdated ones count until they are gone, up-to-date ones only while they stay', () => {
    const nodes = [
      node('a'),
      node('b', { ready: false }),
      node('c', { going: true }),
      old('d'),
      old('e', { going: true }),
    ]
    expect(countNodes(nodes)).toEqual({
      nodes: 3,
      upToDateNodes: 2,
      driftedNodes: 2,
      readyNodes: 2,
      blockedNodes: 0,
      blockedBy: [],
    })
  })

  test('what blocks them: most nodes first, with the first node of each', () => {
    const nodes = [
      blocked('z', 'PDBBlocked'),
      blocked('c', 'BudgetExhausted'),
      blocked('y', 'PDBBlocked'),
      blocked('b', 'Nominated'),
    ]
    expect(countNodes(nodes).blockedBy).toEqual([
      { reason: 'PDBBlocked', nodes: 2, message: 'y: because of PDBBlocked' },
      { reason: 'BudgetExhausted', nodes: 1, message: 'c: because of BudgetExhausted' },
      { reason: 'Nominated', nodes: 1, message: 'b: because of Nominated' },
    ])
    expect(countNodes(nodes).blockedNodes).toBe(4)
  })

  test('no more reasons than the status may list', () => {
    const nodes = Array.from({ length: 30 }, (_, index) => blocked(`n${index}`, `Reason${index}`))
    expect(countNodes(nodes).blockedBy).toHaveLength(10)
    expect(countNodes(nodes).blockedNodes).toBe(30)
  })

  test('a message that is longer than the status may hold ends in a sign that it was cut', () => {
    const node = old('a', { blocked: { reason: 'PDBBlocked', message: 'm'.repeat(2_000) } })
    expect(countNodes([node]).blockedBy[0]?.message).toBe(`a: ${'m'.repeat(1_020)}…`)
  })
})

describe('Reconciling and Stalled', () => {
  const target = '123-0a1b2c3d'
  const told = (more: Partial<RolloutConditionsInput>) =>
    rolloutConditions({ nodes: [], target, leftAlone: undefined, progress: undefined, stalled: [], ...more }).map(
      ({ type, status, reason, message }) => `${type}=${status} ${reason} ${message}`.trim(),
    )
  const fine = 'Stalled=False NotStalled'

  test.each<[string, Partial<RolloutConditionsInput>, readonly string[]]>([
    ['without nodes', {}, [`Reconciling=False UpToDate every node is as it is wanted; target ${target}`, fine]],
    [
      'with nodes to replace',
      { nodes: [node('a'), old('b'), old('c', { outdated: 'AMIDrift' }), blocked('d', 'PDBBlocked')] },
      [
        `Reconciling=True ReplacingNodes 3 of 4 node(s) to be replaced (2 NodePoolDrifted, 1 AMIDrift); blocked: 1 PDBBlocked; target ${target}`,
        fine,
      ],
    ],
    [
      'with nodes to replace while paused',
      { nodes: [old('a')], paused: 'Paused until 2026-01-02T00:00:00Z by NodePool/x' },
      [
        `Reconciling=True Paused 1 of 1 node(s) to be replaced (1 NodePoolDrifted); Paused until 2026-01-02T00:00:00Z by NodePool/x; target ${target}`,
        fine,
      ],
    ],
    [
      'under a policy that says nothing but that, the pause is told once',
      {
        nodes: [old('a')],
        progress: 'Paused: Paused until 2026-01-02T00:00:00Z by NodePool/x',
        paused: 'Paused until 2026-01-02T00:00:00Z by NodePool/x',
      },
      [
        `Reconciling=True Paused 1 of 1 node(s) to be replaced (1 NodePoolDrifted); Paused until 2026-01-02T00:00:00Z by NodePool/x; target ${target}`,
        fine,
      ],
    ],
    [
      'under a policy that is at a step, the step is told as well',
      { nodes: [old('a')], progress: 'Soaking: step 1 of 2', paused: 'Paused until later by NodePool/x' },
      [
        `Reconciling=True Paused 1 of 1 node(s) to be replaced (1 NodePoolDrifted); Soaking: step 1 of 2; Paused until later by NodePool/x; target ${target}`,
        fine,
      ],
    ],
    [
      'with nothing to do while paused',
      { nodes: [node('a')], paused: 'Paused until 2026-01-02T00:00:00Z by NodePool/x' },
      [`Reconciling=False UpToDate every node is as it is wanted; target ${target}`, fine],
    ],
    [
      'with the last old node going',
      { nodes: [node('a'), old('b', { going: true })] },
      [`Reconciling=True ReplacingNodes 1 of 2 node(s) to be replaced (1 NodePoolDrifted); target ${target}`, fine],
    ],
    [
      'under a policy',
      { nodes: [old('b')], progress: 'Soaking: step 1 of 2' },
      [
        `Reconciling=True ReplacingNodes 1 of 1 node(s) to be replaced (1 NodePoolDrifted); Soaking: step 1 of 2; target ${target}`,
        fine,
      ],
    ],
    [
      'under a policy that leaves old nodes alone',
      { nodes: [old('b')], leftAlone: { reason: 'NewNodesOnly', message: '1 node stays' } },
      [`Reconciling=False NewNodesOnly 1 node stays; target ${target}`, fine],
    ],
    ...['RestartRequested', 'SoftExpired', 'Retiring'].map(
      (outdated): [string, Partial<RolloutConditionsInput>, readonly string[]] => [
        `under such a policy, with a node that goes all the same (${outdated})`,
        { nodes: [old('b', { outdated })], leftAlone: { reason: 'NewNodesOnly', message: '1 node stays' } },
        [`Reconciling=True ReplacingNodes 1 of 1 node(s) to be replaced (1 ${outdated}); target ${target}`, fine],
      ],
    ),
    [
      'under such a policy, with one that goes beside those that stay',
      {
        nodes: [old('a'), old('b', { outdated: 'SoftExpired' })],
        leftAlone: { reason: 'NewNodesOnly', message: '1 node stays' },
      },
      [
        `Reconciling=True ReplacingNodes 2 of 2 node(s) to be replaced (1 NodePoolDrifted, 1 SoftExpired); target ${target}`,
        fine,
      ],
    ],
    [
      'under such a policy, with a new node that goes as nodes do',
      { nodes: [old('a'), node('b', { going: true })], leftAlone: { reason: 'NewNodesOnly', message: '1 node stays' } },
      [`Reconciling=False NewNodesOnly 1 node stays; target ${target}`, fine],
    ],
    [
      'under such a policy, with a node that had begun to go before',
      { nodes: [old('b', { going: true })], leftAlone: { reason: 'NewNodesOnly', message: '1 node stays' } },
      [`Reconciling=True ReplacingNodes 1 of 1 node(s) to be replaced (1 NodePoolDrifted); target ${target}`, fine],
    ],
    [
      'stuck: it still has to be done',
      {
        nodes: [old('b')],
        stalled: [
          { reason: 'Halted', message: 'the canary failed' },
          { reason: 'CircuitOpen', message: 'no capacity' },
        ],
      },
      [
        `Reconciling=True ReplacingNodes 1 of 1 node(s) to be replaced (1 NodePoolDrifted); target ${target}`,
        'Stalled=True CircuitOpen no capacity; Halted: the canary failed',
      ],
    ],
  ])('%s', (_name, input, want) => {
    expect(told(input)).toEqual(want)
  })

  test('the order in which nodes and causes come changes nothing', () => {
    const nodes = [
      old('a'),
      blocked('b', 'PDBBlocked'),
      blocked('c', 'BudgetExhausted'),
      old('d', { outdated: 'AMIDrift' }),
    ]
    const stalled = [
      { reason: 'B', message: 'two' },
      { reason: 'A', message: 'one' },
      { reason: 'B', message: 'one' },
    ]
    expect(told({ nodes: nodes.toReversed(), stalled: stalled.toReversed() })).toEqual(told({ nodes, stalled }))
  })
})

describe('setting conditions', () => {
  const at = { generation: 7, now: Date.parse('2026-01-02T00:00:00Z') }
  const existing = (type: string, more: Partial<Condition> = {}): Condition => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration: 3,
    ...more,
  })
  const reconciling = { type: 'Reconciling', status: 'True', reason: 'ReplacingNodes', message: 'm' } as const

  test('leaves all others as they are, Ready too, and puts new ones before Ready', () => {
    const before = [existing('NodeClassReady'), existing('Ready', { status: 'Unknown' })]
    const after = withConditions(before, [reconciling], at)
    expect(after.map(({ type }) => type)).toEqual(['NodeClassReady', 'Reconciling', 'Ready'])
    expect([after[0], after[2]]).toEqual(before)
    expect(after[1]).toEqual({ ...reconciling, lastTransitionTime: '2026-01-02T00:00:00Z', observedGeneration: 7 })
  })

  test('a new message or generation is no transition', () => {
    const [after] = withConditions([existing('Reconciling')], [reconciling], at)
    expect(after).toMatchObject({ message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 7 })
  })

  test('another status is', () => {
    const [after] = withConditions([existing('Reconciling', { status: 'False' })], [reconciling], at)
    expect(after?.lastTransitionTime).toBe('2026-01-02T00:00:00Z')
  })

  test('what is set already stays the same', () => {
    const once = withConditions([existing('Ready')], [reconciling], at)
    expect(withConditions(once, [reconciling], { ...at, now: at.now + 60_000 })).toEqual(once)
  })
})

test('a pool that is retired can be deleted once its last node is gone, and not before', () => {
  expect(retiringCondition(1)).toMatchObject({ status: 'True', reason: 'Draining', message: '1 node(s) left' })
  expect(retiringCondition(0)).toMatchObject({ status: 'True', reason: 'Drained' })
})
