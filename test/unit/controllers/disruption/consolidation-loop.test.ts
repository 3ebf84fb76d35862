import { describe, expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { SimulationRequest } from '../../../../src/disruption/simulation.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aType, aWorld, condition } from '../../../support/disruption-builders.ts'
import { options, plan } from '../../../support/disruption-decisions.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'
import { spendingClock } from '../../../support/spending-clock.ts'

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
  /** From that second on all pods must not be disrupted. */
  readonly heldFrom?: number
  /** What comes instead, a dollar an hour or less; without it nothing has to. */
  readonly replacementPrice?: number
  /** How long the simulation for one node takes. */
  readonly simulationMs?: number
  /** The name of a node for which it fails. */
  readonly broken?: string
}

/** Nodes at a dollar an hour with a pod each; nothing about the cluster ever changes but a budget. */
async function aFleet({
  nodes,
  policy = 'WhenEmptyOrUnderutilized',
  budgetAt = () => '100%',
  cost = 1,
  movable,
  heldFrom = Number.POSITIVE_INFINITY,
  replacementPrice,
  simulationMs = 0,
  broken,
}: Setup) {
  const world = aControllerWorld()
  const states = await Promise.all(
    Object.entries(nodes).map(([name, pool]) =>
      aStoredNode(world, name, { pool, pods: [aRunningPod()], conditions: [condition('Consolidatable')] }),
    ),
  )
  const started = world.clock.monotonicMs()
  const held = [aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })]
  const { clock, spend } = spendingClock(world.clock)
  const names = [...new Set(Object.values(nodes))]
  const replacements = replacementPrice === undefined ? [] : [plan([aType('t3.large', { price: replacementPrice })])]
  const simulated: string[] = []
  const seen = {
    snapshot: () => {
      const second = (world.clock.monotonicMs() - started) / 1_000
      const budget = budgetAt(second)
      const pools = names.map((name) => {
        const budgets = [{ nodes: name === 'a' ? budget : '100%' }]
        return aPool({ name, disruption: { consolidateAfter: '0s', consolidationPolicy: policy, budgets } })
      })
      const nodes = second < heldFrom ? states : states.map((state) => ({ ...state, pods: held }))
      return aWorld({ nodes, pools, types: [aType('m5.large', { price: 1 })], now: world.clock.now() })
    },
  }
  const base = disruptionDeps(world, seen, {
    clock,
    settings: options,
    simulatorFor: () =>
      function* simulate({ candidates }: SimulationRequest) {
        yield undefined
        if (candidates.length === 1) spend(simulationMs)
        if (candidates.length === 1 && candidates[0]?.name === broken) throw new Error('unheard of')
        simulated.push(candidates.map(({ stateNode }) => stateNode.name).join(' '))
        const fit = candidates.every(({ stateNode }) => movable?.includes(stateNode.name) ?? true)
        return { kind: 'placed', replacements, destinations: [], unplaced: fit ? undefined : 'no room' }
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

const told = ({ recorder }: Awaited<ReturnType<typeof aFleet>>, of: string): readonly string[] =>
  recorder.published
    .filter(({ reason }) => reason === of)
    .map(({ object, message, type }) => `${object.kind} ${object.metadata.name} ${type}: ${message}`)

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

test('so are those that could go together', async () => {
  const { going, run } = await aFleet({
    nodes: { a1: 'a', a2: 'a' },
    budgetAt: (second) => (second < 25 ? '0' : '100%'),
  })
  await run(29_000)
  expect(going()).toEqual([])
  await run(17_000)
  expect(going()).toEqual(['a1', 'a2'])
})

test('case 102: a single node is nothing to merge, and not asked about again before something changes', async () => {
  const { run, simulated } = await aFleet({ nodes: { a1: 'a' }, movable: [] })
  await run(60_000)
  expect(simulated).toEqual(['a1'])
})

test('case 93: pools that a search did not reach before its time was up go first in the next', async () => {
  const nodes = { a1: 'a', a2: 'a', b1: 'b', c1: 'c' }
  const { counts, logged, run, simulated } = await aFleet({ nodes, movable: [], simulationMs: 181_000 })
  const ofOneNode = () => simulated.filter((names) => !names.includes(' '))
  const timeouts = { consolidation_type: 'single' }
  await run(1_000)
  expect(ofOneNode()).toEqual(['a1'])
  expect(logged('abandoning single-node consolidation due to timeout')).toMatchObject([{ candidates_evaluated: 1 }])
  expect(counts.sum('karpenter_voluntary_disruption_consolidation_timeouts_total', timeouts)).toBe(1)
  await run(10_000)
  expect(ofOneNode()).toEqual(['a1', 'b1'])
  expect(
    logged('prioritizing nodepools that have not yet been considered due to timeouts in previous runs'),
  ).toMatchObject([{ nodepools: ['b', 'c'] }])
})

describe('when pods come during the wait that must not be disrupted', () => {
  const rejections = ({ recorder }: Awaited<ReturnType<typeof aFleet>>) =>
    recorder.published
      .filter(({ reason }) => reason === 'ConsolidationRejected')
      .map(({ object, message }) => `${object.kind} ${object.metadata.name}: ${message}`)
  const failed = ({ counts }: Awaited<ReturnType<typeof aFleet>>, consolidation_type: string) =>
    counts.sum('karpenter_voluntary_disruption_failed_validations_total', { consolidation_type })

  test('cases 94 and 95: a single node stays, and is told why', async () => {
    const fleet = await aFleet({ nodes: { a1: 'a' }, heldFrom: 5 })
    await fleet.run(60_000)
    const message = 'Consolidation rejected: delete: [a1], reason: churn (savings: $1.00)'
    expect(rejections(fleet)).toEqual([`Node a1: ${message}`, `NodeClaim claim-a1: ${message}`])
    expect([fleet.going(), failed(fleet, 'single')]).toEqual([[], 1])
  })

  test('cases 94 and 95: of several nodes all stay, and are not told', async () => {
    const fleet = await aFleet({ nodes: { a1: 'a', a2: 'a' }, heldFrom: 5 })
    await fleet.run(60_000)
    expect([rejections(fleet), fleet.going(), failed(fleet, 'multi')]).toEqual([[], [], 2])
    expect(fleet.logged('Reconciler error')).toEqual([])
  })
})

test('a budget that closes while the move is simulated again holds it as well', async () => {
  let looks = 0
  const fleet = await aFleet({
    nodes: { a1: 'a' },
    budgetAt: (second) => {
      if (second >= 15) looks += 1
      return looks > 1 ? '0' : '1'
    },
  })
  await fleet.run(16_000)
  expect(fleet.simulated).toEqual(['a1', 'a1'])
  expect(fleet.going()).toEqual([])
  expect(fleet.events('ConsolidationRejected')[0]).toContain('reason: budget (')
})

describe('a move of one node', () => {
  test('that a Balanced pool approves of is told on node and claim once it is validated, and counted', async () => {
    const fleet = await aFleet({ nodes: { a1: 'a' }, policy: 'Balanced', cost: 2 })
    const { counts, logged, moves, recorder, run, scores } = fleet
    await run(14_000)
    expect(approval(recorder)).toEqual([])
    await run(2_000)
    const text = 'Normal: score 0.50 >= threshold 0.50 (k: 2, savings 50.0%, disruption 100.0%)'
    expect(approval(recorder)).toEqual([`Node ${text}`, `NodeClaim ${text}`])
    expect(moves({ decision: 'approved', nodepool: 'a', policy: 'Balanced' })).toBe(1)
    expect(moves({ decision: 'rejected' })).toBe(0)
    expect(scores()).toEqual([0.5])
    expect(logged('consolidation score')).toMatchObject([{ score: 0.5, approved: true, candidates: ['a1'] }])
    const decided = { decision: 'delete', reason: 'underutilized', consolidation_type: 'single' }
    expect(counts.sum('karpenter_voluntary_disruption_decisions_total', decided)).toBe(1)
  })

  test('for something cheaper is told on it and its claim before it is validated', async () => {
    const fleet = await aFleet({ nodes: { a1: 'a' }, replacementPrice: 0.5 })
    await fleet.run(5_000)
    const text = 'Normal: Consolidation candidate: replace: [a1] -> [1 replacement] (savings: $0.50)'
    expect(told(fleet, 'ConsolidationCandidate')).toEqual([`Node a1 ${text}`, `NodeClaim claim-a1 ${text}`])
  })

  test('that could not be judged is logged, and others go', async () => {
    const { going, logged, run } = await aFleet({ nodes: { a1: 'a', a2: 'a' }, movable: ['a2'], broken: 'a1' })
    await run(5_000)
    expect(logged('failed computing consolidation')).toMatchObject([{ Node: { name: 'a1' } }])
    expect(String(logged('failed computing consolidation')[0]?.['err'])).toContain('unheard of')
    await run(11_000)
    expect(going()).toEqual(['a2'])
  })

  test('for which it is not worth it is not even simulated', async () => {
    const { going, recorder, run, simulated } = await aFleet({ nodes: { a1: 'a' }, policy: 'Balanced', cost: 2.1 })
    await run(60_000)
    expect([going(), simulated, approval(recorder)]).toEqual([[], [], []])
  })

  test('that is not worth it with what would have to come instead is counted as refused, and its score logged', async () => {
    const setup = { nodes: { a1: 'a' }, policy: 'Balanced' as const, cost: 2, replacementPrice: 0.5 }
    const { going, logged, moves, recorder, run, scores } = await aFleet(setup)
    await run(5_000)
    expect([going(), approval(recorder)]).toEqual([[], []])
    expect(moves({ decision: 'rejected', nodepool: 'a', policy: 'Balanced' })).toBe(1)
    expect(scores()).toEqual([0.25])
    expect(logged('consolidation score')).toMatchObject([
      { score: 0.25, approved: false, decision: 'replace', candidates: ['a1'] },
    ])
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

  test('for something cheaper is told on each node and its claim before it is validated', async () => {
    const fleet = await aFleet({ nodes, replacementPrice: 0.5 })
    await fleet.run(5_000)
    expect(told(fleet, 'ConsolidationCandidate')).toEqual(
      ['a1', 'a2'].flatMap((name) => {
        const text = `Normal: Consolidation candidate: replace: [${name}] (part of 2-node consolidation) (savings: $1.50)`
        return [`Node ${name} ${text}`, `NodeClaim claim-${name} ${text}`]
      }),
    )
  })

  test('for which it is not worth it is counted as refused, once, and not told', async () => {
    const { going, logged, moves, recorder, run, scores } = await aFleet({ nodes, policy: 'Balanced', cost: 5 })
    await run(5_000)
    expect(going()).toEqual([])
    expect(moves({ decision: 'rejected', nodepool: 'a', policy: 'Balanced' })).toBe(1)
    expect(scores()).toEqual([0.4])
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
