import { describe, expect, test } from 'vitest'
import type { PoolTotals } from '../../../src/disruption/balanced.ts'
import { computeConsolidation, filterConsolidation } from '../../../src/disruption/consolidation.ts'
import { decideMultiNode } from '../../../src/disruption/multi-node.ts'
import { runToEnd } from '../../../src/model/sliced.ts'
import { decideSingleNode, fairOrder } from '../../../src/disruption/single-node.ts'
import { toRequirement } from '../../../src/model/requirement.ts'
import type { InstanceType } from '../../../src/model/instance-type.ts'
import type { Snapshot } from '../../../src/model/snapshot.ts'
import { aPool, aRunningPod, type aStateNode, aType, aWorld, candidatesOf } from '../../support/disruption-builders.ts'
import {
  type Answer,
  budgetsOf,
  busy,
  eitherCapacityType,
  names,
  onDemand,
  options,
  plan,
  simulating,
} from '../../support/disruption-decisions.ts'

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
  test('types for which the node class has no image are no way to make the node', () => {
    const x = { ...aType('x', { price: 0.1 }), lacksImage: true as const }
    const y = aType('y', { price: 0.5 })
    expect(typesOf(compute([], { replacements: [plan([x, y], onDemand)] }))).toEqual(['y'])
    expect(compute([], { replacements: [plan([x], onDemand)] })).toMatchObject({ code: 'NoCheaperReplacement' })
  })
  test.each(['reserved', 'on-demand,reserved'])('a launch that may not be spot stays as it is: %s', (text) => {
    const allowed = text.split(',')
    const x = aType('x', { price: 0.9 }, { price: 0.0000001, capacityType: 'reserved' })
    const capacityTypes = toRequirement('karpenter.sh/capacity-type', 'In', allowed)
    const result = compute([], { replacements: [plan([x], capacityTypes)] })
    const [replacement] = result.kind === 'command' ? result.command.replacements : []
    expect(replacement?.requirements.get('karpenter.sh/capacity-type')?.values).toEqual(new Set(allowed))
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
    expect(typesOf(compute([], { replacements: [plan([aType('less', { price: 0.999999 })])] }))).toEqual(['less'])
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
  test('case 82: a node of unknown price is traded for nothing, but may be deleted', () => {
    const node = busy('a', { type: 'big', zone: 'z9' })
    const free = aType('c', { price: 0.0000001 })
    expect(compute([], { replacements: [plan([free])] }, node)).toMatchObject({ code: 'NoCheaperReplacement' })
    expect(compute([], {}, node)).toMatchObject({ kind: 'command', command: { replacements: [] } })
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
    test('what is launched is spot, and only types that are to be had as spot count', () => {
      const result = replace(15)
      const [replacement] = result.kind === 'command' ? result.command.replacements : []
      expect(replacement?.requirements.get('karpenter.sh/capacity-type')?.values).toEqual(new Set(['spot']))
      const types = [...spotTypes(14), aType('on-demand-only', { price: 0.05 })]
      expect(compute([], { replacements: [plan(types, eitherCapacityType)] }, spotNode, gate)).toMatchObject({
        code: 'SpotToSpotFlexibility',
      })
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

  test('a spot node and an on-demand one together go as any other two', () => {
    const nodes = [busy('a', { type: 'big', capacityType: 'spot' }), busy('b', { type: 'big' })]
    const c = aType('c', { price: 0.5, capacityType: 'spot' }, { price: 1.5 })
    const { simulate } = simulating(() => ({ replacements: [plan([c], eitherCapacityType)] }))
    const candidates = candidatesOf(aWorld({ nodes, types: [big] }))
    expect(typesOf(runToEnd(computeConsolidation('multiNode', candidates, simulate, options)))).toEqual(['c'])
  })
  test('a spot node that an on-demand one may replace alone is held against the price of that', () => {
    const replacedBy = (price: number) =>
      compute([], { replacements: [plan([aType('c', { price })], onDemand)] }, dearNode({ capacityType: 'spot' }))
    expect(typesOf(replacedBy(0.9))).toEqual(['c'])
    expect(replacedBy(1)).toMatchObject({ code: 'NoCheaperReplacement' })
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

  test('an empty node of a pool that only empties is not told that it is not empty', () => {
    const pools = [aPool({ disruption: { consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty' } })]
    expect(filterConsolidation(candidatesOf(aWorld({ pools, nodes: [busy('a', { pods: [] })] })))).toEqual({
      eligible: [],
      blocked: [],
    })
  })

  test('a node of a pool that consolidates no more stays, though its claim says for a moment that it need not', () => {
    const pools = [aPool({ disruption: { consolidateAfter: 'Never' } })]
    const { eligible, blocked } = filterConsolidation(candidatesOf(aWorld({ pools, nodes: [busy('a')] })))
    expect(eligible).toEqual([])
    expect(blocked).toMatchObject([
      { code: 'ConsolidationDisabled', message: 'NodePool "default" has consolidation disabled' },
    ])
  })

  const unknown: Record<string, [Parameters<typeof aStateNode>[1], string]> = {
    'case 41: without a capacity type': [{ capacityType: '' }, 'Node does not have label "karpenter.sh/capacity-type"'],
    'case 41: without a zone': [{ zone: '' }, 'Node does not have label "topology.kubernetes.io/zone"'],
    'of a type that is gone': [{ type: 'gone', capacityType: '', zone: '' }, 'Instance Type "gone" not found'],
  }
  test.each(Object.entries(unknown))('%s a node is told why it is left alone', (_name, [more, message]) => {
    const { eligible, blocked } = filterConsolidation(candidatesOf(aWorld({ nodes: [busy('a', more)] })))
    expect(eligible).toEqual([])
    expect(blocked).toMatchObject([{ message, reported: 'Unconsolidatable' }])
  })
})

describe('multi-node consolidation', () => {
  function decide(
    world: Snapshot,
    answer: (names: readonly string[]) => Answer,
    elapsedMs = () => 0,
    totals: ReadonlyMap<string, PoolTotals> = new Map(),
  ) {
    const { eligible } = filterConsolidation(candidatesOf(world))
    const { simulate, asked } = simulating(answer)
    const input = {
      eligible,
      budgets: budgetsOf(world, 'Underutilized'),
      totals,
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
  test('case 84: of two nodes of a type the one that costs less is the bound, whichever comes first', () => {
    const types = [aType('big', { price: 1 }, { price: 0.6, zone: 'z2' })]
    const many = [aRunningPod(), aRunningPod(), aRunningPod()]
    const world = aWorld({
      nodes: [busy('a', { type: 'big', pods: many }), busy('b', { type: 'big', zone: 'z2' })],
      types,
    })
    const offered = plan([aType('other', { price: 0.7 }), aType('big', { price: 1 })], onDemand)
    expect(decide(world, () => ({ replacements: [offered] })).command).toBeUndefined()
  })
  test('case 84: what a type costs where no node of it stands is no bound', () => {
    const types = [aType('big', { price: 1 }, { price: 0.1, zone: 'z2' })]
    const world = aWorld({ nodes: [busy('a', { type: 'big' }), busy('b', { type: 'big' })], types })
    const offered = plan([aType('other', { price: 0.7 }), aType('big', { price: 1 })], onDemand)
    const { command } = decide(world, () => ({ replacements: [offered] }))
    expect(command?.replacements[0]?.instanceTypes.map(({ name }) => name)).toEqual(['other'])
  })
  test('events tell of what would be replaced, not of what would only go', () => {
    expect(decide(five, () => ({})).considered).toEqual([])
    const cheaper = plan([aType('c', { price: 0.1 })], onDemand)
    expect(decide(five, () => ({ replacements: [cheaper] })).considered.length).toBeGreaterThan(0)
  })
  test('types that none of the nodes has may cost anything below their sum, as far as minValues is kept', () => {
    const types = [aType('big', { price: 1 }), aType('small', { price: 0.2 })]
    const nodes = [busy('a', { type: 'big' }), busy('b', { type: 'small' })]
    const merged = (...more: Parameters<typeof plan>[1][]) =>
      decide(aWorld({ nodes, types }), () => ({
        replacements: [plan([aType('small', { price: 0.2 }), aType('tiny', { price: 0.1 })], onDemand, ...more)],
      })).command?.replacements[0]?.instanceTypes.map(({ name }) => name)
    expect(merged()).toEqual(['tiny'])
    expect(merged(toRequirement('node.kubernetes.io/instance-type', 'In', ['small', 'tiny'], 2))).toBeUndefined()
    const other = decide(aWorld({ nodes, types }), () => ({
      replacements: [plan([aType('x', { price: 1.1 })], onDemand)],
    }))
    expect(other.command?.replacements[0]?.instanceTypes.map(({ name }) => name)).toEqual(['x'])
  })
  test('case 101: the search bisects', () => {
    expect(decide(five, () => ({})).sizes).toEqual([3, 4, 5])
    expect(decide(five, (taken) => (taken.length > 2 ? { unplaced: 'x' } : {})).sizes).toEqual([3, 2])
    const threeAtMost = decide(five, (taken) => (taken.length > 3 ? { unplaced: 'x' } : {}))
    expect([threeAtMost.sizes, names(threeAtMost.command?.candidates)]).toEqual([
      [3, 4],
      ['a', 'b', 'c'],
    ])
  })
  test('case 102: one node is nothing to merge', () => {
    expect(decide(aWorld({ nodes: [busy('a')] }), () => ({}))).toMatchObject({
      command: undefined,
      constrained: false,
      sizes: [],
    })
  })
  test('case 100: a Balanced pool to whom it is not worth it keeps the others’ nodes, too', () => {
    const pools = [
      aPool(),
      aPool({ name: 'careful', disruption: { consolidateAfter: '0s', consolidationPolicy: 'Balanced' } }),
    ]
    const world = aWorld({ pools, nodes: [busy('a'), busy('b', { pool: 'careful' })] })
    const totals = (cost: number) => new Map([['careful', { cost, disruptionCost: 4 }]])
    const decided = (cost: number) =>
      decide(
        world,
        () => ({}),
        () => 0,
        totals(cost),
      )
    expect(names(decided(4).command?.candidates)).toEqual(['a', 'b'])
    const refused = decided(5)
    expect(refused).toMatchObject({ command: undefined, scores: [{ pool: 'careful' }] })
    expect(names(refused.rejected?.candidates)).toEqual(['a', 'b'])
  })
  test('what scoring refuses of more nodes is no refusal where it lets fewer go', () => {
    const budgets = [{ nodes: '100%' }]
    const pools = [aPool({ disruption: { consolidateAfter: '0s', consolidationPolicy: 'Balanced', budgets } })]
    const world = aWorld({ pools, nodes: ['a', 'b', 'c', 'd', 'e'].map((name) => busy(name)) })
    const hardlyCheaper = plan([aType('c', { price: 3.9 })], onDemand)
    const { command, rejected, scores } = decide(
      world,
      (taken) => (taken.length > 3 ? { replacements: [hardlyCheaper] } : {}),
      () => 0,
      new Map([['default', { cost: 5, disruptionCost: 10 }]]),
    )
    expect(names(command?.candidates)).toEqual(['a', 'b', 'c'])
    expect(scores).toMatchObject([{ approved: true }])
    expect(rejected).toBeUndefined()
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
  const threePools = [...twoPools('100%'), aPool({ name: 'c' })]
  const nodes = [busy('a1', { pool: 'a' }), busy('a2', { pool: 'a' }), busy('b1', { pool: 'b' })]

  function decide(world: Snapshot, answer: (names: readonly string[]) => Answer, elapsedMs = () => 0) {
    const { eligible } = filterConsolidation(candidatesOf(world))
    const { simulate, asked } = simulating(answer)
    const budgets = budgetsOf(world, 'Underutilized')
    const input = {
      eligible,
      budgets,
      totals: new Map(),
      simulate,
      options,
      unseenPools: new Set<string>(),
      unsteady: new Set<string>(),
      elapsedMs,
    }
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
  test('events tell of what would be replaced, not of what would only go', () => {
    const world = aWorld({ pools: threePools, nodes })
    expect(decide(world, () => ({})).considered).toEqual([])
    const cheaper = plan([aType('c', { price: 0.1 })], onDemand)
    expect(decide(world, () => ({ replacements: [cheaper] })).considered).toHaveLength(1)
  })
  test('each node that was simulated is counted', () => {
    const { step } = decide(aWorld({ pools: threePools, nodes }), () => ({ unplaced: 'x' }))
    expect(step).toMatchObject({ kind: 'nothing', timedOut: false, candidatesEvaluated: 3 })
  })
  test('a node that cannot be judged keeps no other from being judged', () => {
    const { step, failed } = decide(aWorld({ pools: threePools, nodes }), ([name]) => {
      if (name === 'a1') throw new Error('unheard of')
      return {}
    })
    expect(step).toMatchObject({ kind: 'command', command: { candidates: [{ name: 'b1' }] } })
    expect(failed.map(({ candidate, error }) => [candidate.name, String(error)])).toEqual([['a1', 'Error: unheard of']])
  })
  test('the node that costs most for what moving its pods costs goes first', () => {
    const types = [aType('big', { price: 1 }), aType('middling', { price: 0.6 }), aType('small', { price: 0.4 })]
    const three = [
      busy('small', { type: 'small' }),
      busy('big', { type: 'big', pods: [aRunningPod(), aRunningPod(), aRunningPod()] }),
      busy('middling', { type: 'middling' }),
    ]
    const { asked } = decide(aWorld({ nodes: three, types }), () => ({ unplaced: 'x' }))
    expect(asked).toEqual(['middling', 'big', 'small'])
  })
  test('case 93: pools that a run did not reach go first in the next', () => {
    const world = aWorld({ pools: threePools, nodes: [...nodes, busy('c1', { pool: 'c' })] })
    const timed = (afterMs: number) => {
      let calls = 0
      const unplaced = (): Answer => ({ unplaced: 'x' })
      return decide(world, unplaced, () => (calls++ > 0 ? afterMs : 0))
    }
    expect(timed(180_000).asked).toEqual(['a1', 'b1', 'c1', 'a2'])
    const { step, asked } = timed(180_001)
    expect(asked).toEqual(['a1'])
    const unseenPools = new Set(['b', 'c'])
    expect(step).toMatchObject({ kind: 'nothing', timedOut: true, unseenPools, candidatesEvaluated: 1 })
    const { eligible } = filterConsolidation(candidatesOf(world))
    expect(names(fairOrder(eligible, unseenPools))).toEqual(['b1', 'c1', 'a1', 'a2'])
    expect(names(fairOrder(eligible, new Set()))).toEqual(['a1', 'b1', 'c1', 'a2'])
  })
  test('the first node that can go is the answer, and why others cannot is kept', () => {
    const { step, blocked } = decide(aWorld({ nodes: [busy('x'), busy('y')] }), ([name]) =>
      name === 'x' ? { unplaced: 'no' } : {},
    )
    expect(step.kind === 'command' ? names(step.command.candidates) : step).toEqual(['y'])
    expect(blocked.map(({ stateNode, message }) => [stateNode.name, message])).toEqual([['x', 'No']])
  })
})
