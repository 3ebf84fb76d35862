import { describe, expect, test } from 'vitest'
import { computeBudgets, type VoluntaryReason } from '../../../src/disruption/budgets.ts'
import { type Candidate, surveyCandidates } from '../../../src/disruption/candidates.ts'
import type { Replacement } from '../../../src/disruption/command.ts'
import { candidateText, commandText, estimatedSavings } from '../../../src/disruption/command.ts'
import { computeConsolidation, filterConsolidation } from '../../../src/disruption/consolidation.ts'
import { decideDrift, filterDrifted } from '../../../src/disruption/drift.ts'
import { decideEmptiness, filterEmpty } from '../../../src/disruption/emptiness.ts'
import { decideMultiNode } from '../../../src/disruption/multi-node.ts'
import type { Simulate, SimulationResult } from '../../../src/disruption/simulation.ts'
import { runToEnd } from '../../../src/disruption/sliced.ts'
import { decideSingleNode, fairOrder } from '../../../src/disruption/single-node.ts'
import { decideStaticDrift, filterStaticDrifted, heldStaticDrift } from '../../../src/disruption/static-drift.ts'
import { simulatorOn } from '../../../src/disruption/what-if.ts'
import { validateCandidates, validateEmptiness, validateSimulation } from '../../../src/disruption/validation.ts'
import { defaultSettings } from '../../../src/scheduling/index.ts'
import { toRequirement } from '../../../src/model/requirement.ts'
import { requirementsOf } from '../../../src/model/requirements.ts'
import type { InstanceType } from '../../../src/model/instance-type.ts'
import type { Snapshot, StateNode } from '../../../src/model/snapshot.ts'
import {
  aBudget,
  aPool,
  aRunningPod,
  aStateNode,
  aType,
  aWorld,
  candidatesOf,
  condition,
  minute,
  noon,
} from '../../support/disruption-builders.ts'

const wellKnownLabels = new Set([
  'karpenter.sh/capacity-type',
  'topology.kubernetes.io/zone',
  'node.kubernetes.io/instance-type',
])
const options = { wellKnownLabels, spotToSpot: false }

function plan(types: readonly InstanceType[], ...requirements: ReturnType<typeof toRequirement>[]): Replacement {
  return { nodePool: 'default', requirements: requirementsOf(...requirements), instanceTypes: types }
}
const eitherCapacityType = toRequirement('karpenter.sh/capacity-type', 'In', ['on-demand', 'spot'])

const onDemand = toRequirement('karpenter.sh/capacity-type', 'In', ['on-demand'])

type Answer = Partial<Extract<SimulationResult<Replacement>, { kind: 'placed' }>>

/** A solver that answers by how many, or which, nodes are taken away. */
function simulating(answer: (names: readonly string[]) => Answer): {
  simulate: Simulate<Replacement>
  asked: string[][]
} {
  const asked: string[][] = []
  const simulate: Simulate<Replacement> = function* ({ candidates }) {
    const names = candidates.map(({ name }) => name)
    asked.push(names)
    yield
    return { kind: 'placed', replacements: [], destinations: [], unplaced: undefined, ...answer(names) }
  }
  return { simulate, asked }
}

const budgetsOf = (world: Snapshot, reason: VoluntaryReason) =>
  computeBudgets(world.nodePools, world.nodes, reason, world.now)
const busy = (name: string, more: Parameters<typeof aStateNode>[1] = {}): StateNode =>
  aStateNode(name, { pods: [aRunningPod()], ...more })
const names = (candidates: readonly Candidate[] | undefined) => candidates?.map(({ name }) => name)

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

  test('case 51: one command takes as many as the budget lets go', () => {
    const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '30%' }] } })]
    const nodes = Array.from({ length: 10 }, (_, index) => aStateNode(`n${index}`))
    const { decision } = decide(aWorld({ pools, nodes }))
    expect(decision.kind === 'command' ? names(decision.command.candidates) : decision).toEqual(['n0', 'n1', 'n2'])
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

describe('drift', () => {
  const drifted = (since: number) => ({
    conditions: [condition('Drifted', 'True', since), condition('Consolidatable')],
  })
  const old = drifted(noon - 60 * minute)
  const recent = drifted(noon - minute)

  function decide(world: Snapshot, answer: (names: readonly string[]) => Answer = () => ({})) {
    const eligible = filterDrifted(candidatesOf(world))
    const { simulate, asked } = simulating(answer)
    return { ...runToEnd(decideDrift(eligible, budgetsOf(world, 'Drifted'), simulate)), asked }
  }

  test('case 60: one command, for the node that has drifted longest; the next pass takes the next', () => {
    const [a, b, c] = [busy('a', recent), busy('b', old), busy('c', recent)]
    const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '2' }] } })]
    expect(names(decide(aWorld({ pools, nodes: [a, b, c] })).command?.candidates)).toEqual(['b'])
    const nextOf = (nodes: readonly StateNode[]) => {
      const world = aWorld({ pools, nodes })
      const survey = surveyCandidates(world, { disruptionClass: 'eventual', queued: new Set() })
      const { simulate } = simulating(() => ({}))
      return runToEnd(decideDrift(filterDrifted(survey.candidates), budgetsOf(world, 'Drifted'), simulate)).command
    }
    const going = (node: StateNode): StateNode => ({ ...node, markedForDeletion: true })
    expect(names(nextOf([a, going(b), c])?.candidates)).toEqual(['a'])
    expect(nextOf([going(a), going(b), c])).toBeUndefined()
  })
  test('case 61: nodes without pods to move go first', () => {
    const { command } = decide(aWorld({ nodes: [busy('a', old), aStateNode('b', recent)] }))
    expect(names(command?.candidates)).toEqual(['b'])
  })
  test('case 62: a node whose pods fit nowhere is told, and the next one tried in the same pass', () => {
    const unplaced = 'not all pods would schedule, default/p => no room '
    const { command, blocked } = decide(aWorld({ nodes: [busy('a', old), busy('b', recent)] }), ([first]) =>
      first === 'a' ? { unplaced } : {},
    )
    expect(names(command?.candidates)).toEqual(['b'])
    expect(blocked.map(({ message, reported }) => [message, reported])).toEqual([
      ['Not all pods would schedule, default/p => no room ', 'DisruptionBlocked'],
    ])
  })
  test('case 63: as many replacements as its pods need', () => {
    const { command } = decide(aWorld({ nodes: [busy('a', old)] }), () => ({ replacements: [plan([]), plan([])] }))
    expect(command?.replacements).toHaveLength(2)
  })
  test('case 64: consolidateAfter Never does not stop it', () => {
    const pools = [aPool({ disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '1' }] } })]
    expect(names(decide(aWorld({ pools, nodes: [busy('a', old)] })).command?.candidates)).toEqual(['a'])
  })
  test('case 65: only a condition that is True counts', () => {
    const world = aWorld({ nodes: [busy('a', { conditions: [condition('Drifted', 'False')] }), busy('b')] })
    expect(decide(world)).toMatchObject({ command: undefined, asked: [] })
  })
  test('case 66: with nobody left to move but a pod that its budget keeps, a plain deletion', () => {
    const pods = [aRunningPod({ labels: { app: 'db' } })]
    const budgets = [aBudget('pdb', { selector: { matchLabels: { app: 'db' } }, maxUnavailable: 0 }, 0)]
    const decideFor = (node: StateNode) => {
      const world = aWorld({ nodes: [node], budgets })
      const survey = surveyCandidates(world, { disruptionClass: 'eventual', queued: new Set() })
      const simulate = simulatorOn(world, defaultSettings)
      return runToEnd(decideDrift(filterDrifted(survey.candidates), budgetsOf(world, 'Drifted'), simulate)).command
    }
    const command = decideFor(aStateNode('a', { ...old, pods, terminationGracePeriod: '5m' }))
    expect(command).toMatchObject({ method: 'drift', candidates: [{ name: 'a' }], replacements: [] })
    // One that may move has to find a place, and here there is none.
    const moving = [...pods, aRunningPod()]
    expect(decideFor(aStateNode('a', { ...old, pods: moving, terminationGracePeriod: '5m' }))).toBeUndefined()
    expect(decideFor(aStateNode('a', { ...old, pods }))).toBeUndefined()
  })

  describe('of static pools', () => {
    const world = (replicas: number) =>
      aWorld({
        pools: [aPool({ replicas, disruption: { consolidateAfter: '0s', budgets: [{ nodes: '2' }] } })],
        nodes: [aStateNode('a', old), aStateNode('b', old), aStateNode('c', old)],
      })
    const wishes = (active: number, replicas = 3) => {
      const snapshot = world(replicas)
      const eligible = filterStaticDrifted(candidatesOf(snapshot))
      const counts = new Map([['default', { active, pendingDisruption: 0 }]])
      return decideStaticDrift(eligible, budgetsOf(snapshot, 'Drifted'), counts).map((wish) => names(wish.candidates))
    }
    test('as many as the budget lets go, and the others are told', () => {
      expect(wishes(3)).toEqual([['a', 'b']])
      const held = heldStaticDrift(filterStaticDrifted(candidatesOf(world(3))), budgetsOf(world(3), 'Drifted'))
      expect(held.map(({ stateNode, code }) => [stateNode.name, code])).toEqual([['c', 'BudgetExhausted']])
    })
    test('a pool with too many claims scales down first', () => expect(wishes(4)).toEqual([]))
    test('ordinary drift leaves them alone', () => expect(filterDrifted(candidatesOf(world(3)))).toEqual([]))
  })
})

describe('consolidation of given nodes', () => {
  const dearNode = (more: Parameters<typeof aStateNode>[1] = {}) => busy('a', { type: 'big', ...more })
  const big = aType('big', { price: 1 }, { price: 1, capacityType: 'spot' })

  function compute(types: readonly InstanceType[], answer: Answer, node = dearNode(), more = options) {
    const world = aWorld({ nodes: [node], types: [big, ...types] })
    const { simulate } = simulating(() => answer)
    return runToEnd(computeConsolidation('singleNode', candidatesOf(world), simulate, more))
  }
  const typesOf = (result: ReturnType<typeof compute>) =>
    result.kind === 'command'
      ? result.command.replacements.flatMap((found) => found.instanceTypes.map(({ name }) => name))
      : result

  test('case 73: pods that fit elsewhere let the node go', () => {
    expect(compute([], {})).toMatchObject({ kind: 'command', command: { replacements: [] } })
  })
  test('case 77: pods that fit nowhere hold it', () => {
    expect(compute([], { unplaced: 'not all pods would schedule, default/p => x ' })).toMatchObject({
      code: 'PodsWouldNotSchedule',
      message: 'Not all pods would schedule, default/p => x ',
    })
  })
  test('case 78: a type is judged by the capacity type that would be launched, and the launch is kept to spot', () => {
    const x = aType('x', { price: 0.9 }, { price: 0.95, capacityType: 'spot' })
    const result = compute([], { replacements: [plan([x], eitherCapacityType)] })
    expect(typesOf(result)).toEqual(['x'])
    const [replacement] = result.kind === 'command' ? result.command.replacements : []
    expect(replacement?.requirements.get('karpenter.sh/capacity-type')?.values).toEqual(new Set(['spot']))
  })
  test('where no spot capacity is left, types are judged and launched as on-demand', () => {
    const x = aType('x', { price: 0.9 }, { price: 0.3, capacityType: 'spot', available: false })
    const result = compute([], { replacements: [plan([x], eitherCapacityType)] })
    expect(typesOf(result)).toEqual(['x'])
    const [replacement] = result.kind === 'command' ? result.command.replacements : []
    expect(replacement?.requirements.get('karpenter.sh/capacity-type')?.values).toEqual(new Set(['on-demand']))
  })
  test('a type that has spot capacity left keeps the launch to spot', () => {
    const x = aType('x', { price: 0.9 }, { price: 0.3, capacityType: 'spot', available: false })
    const y = aType('y', { price: 0.8 }, { price: 0.4, capacityType: 'spot' })
    const result = compute([], { replacements: [plan([x, y], eitherCapacityType)] })
    const [replacement] = result.kind === 'command' ? result.command.replacements : []
    expect(replacement?.requirements.get('karpenter.sh/capacity-type')?.values).toEqual(new Set(['spot']))
  })
  test('case 79: the dearest zone decides', () => {
    const y = aType('y', { price: 0.4, capacityType: 'spot' }, { price: 1.1, capacityType: 'spot', zone: 'z2' })
    expect(compute([], { replacements: [plan([y], eitherCapacityType)] })).toMatchObject({
      message: "Can't replace with a cheaper node",
    })
  })
  test('case 80: as dear is not cheaper', () => {
    const same = aType('same', { price: 1 })
    expect(compute([], { replacements: [plan([same])] })).toMatchObject({ code: 'NoCheaperReplacement' })
  })
  test.each([0.0416 * 0.7, 0.108375 / 1e7, 0.1696667 / 1e7, 0.216 / 1e7])(
    'case 80: nor when its price of %s has no exact binary fraction',
    (price) => {
      const node = busy('a', { type: 'same' })
      const same = aType('same', { price })
      expect(compute([same], { replacements: [plan([same])] }, node)).toMatchObject({ code: 'NoCheaperReplacement' })
    },
  )
  test('case 81: the node’s own offering counts though none is to be had', () => {
    const gone = aType('big2', { price: 1, available: false })
    const node = busy('a', { type: 'big2' })
    expect(typesOf(compute([gone], { replacements: [plan([aType('c', { price: 0.5 })])] }, node))).toEqual(['c'])
  })
  test('case 89: reserved capacity of the same type is cheaper', () => {
    const reserved = aType('big', { price: 0.0000001, capacityType: 'reserved' }, { price: 1 })
    expect(typesOf(compute([], { replacements: [plan([reserved])] }))).toEqual(['big'])
  })
  test('case 90: the price filter must not break minValues', () => {
    const minValues = toRequirement('node.kubernetes.io/instance-type', 'In', ['c', 'same'], 2)
    const types = [aType('c', { price: 0.5 }), aType('same', { price: 1 })]
    expect(compute([], { replacements: [plan(types, minValues)] })).toMatchObject({
      message:
        'Filtering by price: minValues requirement is not met for label(s) (label(s)=[node.kubernetes.io/instance-type])',
    })
  })
  test('case 91: one node is not traded for two', () => {
    expect(compute([], { replacements: [plan([]), plan([])] })).toMatchObject({
      message: "Can't remove without creating 2 candidates",
    })
  })

  describe('from spot to spot', () => {
    const spotNode = dearNode({ capacityType: 'spot' })
    const spotTypes = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        aType(`s${String(index).padStart(2, '0')}`, { price: 0.1 + index / 1000, capacityType: 'spot' }),
      )
    const gate = { ...options, spotToSpot: true }
    const replace = (count: number, more = gate, ...requirements: ReturnType<typeof toRequirement>[]) =>
      compute([], { replacements: [plan(spotTypes(count), eitherCapacityType, ...requirements)] }, spotNode, more)

    test('case 85: not without its gate', () => {
      expect(replace(40, options)).toMatchObject({
        message: "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
      })
    })
    test('case 86: fourteen alternatives are too few', () => {
      expect(replace(14)).toMatchObject({
        message:
          'SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate to consolidate, got 14',
      })
    })
    test('case 86: fifteen will do, and no more are asked for', () => {
      expect(typesOf(replace(15))).toHaveLength(15)
      expect(typesOf(replace(40))).toHaveLength(15)
    })
    test('case 87: as many as minValues needs', () => {
      const minValues = toRequirement('node.kubernetes.io/instance-type', 'Exists', [], 18)
      expect(typesOf(replace(40, gate, minValues))).toHaveLength(18)
    })
    test('case 88: several nodes need no choice of types', () => {
      const world = aWorld({
        nodes: [busy('a', { type: 'big', capacityType: 'spot' }), busy('b', { type: 'big', capacityType: 'spot' })],
        types: [big],
      })
      const { simulate } = simulating(() => ({ replacements: [plan(spotTypes(1), eitherCapacityType)] }))
      expect(runToEnd(computeConsolidation('multiNode', candidatesOf(world), simulate, gate)).kind).toBe('command')
    })
  })

  test('cases 97 and 98: whom consolidation looks at at all', () => {
    const pools = [
      aPool({ name: 'empty-only', disruption: { consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty' } }),
      aPool({ name: 'fixed', replicas: 1 }),
    ]
    const nodes = [busy('a', { pool: 'empty-only' }), busy('b', { pool: 'fixed' })]
    const { eligible, blocked } = filterConsolidation(candidatesOf(aWorld({ pools, nodes })))
    expect(eligible).toEqual([])
    expect(blocked.map(({ message }) => message)).toEqual([
      'NodePool "empty-only" has consolidation policy WhenEmpty, but node is not empty',
    ])
  })
})

describe('multi-node consolidation', () => {
  function decide(world: Snapshot, answer: (names: readonly string[]) => Answer, elapsedMs = () => 0) {
    const { eligible } = filterConsolidation(candidatesOf(world))
    const { simulate, asked } = simulating(answer)
    const input = {
      eligible,
      budgets: budgetsOf(world, 'Underutilized'),
      totals: new Map(),
      simulate,
      options,
      elapsedMs,
    }
    return { ...runToEnd(decideMultiNode(input)), sizes: asked.map((list) => list.length) }
  }
  const five = aWorld({ nodes: ['a', 'b', 'c', 'd', 'e'].map((name) => busy(name)) })

  test('case 83: three nodes become one that costs less', () => {
    const world = aWorld({ nodes: [busy('a'), busy('b'), busy('c')] })
    const merged = plan([aType('m5.xlarge', { price: 1.9 })])
    const { command } = decide(world, () => ({ replacements: [merged] }))
    expect(command?.candidates).toHaveLength(3)
    expect(command?.replacements).toHaveLength(1)
  })
  test('case 84: never {big, big, small} into something as dear as small', () => {
    const types = [aType('big', { price: 1 }), aType('small', { price: 0.2 }), aType('tiny', { price: 0.1 })]
    const world = aWorld({
      nodes: [busy('a', { type: 'big' }), busy('b', { type: 'big' }), busy('c', { type: 'small' })],
      types,
    })
    const all = decide(world, () => ({
      replacements: [plan([aType('tiny', { price: 0.1 }), aType('small', { price: 0.2 })], onDemand)],
    }))
    expect(all.command?.replacements[0]?.instanceTypes.map(({ name }) => name)).toEqual(['tiny'])
    const onlySmall = decide(world, () => ({ replacements: [plan([aType('small', { price: 0.2 })], onDemand)] }))
    expect(names(onlySmall.command?.candidates)).toEqual(['a', 'b'])
  })
  test('case 101: the search bisects', () => {
    expect(decide(five, () => ({})).sizes).toEqual([3, 4, 5])
    expect(decide(five, (taken) => (taken.length > 2 ? { unplaced: 'x' } : {})).sizes).toEqual([3, 2])
  })
  test('case 102: one node is nothing to merge', () => {
    expect(decide(aWorld({ nodes: [busy('a')] }), () => ({}))).toMatchObject({
      command: undefined,
      constrained: false,
      sizes: [],
    })
  })
  test('at most 101 of many', () => {
    const nodes = Array.from({ length: 150 }, (_, index) => busy(`n${String(index).padStart(3, '0')}`))
    expect(decide(aWorld({ nodes }), () => ({})).command?.candidates).toHaveLength(101)
  })
  test('out of time, the last answer stands', () => {
    let ticks = 0
    const timed = decide(
      five,
      () => ({}),
      () => (ticks++ > 0 ? 61_000 : 0),
    )
    expect(timed.command?.candidates).toHaveLength(3)
    expect(timed.timedOut).toEqual({ lastBatchSize: 4 })
  })
  test('nodes beyond the budget are left out and remembered', () => {
    const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '2' }] } })]
    const result = decide(aWorld({ pools, nodes: five.nodes }), () => ({}))
    expect(names(result.command?.candidates)).toEqual(['a', 'b'])
    expect(result.constrained).toBe(true)
  })
})

describe('single-node consolidation', () => {
  const twoPools = (limited: string) => [
    aPool({ name: 'a', disruption: { consolidateAfter: '0s', budgets: [{ nodes: limited }] } }),
    aPool({ name: 'b' }),
  ]
  const nodes = [busy('a1', { pool: 'a' }), busy('a2', { pool: 'a' }), busy('b1', { pool: 'b' })]

  function decide(world: Snapshot, answer: (names: readonly string[]) => Answer, elapsedMs = () => 0) {
    const { eligible } = filterConsolidation(candidatesOf(world))
    const { simulate, asked } = simulating(answer)
    const budgets = budgetsOf(world, 'Underutilized')
    const input = { eligible, budgets, totals: new Map(), simulate, options, unseenPools: new Set<string>(), elapsedMs }
    return { ...runToEnd(decideSingleNode(input)), asked: asked.flat() }
  }

  test('case 92: a spent budget skips its pool only, and is remembered', () => {
    const { step, asked, blocked } = decide(aWorld({ pools: twoPools('0'), nodes }), () => ({ unplaced: 'x' }))
    expect(asked).toEqual(['b1'])
    expect(step).toMatchObject({ kind: 'nothing', constrained: true })
    expect(blocked.map(({ stateNode, code }) => [stateNode.name, code])).toEqual([
      ['a1', 'BudgetExhausted'],
      ['b1', 'PodsWouldNotSchedule'],
      ['a2', 'BudgetExhausted'],
    ])
  })
  test('case 93: pools that a run did not reach go first in the next', () => {
    let calls = 0
    const { step } = decide(
      aWorld({ pools: twoPools('100%'), nodes }),
      () => ({ unplaced: 'x' }),
      () => (calls++ > 0 ? 181_000 : 0),
    )
    expect(step).toMatchObject({ kind: 'nothing', timedOut: true, unseenPools: new Set(['b']) })
    const { eligible } = filterConsolidation(candidatesOf(aWorld({ pools: twoPools('100%'), nodes })))
    expect(names(fairOrder(eligible, new Set(['b'])))).toEqual(['b1', 'a1', 'a2'])
    expect(names(fairOrder(eligible, new Set()))).toEqual(['a1', 'b1', 'a2'])
  })
  test('the first node that can go is the answer, and why others cannot is kept', () => {
    const { step, blocked } = decide(aWorld({ nodes: [busy('x'), busy('y')] }), ([name]) =>
      name === 'x' ? { unplaced: 'no' } : {},
    )
    expect(step.kind === 'command' ? names(step.command.candidates) : step).toEqual(['y'])
    expect(blocked.map(({ stateNode, message }) => [stateNode.name, message])).toEqual([['x', 'No']])
  })
})

describe('a consolidation is looked at again after the wait', () => {
  const world = aWorld({ nodes: [busy('a')] })
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('expected a candidate')
  const chosen = plan([aType('c', { price: 0.5 }), aType('d', { price: 0.6 })])
  const command = {
    method: 'singleNode',
    reason: 'Underutilized',
    candidates: [candidate],
    replacements: [chosen],
    destinations: [],
  } as const
  const resimulate = (answer: Answer, of: Parameters<typeof validateSimulation<Replacement>>[0] = command) =>
    runToEnd(validateSimulation<Replacement>(of, simulating(() => answer).simulate))

  test('case 95: a node that is no longer one is churn', () => {
    const eligible = filterConsolidation(
      surveyCandidates(
        aWorld({
          nodes: [busy('a', { pods: [aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })] })],
        }),
        {
          disruptionClass: 'graceful',
          queued: new Set(),
        },
      ).candidates,
    ).eligible
    expect(
      validateCandidates({ command, eligible, budgets: budgetsOf(world, 'Underutilized'), now: noon }),
    ).toMatchObject({
      kind: 'invalid',
      failure: 'churn',
      message: '1 candidates are no longer valid',
    })
  })
  test('a node promised to a pod meanwhile', () => {
    const eligible = [{ ...candidate, stateNode: { ...candidate.stateNode, nominatedUntil: noon + 1000 } }]
    expect(
      validateCandidates({ command, eligible, budgets: budgetsOf(world, 'Underutilized'), now: noon }),
    ).toMatchObject({
      failure: 'budget',
      message: 'a candidate was nominated during validation',
    })
  })
  test('case 96: the chosen types must all still be offered', () => {
    expect(resimulate({ replacements: [plan([aType('c', { price: 0.5 })])] })).toMatchObject({
      failure: 'scheduling',
      message: 'scheduling simulation produced new results',
    })
    const wider = plan([aType('c', { price: 0.5 }), aType('d', { price: 0.6 }), aType('e', { price: 0.7 })])
    expect(resimulate({ replacements: [wider] }).kind).toBe('valid')
  })
  test('a replacement that another pool would launch now is a new result: the chosen pool may be at its limit', () => {
    expect(resimulate({ replacements: [chosen] }).kind).toBe('valid')
    expect(resimulate({ replacements: [{ ...chosen, nodePool: 'other' }] })).toMatchObject({
      failure: 'scheduling',
      message: 'scheduling simulation produced new results',
    })
  })
  test('nothing new to launch fits a deletion only', () => {
    expect(resimulate({}).kind).toBe('invalid')
    expect(resimulate({}, { ...command, replacements: [] }).kind).toBe('valid')
    expect(resimulate({ replacements: [chosen] }, { ...command, replacements: [] }).kind).toBe('invalid')
  })
})

describe('what commands look like in logs and events', () => {
  const world = aWorld({ nodes: [busy('a'), busy('b')] })
  const [a, b] = candidatesOf(world)
  if (a === undefined || b === undefined) throw new Error('expected two candidates')
  const replacement = plan([aType('m5.xlarge', { price: 1.88 })])
  const replace = {
    method: 'multiNode',
    reason: 'Underutilized',
    candidates: [a, b],
    replacements: [replacement],
    destinations: [],
  } as const

  test('savings are the nodes’ prices less the cheapest launch', () => {
    expect(estimatedSavings(replace, wellKnownLabels)).toBeCloseTo(0.12, 10)
  })
  test('the command line names reason, pools, nodes and savings', () => {
    expect(commandText(replace, 'id-1', 0.12)).toBe(
      'Underutilized/id-1: replace: nodepools=[default]: [a, b] -> [1 replacement] (savings: $0.12)',
    )
    expect(commandText({ ...replace, replacements: [] }, 'id-1', 2)).toBe(
      'Underutilized/id-1: delete: nodepools=[default]: [a, b] (savings: $2.00)',
    )
  })
  test('an event on one node of several says that it is a part', () => {
    expect(candidateText(replace, 'a')).toBe('replace: [a] (part of 2-node consolidation)')
    expect(candidateText({ ...replace, candidates: [a] }, 'a')).toBe('replace: [a] -> [1 replacement]')
  })
})
