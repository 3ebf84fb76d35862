import { describe, expect, test } from 'vitest'
import type { NodePool, RolloutPolicy, RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import type { VoluntaryReason } from '../../../../src/disruption/budgets.ts'
import type { Candidate } from '../../../../src/disruption/candidates.ts'
import type { NodeLane, PolicyGate } from '../../../../src/rollout/engine/index.ts'
import { gateOfPolicies, policyView } from '../../../../src/rollout/engine/policy-view.ts'
import { aPool, aStateNode, aWorld, candidatesOf, noon } from '../../../support/disruption-builders.ts'

const change: NodeLane = { pool: 'default', lane: 'change', hold: undefined }

function aGate(gate: Partial<PolicyGate> = {}): PolicyGate {
  return {
    policy: 'careful',
    targets: new Map([['default', 'target-2']]),
    nodes: new Map(['a', 'b', 'c', 'd'].map((name) => [`claim-${name}`, change])),
    changes: 10,
    replacements: Number.POSITIVE_INFINITY,
    changesAreFree: false,
    sharedBudget: undefined,
    covers: new Set<VoluntaryReason>(['Drifted']),
    consolidation: undefined,
    rank: undefined,
    validUntil: undefined,
    ...gate,
  }
}

function aPolicy(spec: Omit<RolloutPolicySpec, 'nodePoolSelector'> = {}): RolloutPolicy {
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'careful', uid: 'careful', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { nodePoolSelector: {}, ...spec },
  }
}

interface Situation {
  readonly gate?: PolicyGate | undefined
  readonly policy?: RolloutPolicy
  readonly going?: readonly string[]
  readonly total?: number
  readonly unavailable?: number
  readonly target?: string
  readonly pool?: NodePool
  readonly paused?: boolean
  readonly now?: number
  /** Pools that the policy governs. */
  readonly governs?: readonly string[]
}

/** Names of the nodes that are let through, and the first reason of those that are not. */
function look(situation: Situation, reason: VoluntaryReason = 'Drifted') {
  const {
    policy = aPolicy(),
    going = [],
    total = 4,
    unavailable = 0,
    target = 'target-2',
    pool = aPool(),
    now = noon,
    governs = ['default'],
  } = situation
  const gate = 'gate' in situation ? situation.gate : aGate()
  const view = policyView(policy, gate, { isGoing: (claim) => going.includes(claim), total, unavailable })
  const pause = { until: noon + 1, by: 'NodePool/default', message: 'Paused until later by NodePool/default' }
  const all = gateOfPolicies({
    pauses: new Map([['default', situation.paused === true ? pause : undefined]]),
    views: new Map(governs.map((name) => [name, view])),
    targetOf: () => target,
    now,
  })
  const nodes = ['a', 'b', 'c'].map((name) => aStateNode(name))
  const candidates = candidatesOf(aWorld({ pools: [pool], nodes }))
  const holds = candidates.map((candidate) => all.hold(candidate, reason) ?? all.take?.(candidate, reason))
  return {
    free: candidates.filter((_, index) => holds[index] === undefined).map(({ name }) => name),
    why: holds.find((hold) => hold !== undefined),
    limit: all.limit('default', reason),
    common: all.common?.('default', reason),
    order: (list: readonly Candidate[]) => all.driftOrder?.(list).map(({ name }) => name),
    candidates,
  }
}

describe('drifted nodes', () => {
  const cases: Record<string, { situation: Situation; why: string }> = {
    'wait for the first look after a start': { situation: { gate: undefined }, why: 'it has not been looked at yet' },
    'wait when the target has moved since the look': {
      situation: { target: 'target-3' },
      why: 'the target has just changed',
    },
    'wait when the look did not see them': {
      situation: { gate: aGate({ nodes: new Map() }) },
      why: 'the node has just drifted',
    },
    'wait when the window has closed since': {
      situation: { gate: aGate({ validUntil: noon }) },
      why: 'the window has just closed',
    },
    'wait when others that began since have used up the step': {
      situation: { gate: aGate({ changes: 1 }), going: ['claim-d'] },
      why: 'the step has all its nodes',
    },
    'wait when others that began since have used up the rate': {
      situation: { gate: aGate({ replacements: 1 }), going: ['claim-d'] },
      why: 'the rate allows no more replacements now',
    },
    'wait as the engine says': {
      situation: {
        gate: aGate({
          nodes: new Map(
            ['a', 'b', 'c'].map((name) => [
              `claim-${name}`,
              { ...change, hold: { code: 'RolloutHeld', message: 'it soaks' } },
            ]),
          ),
        }),
      },
      why: 'it soaks',
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { situation, why }) => {
    const seen = look(situation)
    expect(seen.free).toEqual([])
    expect(seen.why?.code).toBe('RolloutHeld')
    expect(seen.why?.message).toContain(why)
  })

  test('go when nothing holds them, up to the last moment of the window', () => {
    expect(look({ gate: aGate({ validUntil: noon + 1 }) })).toMatchObject({ free: ['a', 'b', 'c'], limit: undefined })
  })

  test('that a rollback takes back are none of those that the rate bounds', () => {
    const gate = aGate({ replacements: 0, changesAreFree: true })
    expect(look({ gate, going: ['claim-d'] }).free).toEqual(['a', 'b', 'c'])
    const maintenance: NodeLane = { ...change, lane: 'maintenance' }
    const nodes = new Map([...gate.nodes, ['claim-a', maintenance], ['claim-b', maintenance]])
    expect(look({ gate: { ...gate, nodes } }).free).toEqual(['c'])
    expect(look({ gate: { ...gate, nodes, replacements: 1 }, going: ['claim-d'] }).free).toEqual(['a', 'b', 'c'])
    expect(look({ gate: { ...gate, nodes, replacements: 1 }, going: ['claim-b'] }).free).toEqual(['c'])
  })

  test('are not held by a policy that only observes', () => {
    expect(look({ policy: aPolicy({ mode: 'Observe' }), gate: undefined }).free).toEqual(['a', 'b', 'c'])
  })

  test('of a static pool go several at once, and no more than there is room for', () => {
    const pool = aPool({ replicas: 3 })
    expect(look({ pool, gate: aGate({ changes: 2 }) }).free).toEqual(['a', 'b'])
    expect(look({ pool, gate: aGate({ sharedBudget: '2' }), unavailable: 1 }).free).toEqual(['a'])
    const covers = new Set<VoluntaryReason>(['Empty', 'Underutilized'])
    expect(look({ pool, gate: aGate({ sharedBudget: '0', covers }) }).free).toEqual(['a', 'b', 'c'])
  })

  test('are bounded by what the shared budget leaves', () => {
    expect(look({ gate: aGate({ sharedBudget: '3' }), unavailable: 1 }).limit).toBe(2)
    expect(look({ gate: aGate({ sharedBudget: '1' }), unavailable: 4 }).limit).toBe(0)
    expect(look({ gate: aGate({ sharedBudget: '20%' }), total: 15 }).limit).toBe(3)
    expect(look({ gate: aGate({ sharedBudget: '20%' }), total: 16, unavailable: 1 }).limit).toBe(3)
  })
})

describe('a pause', () => {
  test.each(['Drifted', 'Empty', 'Underutilized'] as const)('holds %s', (reason) => {
    const seen = look({ paused: true }, reason)
    expect(seen.free).toEqual([])
    expect(seen.why).toEqual({ code: 'Paused', message: 'Paused until later by NodePool/default' })
  })
})

describe('a pool that no policy governs', () => {
  test.each([{ governs: [] }, { governs: ['other'] }])(
    'is held by a pause alone, where policies are for %j',
    (others) => {
      const pool = aPool({ replicas: 3 })
      const gate = aGate({ changes: 0, sharedBudget: '0' })
      expect(look({ ...others, gate, pool })).toMatchObject({ free: ['a', 'b', 'c'], limit: undefined })
      expect(look({ ...others, gate, pool, paused: true })).toMatchObject({ free: [], why: { code: 'Paused' } })
    },
  )
})

describe('consolidation', () => {
  const covering = aPolicy({ covers: ['Drift', 'Consolidation'] })
  const covers = new Set<VoluntaryReason>(['Drifted', 'Empty', 'Underutilized'])

  test.each(['Empty', 'Underutilized'] as const)('is not held for %s where the policy does not cover it', (reason) => {
    const consolidation = { code: 'RolloutHeld', message: 'closed' } as const
    expect(look({ gate: aGate({ consolidation, sharedBudget: '0' }) }, reason)).toMatchObject({
      free: ['a', 'b', 'c'],
      limit: undefined,
    })
  })

  test('is held by windows where it does', () => {
    const consolidation = { code: 'RolloutHeld', message: 'closed' } as const
    expect(look({ policy: covering, gate: aGate({ covers, consolidation }) }, 'Empty').why).toEqual(consolidation)
    expect(look({ policy: covering, gate: aGate({ covers, validUntil: noon }) }, 'Empty').free).toEqual([])
  })

  test('may take any of the nodes, as many at once as the shared budget leaves to all pools together', () => {
    const seen = look({ policy: covering, gate: aGate({ covers, sharedBudget: '3' }), unavailable: 1 }, 'Empty')
    expect(seen.free).toEqual(['a', 'b', 'c'])
    expect(seen.limit).toBe(2)
    expect(seen.common).toEqual([{ name: 'RolloutPolicy careful', nodes: 2 }])
  })

  test('takes none where the shared budget leaves none', () => {
    const seen = look({ policy: covering, gate: aGate({ covers, sharedBudget: '1' }), unavailable: 1 }, 'Empty')
    expect(seen.free).toEqual([])
    expect(seen.why?.message).toBe('RolloutPolicy careful: as many others go first as may go at once')
  })
})

test('nodes are ordered by rank, equal ones as usual, others left in their places', () => {
  const rank = new Map([
    ['claim-a', 1],
    ['claim-b', 0],
    ['claim-c', 0],
  ])
  const seen = look({ gate: aGate({ rank }) })
  expect(seen.order(seen.candidates)).toEqual(['b', 'c', 'a'])
  expect(look({}).order(seen.candidates)).toBeUndefined()
})
