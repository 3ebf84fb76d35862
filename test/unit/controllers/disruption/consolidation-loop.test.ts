import { describe, expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { SimulationRequest } from '../../../../src/disruption/simulation.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aType, aWorld, condition } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'

interface Setup {
  /** Pool by node. */
  readonly nodes: Readonly<Record<string, string>>
  readonly policy?: 'Balanced' | 'WhenEmptyOrUnderutilized'
  /** Of pool `a` at that second; all others are open. */
  readonly budgetAt?: (second: number) => string
  /** What all nodes of a pool cost. */
  readonly cost?: number
  /** Names of the nodes of which the pods fit elsewhere. */
  readonly movable?: readonly string[]
}

/** Nodes at a dollar an hour with a pod each; nothing about the cluster ever changes but a budget. */
async function aFleet({
  nodes,
  policy = 'WhenEmptyOrUnderutilized',
  budgetAt = () => '100%',
  cost = 1,
  movable,
}: Setup) {
  const world = aControllerWorld()
  const states = await Promise.all(
    Object.entries(nodes).map(([name, pool]) =>
      aStoredNode(world, name, { pool, pods: [aRunningPod()], conditions: [condition('Consolidatable')] }),
    ),
  )
  const started = world.clock.monotonicMs()
  const names = [...new Set(Object.values(nodes))]
  const simulated: string[] = []
  const seen = {
    snapshot: () => {
      const budget = budgetAt((world.clock.monotonicMs() - started) / 1_000)
      const pools = names.map((name) => {
        const budgets = [{ nodes: name === 'a' ? budget : '100%' }]
        return aPool({ name, disruption: { consolidateAfter: '0s', consolidationPolicy: policy, budgets } })
      })
      return aWorld({ nodes: states, pools, types: [aType('m5.large', { price: 1 })], now: world.clock.now() })
    },
  }
  const base = disruptionDeps(world, seen, {
    simulatorFor: () =>
      function* simulate({ candidates }: SimulationRequest) {
        yield undefined
        simulated.push(candidates.map(({ stateNode }) => stateNode.name).join(' '))
        const fit = candidates.every(({ stateNode }) => movable?.includes(stateNode.name) ?? true)
        return { kind: 'placed', replacements: [], destinations: [], unplaced: fit ? undefined : 'no room' }
      },
  })
  const cluster = Object.create(base.cluster, { poolCosts: { value: new Map(names.map((name) => [name, cost])) } })
  const deps = { ...base, cluster }
  const queue = new OrchestrationQueue(deps)
  await world.start(disruptionController(deps, queue, new VerdictBook()))
  const going = () => queue.commands.flatMap(({ command }) => command.candidates.map(({ name }) => name))
  const moves = (labels: Record<string, string>) => world.counts.sum('karpenter_consolidation_moves_total', labels)
  const scores = () => world.counts.observed('karpenter_consolidation_score', { policy: 'Balanced' })
  return { ...world, going, moves, scores, simulated }
}

const approval = (recorder: Awaited<ReturnType<typeof aFleet>>['recorder']) =>
  recorder.published
    .filter(({ reason }) => reason === 'ConsolidationApproved')
    .map(({ object, message, type }) => `${object.kind} ${type}: ${message}`)

test('case 92: nodes that a spent budget held are looked at in the next pass, though nothing has changed', async () => {
  const { going, run, simulated } = await aFleet({
    nodes: { a1: 'a', b1: 'b' },
    movable: ['a1'],
    budgetAt: (second) => (second < 25 ? '0' : '1'),
  })
  await run(1_000)
  expect(simulated).toEqual(['b1'])
  await run(24_000)
  expect(going()).toEqual([])
  await run(30_000)
  expect(going()).toEqual(['a1'])
})

test('case 102: a single node is nothing to merge, and not asked about again before something changes', async () => {
  const { run, simulated } = await aFleet({ nodes: { a1: 'a' }, movable: [] })
  await run(60_000)
  expect(simulated).toEqual(['a1'])
})

describe('a move of one node', () => {
  test('that a Balanced pool approves of is told on node and claim once it is validated, and counted', async () => {
    const { counts, moves, recorder, run, scores } = await aFleet({ nodes: { a1: 'a' }, policy: 'Balanced', cost: 2 })
    await run(14_000)
    expect(approval(recorder)).toEqual([])
    await run(2_000)
    const text = 'Normal: score 0.50 >= threshold 0.50 (k: 2, savings 50.0%, disruption 100.0%)'
    expect(approval(recorder)).toEqual([`Node ${text}`, `NodeClaim ${text}`])
    expect(moves({ decision: 'approved', nodepool: 'a', policy: 'Balanced' })).toBe(1)
    expect(moves({ decision: 'rejected' })).toBe(0)
    expect(scores()).toEqual([0.5])
    const decided = { decision: 'delete', reason: 'underutilized', consolidation_type: 'single' }
    expect(counts.sum('karpenter_voluntary_disruption_decisions_total', decided)).toBe(1)
  })

  test('for which it is not worth it is not even simulated', async () => {
    const { going, recorder, run, simulated } = await aFleet({ nodes: { a1: 'a' }, policy: 'Balanced', cost: 2.1 })
    await run(60_000)
    expect([going(), simulated, approval(recorder)]).toEqual([[], [], []])
  })

  test('under another policy is counted without a score', async () => {
    const { moves, recorder, run, scores } = await aFleet({ nodes: { a1: 'a' } })
    await run(16_000)
    expect(moves({ decision: 'approved', nodepool: 'a', policy: 'WhenEmptyOrUnderutilized' })).toBe(1)
    expect([scores(), approval(recorder)]).toEqual([[], []])
  })
})

describe('a move of several nodes', () => {
  const nodes = { a1: 'a', a2: 'a' }

  test('that a Balanced pool approves of is told on the pool', async () => {
    const { going, moves, recorder, run } = await aFleet({ nodes, policy: 'Balanced', cost: 4 })
    await run(16_000)
    expect(going()).toEqual(['a1', 'a2'])
    expect(approval(recorder)).toEqual([
      'NodePool Normal: score 0.50 >= threshold 0.50 (k: 2, savings 50.0%, disruption 100.0%)',
    ])
    expect(moves({ decision: 'approved', nodepool: 'a', policy: 'Balanced' })).toBe(1)
  })

  test('for which it is not worth it is counted as refused, once, and not told', async () => {
    const { going, logged, moves, recorder, run } = await aFleet({ nodes, policy: 'Balanced', cost: 5 })
    await run(5_000)
    expect(going()).toEqual([])
    expect(moves({ decision: 'rejected', nodepool: 'a', policy: 'Balanced' })).toBe(1)
    expect(approval(recorder)).toEqual([])
    expect(logged('consolidation score')).toMatchObject([
      {
        nodepool: 'a',
        score: 0.4,
        savings_fraction: 0.4,
        disruption_fraction: 1,
        savings: 2,
        disruption_cost: 4,
        nodepool_total_cost: 5,
        nodepool_total_disruption_cost: 4,
        threshold: 0.5,
        k: 2,
        approved: false,
        decision: 'delete',
        candidates: ['a1', 'a2'],
      },
    ])
  })
})
