import { describe, expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import { type DisruptionGate, openGate } from '../../../../src/disruption/gate.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRunningPod, aStateNode, aType, aWorld, condition } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'
import { spendingClock } from '../../../support/spending-clock.ts'
import { aStillCluster } from './still-cluster.ts'

const gates: Record<string, DisruptionGate> = {
  'nothing is held': openGate,
  'something may be held at any time': { ...openGate },
}

describe('a search for nodes to consolidate that found nothing', () => {
  const consolidatable = () => ({ pods: [aRunningPod()], conditions: [condition('Consolidatable')] })

  async function searched(nodes: readonly StateNode[], spentPerSearchMs = 0, gate = openGate) {
    const world = aControllerWorld()
    let searches = 0
    const { clock, spend } = spendingClock(world.clock)
    const simulatorFor = () =>
      function* simulate({ candidates }: { readonly candidates: readonly unknown[] }) {
        if (candidates.length === 1) {
          searches += 1
          spend(spentPerSearchMs)
        }
        yield undefined
        return { kind: 'placed', replacements: [], destinations: [], unplaced: 'no room' }
      }
    const cluster = await aStillCluster(nodes, { simulatorFor, clock, gate: () => gate }, world)
    await cluster.start()
    await world.run(15_000)
    return { ...cluster, searches: () => searches }
  }

  test.each(Object.entries(gates))(
    'is not made again while nothing changes that it goes by, and %s',
    async (_what, gate) => {
      const { run, searches } = await searched([aStateNode('a', consolidatable())], 0, gate)
      await run(120_000)
      expect(searches()).toBe(1)
    },
  )

  test('is made again when it had run out of time', async () => {
    const { searches } = await searched(
      ['a', 'b'].map((name) => aStateNode(name, consolidatable())),
      181_000,
    )
    expect(searches()).toBe(2)
  })

  test.each(['poolCosts', 'disruptionCosts'] as const)(
    'is made again when the %s of the pools have changed',
    async (what) => {
      const { known, run, searches } = await searched([aStateNode('a', consolidatable())])
      known[what] = new Map()
      await run(10_000)
      expect(searches()).toBe(2)
    },
  )

  test('is made again when another node has been quiet for long enough to be given pods', async () => {
    const settling = aStateNode('b', { pool: 'slow', conditions: [] })
    const { nodeClaim } = settling
    if (nodeClaim === undefined) throw new Error('it has one')
    const status = { ...nodeClaim.status, lastPodEventTime: '2026-01-01T00:00:00Z' }
    const nodes = [aStateNode('a', consolidatable()), { ...settling, nodeClaim: { ...nodeClaim, status } }]
    const { run, searches } = await searched(nodes)
    await run(35_000)
    expect(searches()).toBe(1)
    await run(20_000)
    expect(searches()).toBe(2)
  })

  test('is made again when the protection of a pod has lapsed', async () => {
    const annotations = { 'karpenter.sh/do-not-disrupt': '20m' }
    const startedAt = Date.parse('2026-01-01T00:01:00Z') - 20 * 60_000
    const pods = [aRunningPod({ annotations, startedAt })]
    const nodes = [aStateNode('a', consolidatable()), aStateNode('b', { pods, conditions: [] })]
    const { run, searches } = await searched(nodes)
    await run(35_000)
    expect(searches()).toBe(1)
    await run(20_000)
    expect(searches()).toBe(2)
  })
})

test.each(Object.entries(gates))(
  'the methods of a pass share one simulator; a search that found nothing is made again when something has changed, where %s',
  async (_what, gate) => {
    const world = aControllerWorld()
    const nodesOf = (names: readonly string[]) =>
      names.map((name) => aStateNode(name, { pods: [aRunningPod()], conditions: [condition('Consolidatable')] }))
    const types = [aType('m5.large', { price: 0.1 })]
    let snapshot = aWorld({ nodes: nodesOf(['a', 'b', 'c']), types, now: world.clock.now() })
    const asked: string[] = []
    let simulators = 0
    let state = 0
    let held = 'general: its nodes keep failing'
    // Each pass looks again.
    const consolidationState = (): number => {
      state += 1
      return state
    }
    const deps = disruptionDeps(
      world,
      { snapshot: () => snapshot, consolidationState },
      {
        gate: () => gate,
        simulationKeys: () => [held],
        simulatorFor: () => {
          simulators += 1
          const simulator = simulators
          return function* simulate({ candidates }: { readonly candidates: readonly { readonly name: string }[] }) {
            asked.push(`${simulator}: ${candidates.map(({ name }) => name).join(' ')}`)
            yield undefined
            return { kind: 'placed', replacements: [], destinations: [], unplaced: 'no room' }
          }
        },
      },
    )
    await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
    await world.run(100)
    expect(asked).toEqual(['1: a b', '1: a', '1: b', '1: c'])
    snapshot = { ...snapshot, nodes: nodesOf(['a', 'b', 'd']) }
    await world.run(10_000)
    expect(asked.slice(4)).toEqual(['2: a b', '2: a', '2: b', '2: d'])
    await world.run(10_000)
    expect(asked.slice(8)).toEqual([])
    held = ''
    await world.run(10_000)
    expect(asked.slice(8)).toEqual(['3: a b', '3: a', '3: b', '3: d'])
  },
)

test('a search over several nodes that ran out of time is not made again before something has changed', async () => {
  const world = aControllerWorld()
  const conditions = [condition('Consolidatable')]
  const four = ['a', 'b', 'c', 'd'].map((name) => aStateNode(name, { pods: [aRunningPod()], conditions }))
  const snapshot = aWorld({ nodes: four, types: [aType('m5.large', { price: 0.1 })], now: world.clock.now() })
  let searches = 0
  let state = 1
  const { clock, spend } = spendingClock(world.clock)
  const simulatorFor = () =>
    function* simulate({ candidates }: { readonly candidates: readonly unknown[] }) {
      yield undefined
      if (candidates.length > 1) {
        searches += 1
        spend(61_000)
      }
      return { kind: 'placed', replacements: [], destinations: [], unplaced: 'no room' }
    }
  const seen = { snapshot: () => ({ ...snapshot }), consolidationState: () => state }
  const deps = disruptionDeps(world, seen, { clock, simulatorFor })
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(35_000)
  expect(world.logged('failed to find a multi-node consolidation after timeout')).toHaveLength(1)
  const timeouts = 'karpenter_voluntary_disruption_consolidation_timeouts_total'
  expect(world.counts.sum(timeouts, { consolidation_type: 'multi' })).toBe(1)
  expect(searches).toBe(1)
  state = 2
  await world.run(10_000)
  expect(searches).toBe(2)
})

test('what a search over several nodes has found when its time is up goes', async () => {
  const world = aControllerWorld()
  const more = { pods: [aRunningPod()], conditions: [condition('Consolidatable')] }
  const four = await Promise.all(['a', 'b', 'c', 'd'].map((name) => aStoredNode(world, name, more)))
  const snapshot = aWorld({ nodes: four, types: [aType('m5.large', { price: 0.1 })], now: world.clock.now() })
  const { clock, spend } = spendingClock(world.clock)
  const simulatorFor = () =>
    function* simulate() {
      yield undefined
      spend(61_000)
      return { kind: 'placed', replacements: [], destinations: [], unplaced: undefined }
    }
  const deps = disruptionDeps(world, { snapshot: () => snapshot }, { clock, simulatorFor })
  const queue = new OrchestrationQueue(deps)
  await world.start(disruptionController(deps, queue, new VerdictBook()))
  await world.run(20_000)
  const said = 'stopping multi-node consolidation after timeout, returning last valid command'
  expect(world.logged(said)).toHaveLength(1)
  expect(queue.commands.map(({ command }) => command.candidates.map(({ name }) => name))).toEqual([['a', 'b', 'c']])
})

test('what changes between a look and its decision is looked at in the next pass', async () => {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions: [condition('Consolidatable')] })
  let [token, looks, roomAt] = [1, 0, Number.POSITIVE_INFINITY]
  const seen = {
    snapshot: () => {
      looks += 1
      // The third look is that of the method; a place comes free before it has decided.
      if (looks === 3) {
        queueMicrotask(() => {
          token += 1
          roomAt = looks + 1
        })
      }
      return aWorld({ nodes: [state], types: [aType('m5.large', { price: 0.1 })], now: world.clock.now() })
    },
    consolidationState: () => token,
  }
  const marked: string[] = []
  const deps = disruptionDeps(
    world,
    { ...seen, markForDeletion: (key) => void marked.push(key) },
    {
      simulationKeys: () => [looks],
      simulatorFor: () => {
        const hasRoom = looks >= roomAt
        return function* simulate() {
          yield undefined
          return { kind: 'placed', replacements: [], destinations: [], unplaced: hasRoom ? undefined : 'no room' }
        }
      },
    },
  )
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(60_000)
  expect(marked).toHaveLength(1)
})
