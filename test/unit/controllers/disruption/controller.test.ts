import { describe, expect, test } from 'vitest'
import { NodePoolCounts } from '../../../../src/cluster/node-pool-counts.ts'
import { PlanLedger } from '../../../../src/cluster/plan-ledger.ts'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { Replacement } from '../../../../src/disruption/command.ts'
import { type DisruptionGate, holdingGate, openGate } from '../../../../src/disruption/gate.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import type { Clock } from '../../../../src/model/clock.ts'
import type { Snapshot, StateNode } from '../../../../src/model/snapshot.ts'
import { noRequirements } from '../../../../src/model/requirements.ts'
import { LimitExceededError } from '../../../../src/controllers/provisioning/create-claim.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { aControllerWorld, type ControllerWorld } from '../../../support/controller-world.ts'
import {
  aPool,
  aRunningPod,
  aStateNode,
  aType,
  aWorld,
  condition,
  type NodeOptions,
} from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'

const replacement: Replacement = { nodePool: 'default', requirements: noRequirements, instanceTypes: [] }

/** A static pool whose nodes have drifted, and by default room for one more. */
async function aStaticPool(
  names: readonly string[] = ['a'],
  limit = names.length + 1,
  gate: DisruptionGate = openGate,
  more: NodeOptions = {},
) {
  const world = aControllerWorld()
  const conditions = [condition('Drifted')]
  const drifted = await Promise.all(
    names.map((name) => aStoredNode(world, name, { pods: [aRunningPod()], conditions, ...more })),
  )
  const types = [aType('m5.large', { price: 0.1 })]
  const pools = [aPool({ replicas: names.length, limits: { nodes: String(limit) } })]
  const snapshot = aWorld({ nodes: drifted, pools, types, now: world.clock.now() })
  const counts = new NodePoolCounts()
  for (const { nodeClaim } of drifted) counts.setActive('default', nodeClaim.metadata.name)
  const ledger = new PlanLedger()
  const launched: string[] = []
  const refusals: Error[] = []
  /** What happens while somebody looks at the cluster, by how many looks there were. */
  const meanwhile = new Map<number, () => void>()
  let looks = 0
  const seen = {
    snapshot: () => {
      looks += 1
      meanwhile.get(looks)?.()
      return snapshot
    },
    plans: ledger,
  }
  const deps = disruptionDeps(world, seen, {
    gate: () => gate,
    static: {
      get counts() {
        return new Map([['default', counts.counts('default')]])
      },
      reserve: (pool: string, wanted: number) => counts.reserve(pool, limit, wanted),
      release: (pool: string, count: number) => counts.release(pool, count),
      markPendingDisruption: (pool: string, claim: string) => counts.setPendingDisruption(pool, claim),
      plan: () => replacement,
      launch: (pool: string) => {
        counts.release(pool, 1)
        const refusal = refusals.shift()
        if (refusal !== undefined) return Promise.reject(refusal)
        launched.push(pool)
        const name = `new-${launched.length}`
        counts.setActive(pool, name)
        return world.kube.create(nodeClaims, aClaim(name))
      },
    },
  })
  const queue = new OrchestrationQueue(deps)
  const verdicts = new VerdictBook()
  const start = () => world.start(disruptionController(deps, queue, verdicts))
  return { ...world, ledger, launched, meanwhile, queue, refusals, start, verdicts }
}

/** What pools tell of their budget in two minutes, with their nodes drifted. */
async function budgetEvents(
  budget: string,
  nodes: readonly (readonly [name: string, more: NodeOptions])[],
  names = ['default'],
) {
  const world = aControllerWorld()
  const conditions = [condition('Drifted'), condition('Consolidatable')]
  const states = await Promise.all(
    nodes.map(([name, more]) => aStoredNode(world, name, { pods: [aRunningPod()], conditions, ...more })),
  )
  const disruption = { consolidateAfter: '0s', budgets: [{ nodes: budget }] }
  const pools = names.map((name) => aPool({ name, disruption }))
  let state = 0
  const seen = {
    snapshot: () => aWorld({ pools, nodes: states, now: world.clock.now() }),
    consolidationState: () => (state += 1),
  }
  const deps = disruptionDeps(world, seen, {
    simulatorFor: () =>
      function* simulate() {
        yield undefined
        return { kind: 'placed', replacements: [], destinations: [], unplaced: 'no room' }
      },
  })
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(125_000)
  return world.recorder.published.filter(({ object }) => object.kind === 'NodePool')
}

test('case 19: a pool whose budget is zero says so for each reason, which is told once a minute', async () => {
  const told = await budgetEvents('0', [
    ['a', {}],
    ['empty', { pods: [] }],
  ])
  expect(new Set(told.map(({ message }) => message))).toEqual(
    new Set(
      ['Drifted', 'Empty', 'Underutilized'].map(
        (reason) => `No allowed disruptions for disruption reason ${reason} due to blocking budget`,
      ),
    ),
  )
  for (const { reason, type, dedupeMs } of told) {
    expect([reason, type, dedupeMs]).toEqual(['DisruptionBlocked', 'Normal', 60_000])
  }
  expect(new Set(told.map(({ dedupeValues = [] }) => dedupeValues.join(' '))).size).toBe(3)
  const ofAnother = await budgetEvents('0', [['a', {}]])
  expect(ofAnother.filter(({ message }) => message.includes('reason Empty'))).toEqual([])
})

test('cases 3 and 4: not where there is nothing to allow, nor where nodes out of order use it up', async () => {
  const others: readonly (readonly [string, NodeOptions])[] = [
    ['a', { initialized: false }],
    ['b', { pool: 'full' }],
  ]
  // Evaluated for the other pool's node, and 0 for this one as well.
  expect(await budgetEvents('10%', others, ['default', 'full'])).toEqual([])
  const zero = await budgetEvents('0', others, ['default', 'full'])
  expect(new Set(zero.map(({ object }) => object.metadata.name))).toEqual(new Set(['full']))
  const ten = Array.from({ length: 10 }, (_, index) => [`n${index}`, { ready: index > 0 ? 'True' : 'False' }] as const)
  expect(await budgetEvents('10%', ten)).toEqual([])
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

test('nothing is decided before all that the API server has is known, and then soon', async () => {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { conditions: [condition('Consolidatable')] })
  const base = disruptionDeps(world, { snapshot: () => aWorld({ nodes: [state], now: world.clock.now() }) })
  let synced = false
  const deps = { ...base, cluster: Object.create(base.cluster, { synced: { get: () => synced } }) }
  const queue = new OrchestrationQueue(deps)
  await world.start(disruptionController(deps, queue, new VerdictBook()))
  await world.run(120_000)
  expect(queue.commands).toEqual([])
  synced = true
  await world.run(16_100)
  expect(queue.commands).toHaveLength(1)
})

test('a drifted node whose pods have no room elsewhere is told so, and nobody says it of it once it has not drifted', async () => {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions: [condition('Drifted')] })
  let seen = state
  const deps = disruptionDeps(
    world,
    { snapshot: () => aWorld({ nodes: [seen], now: world.clock.now() }) },
    {
      simulatorFor: () =>
        function* simulate() {
          yield undefined
          return { kind: 'placed', replacements: [], destinations: [], unplaced: 'not all pods would schedule' }
        },
    },
  )
  const verdicts = new VerdictBook()
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), verdicts))
  await world.run(1_000)
  const told = world.recorder.published.filter(({ reason }) => reason === 'DisruptionBlocked')
  expect(told.map(({ object, message }) => `${object.kind}: ${message}`)).toEqual([
    'Node: Not all pods would schedule',
    'NodeClaim: Not all pods would schedule',
  ])
  const ofDrift = () => verdicts.of('a').filter(({ method }) => method === 'drift')
  expect(ofDrift()).toMatchObject([{ code: 'PodsWouldNotSchedule', message: 'Not all pods would schedule' }])
  seen = { ...state, nodeClaim: { ...state.nodeClaim, status: { ...state.nodeClaim.status, conditions: [] } } }
  await world.run(10_000)
  expect(ofDrift()).toEqual([])
})

test('a mark that is left over is taken off in a later pass where others keep writing, without a word of failure', async () => {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions: [] })
  const body = { spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] } }
  const node = await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body })
  const snapshot = () => aWorld({ nodes: [{ ...state, node }], now: world.clock.now() })
  const deps = disruptionDeps(world, { snapshot })
  let conflicts = 0
  world.kube.fault = ({ operation, resource }) => {
    if (operation === 'patch' && resource === 'nodes' && conflicts++ < 6)
      throw new KubeError('Conflict', 409, 'changed')
  }
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(30_000)
  expect((await world.read(nodes, { name: 'a' })).spec.taints).toEqual([])
  expect(world.logged('Reconciler error')).toEqual([])
})

test('a drifted node of a static pool is replaced, and is not asked to go again while it waits', async () => {
  const { launched, logged, queue, start, run } = await aStaticPool()
  await start()
  await run(60_000)
  expect(launched).toEqual(['default'])
  expect(queue.commands).toHaveLength(1)
  expect(logged('Reconciler error')).toEqual([])
})

/** The loop in a cluster that shows the very same objects whenever it is looked at. */
async function aStillCluster(nodes: readonly StateNode[], more: object, world = aControllerWorld()) {
  const pools = [aPool(), aPool({ name: 'slow', disruption: { consolidateAfter: '1m' } })]
  const still = aWorld({ nodes, pools, types: [aType('m5.large', { price: 0.1 })], now: 0 })
  const base = disruptionDeps(world, { snapshot: () => ({ ...still, now: world.clock.now() }) }, more)
  const known = { bufferNodes: new Set<string>(), poolCosts: new Map<string, number>(), disruptionCosts: new Map() }
  let looks = 0
  const cluster = Object.create(base.cluster, {
    bufferNodes: { get: () => known.bufferNodes },
    poolCosts: { get: () => known.poolCosts },
    disruptionCosts: { get: () => known.disruptionCosts },
    // As if something had changed that no search goes by.
    consolidationState: { get: () => (looks += 1) },
  })
  const deps = { ...base, cluster }
  const queue = new OrchestrationQueue(deps)
  const start = () => world.start(disruptionController(deps, queue, new VerdictBook()))
  return { ...world, known, queue, start }
}

test('a node is not asked to go again while it waits for its replacement, though nothing else has changed', async () => {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions: [condition('Drifted')] })
  const simulatorFor = () =>
    function* simulate() {
      yield undefined
      return { kind: 'placed', replacements: [replacement], destinations: [], unplaced: undefined }
    }
  let launches = 0
  const launch = () => world.kube.create(nodeClaims, aClaim(`new-${(launches += 1)}`))
  const { logged, queue, run, start } = await aStillCluster([state], { simulatorFor, launch }, world)
  await start()
  await run(60_000)
  expect([queue.commands.length, launches]).toEqual([1, 1])
  expect(logged('Reconciler error')).toEqual([])
})

test('an empty node that holds room for a buffer goes when it holds none any more', async () => {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { conditions: [condition('Consolidatable')] })
  const { known, queue, run, start } = await aStillCluster([state], {}, world)
  known.bufferNodes = new Set([state.key])
  await start()
  await run(60_000)
  expect(queue.commands).toEqual([])
  known.bufferNodes = new Set()
  await run(26_000)
  expect(queue.commands).toHaveLength(1)
})

test('a node that came of a consolidation which did not hold goes when it is held no longer', async () => {
  const world = aControllerWorld()
  const worthless = { 'controller.kubernetes.io/pod-deletion-cost': '-2147483647' }
  const pods = [aRunningPod({ annotations: worthless })]
  const state = await aStoredNode(world, 'a', { pods, conditions: [condition('Consolidatable')] })
  let gate = holdingGate(() => ({ code: 'ConsolidationUndone', message: 'it did not hold' }))
  const undone = { observe: () => undefined, carriedOut: () => undefined, gate: openGate }
  Object.defineProperty(undone, 'gate', { get: () => gate })
  const { queue, run, start } = await aStillCluster([state], { undone }, world)
  await start()
  await run(60_000)
  expect(queue.commands).toEqual([])
  gate = openGate
  await run(26_000)
  expect(queue.commands).toHaveLength(1)
})

describe('a search for nodes to consolidate that found nothing', () => {
  const consolidatable = () => ({ pods: [aRunningPod()], conditions: [condition('Consolidatable')] })

  async function searched(nodes: readonly StateNode[], spentPerSearchMs = 0) {
    const world = aControllerWorld()
    let spentMs = 0
    let searches = 0
    const clock: Clock = {
      now: () => world.clock.now(),
      monotonicMs: () => world.clock.monotonicMs() + spentMs,
      schedule: (ms, run) => world.clock.schedule(ms, run),
      sleep: (ms, signal) => world.clock.sleep(ms, signal),
    }
    const simulatorFor = () =>
      function* simulate({ candidates }: { readonly candidates: readonly unknown[] }) {
        if (candidates.length === 1) {
          searches += 1
          spentMs += spentPerSearchMs
        }
        yield undefined
        return { kind: 'placed', replacements: [], destinations: [], unplaced: 'no room' }
      }
    const cluster = await aStillCluster(nodes, { simulatorFor, clock }, world)
    await cluster.start()
    await world.run(15_000)
    return { ...cluster, searches: () => searches }
  }

  test('is not made again while nothing changes that it goes by', async () => {
    const { run, searches } = await searched([aStateNode('a', consolidatable())])
    await run(120_000)
    expect(searches()).toBe(1)
  })

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

test('the end of a window is noticed in a cluster in which nothing changes', async () => {
  const world = aControllerWorld()
  const budgets = [{ nodes: '0', schedule: '0 0 * * *', duration: '1h' }]
  const state = await aStoredNode(world, 'a', { conditions: [condition('Consolidatable')] })
  const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets } })]
  const snapshot = aWorld({ nodes: [state], pools, types: [aType('m5.large', { price: 0.1 })], now: 0 })
  const deps = disruptionDeps(world, { snapshot: () => ({ ...snapshot, now: world.clock.now() }) })
  const queue = new OrchestrationQueue(deps)
  await world.start(disruptionController(deps, queue, new VerdictBook()))
  await world.run(59 * 60_000)
  expect(queue.commands).toEqual([])
  await world.run(2 * 60_000)
  expect(queue.commands).toHaveLength(1)
})

test('also while another claim of the pool is on its way, since its place is reserved', async () => {
  const { ledger, launched, start, run } = await aStaticPool()
  ledger.begin(aPool({ replicas: 1, limits: { nodes: '2' } }), ledger.basis())
  await start()
  await run(100)
  expect(launched).toEqual(['default'])
})

test.each([
  ['none goes when the limit leaves no room', 5, []],
  ['two go at a time with room for two', 7, ['a', 'b']],
] as const)('case 137: of five nodes that have drifted %s', async (_name, limit, going) => {
  const { counts, launched, queue, start, run } = await aStaticPool(['a', 'b', 'c', 'd', 'e'], limit)
  await start()
  await run(60_000)
  expect(launched).toHaveLength(going.length)
  expect(queue.commands.map(({ command }) => command.candidates.map(({ name }) => name))).toEqual(
    going.map((name) => [name]),
  )
  expect(queue.commands.map(({ replacements }) => replacements)).toEqual(going.map((_, index) => [`new-${index + 1}`]))
  const decided = { decision: 'replace', reason: 'drifted', consolidation_type: '' }
  expect(counts.sum('karpenter_voluntary_disruption_decisions_total', decided)).toBe(going.length)
})

test('the nodes of a static pool go in the order that a policy asks for', async () => {
  const backwards: DisruptionGate = { ...openGate, driftOrder: (candidates) => candidates.toReversed() }
  const { queue, start, run } = await aStaticPool(['a', 'b', 'c'], 5, backwards)
  await start()
  await run(60_000)
  expect(queue.commands.map(({ command }) => command.candidates.map(({ name }) => name))).toEqual([['c'], ['b']])
})

test('a gate that lets no more nodes of the pool go holds them', async () => {
  const { launched, start, run } = await aStaticPool(['a', 'b'], 4, { ...openGate, limit: () => 0 })
  await start()
  await run(60_000)
  expect(launched).toEqual([])
})

describe('pods that must not be disrupted', () => {
  const held = () => [aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })]

  test.each([
    ['keep a drifted node of a static pool', undefined, []],
    ['have until the end of the grace period of such a node, where it has one', '5m', ['default']],
  ])('%s', async (_what, terminationGracePeriod, want) => {
    const more = { pods: held(), ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }) }
    const { launched, start, run } = await aStaticPool(['a'], 2, openGate, more)
    await start()
    await run(10_000)
    expect(launched).toEqual(want)
  })

  test.each([
    ['a drifted node goes', 'Drifted', 1],
    ['no node is consolidated', 'Consolidatable', 0],
  ])('with such a grace period %s in spite of them', async (_what, type, want) => {
    const world = aControllerWorld()
    const more = { pods: held(), terminationGracePeriod: '5m', conditions: [condition(type)] }
    const state = await aStoredNode(world, 'a', more)
    const types = [aType('m5.large', { price: 0.1 })]
    const snapshot = () => aWorld({ nodes: [state], types, now: world.clock.now() })
    const simulatorFor = () =>
      function* simulate() {
        yield undefined
        return { kind: 'placed', replacements: [], destinations: [], unplaced: undefined }
      }
    const deps = disruptionDeps(world, { snapshot }, { simulatorFor })
    const queue = new OrchestrationQueue(deps)
    await world.start(disruptionController(deps, queue, new VerdictBook()))
    await world.run(60_000)
    expect(queue.commands).toHaveLength(want)
  })
})

test('the place that was reserved for a plan that does not hold any more is free for the next one', async () => {
  const { ledger, launched, logged, meanwhile, start, run } = await aStaticPool()
  // The first look of a pass is for its clean-up, the second for its methods.
  meanwhile.set(2, () => ledger.markTakenBack())
  await start()
  await run(1_100)
  expect(logged('a node that was to go stays, deciding anew')).toHaveLength(1)
  expect(launched).toEqual(['default'])
})

test('so is that of a node that could not be marked', async () => {
  const { kube, launched, logged, start, run } = await aStaticPool()
  let refusals = 0
  kube.fault = ({ operation, resource }) => {
    if (operation !== 'patch' || resource !== 'nodes' || refusals > 0) return
    refusals += 1
    throw new KubeError('InternalError', 500, 'not now')
  }
  await start()
  await run(10_000)
  expect(logged('Reconciler error')).toHaveLength(1)
  expect(launched).toEqual(['default'])
})

test.each([
  ['the limits refuse', new LimitExceededError('creating node claim, resource usage exceeds limit')],
  ['a policy refuses', new KubeError('Forbidden', 403, 'admission webhook "policy.example.com" denied the request')],
])('a node whose replacement %s says why, and lets others have their turn', async (_, refusal) => {
  const { launched, logged, queue, refusals, start, run, verdicts } = await aStaticPool(['a', 'b'])
  const begun = () => queue.commands.flatMap(({ command }) => command.candidates.map(({ name }) => name))
  refusals.push(refusal)
  await start()
  await run(4 * 60_000)
  expect(logged('Reconciler error')).toHaveLength(1)
  expect(launched).toEqual(['default'])
  expect(begun()).toEqual(['b'])
  expect(verdicts.of('a')).toContainEqual(expect.objectContaining({ code: 'LaunchRefused', message: refusal.message }))
})

test('of several commands that fail together each says why', async () => {
  const { logged, refusals, start, run } = await aStaticPool(['a', 'b'], 4)
  refusals.push(new Error('the first reason'), new Error('the second reason'))
  await start()
  await run(1_000)
  expect(logged('Reconciler error').map((fields) => String(fields['err']))).toEqual([
    expect.stringMatching(/the first reason; .*the second reason/),
  ])
})

test('a node that may not be tainted says who refuses it, and lets others have their turn', async () => {
  const { kube, launched, queue, start, run, verdicts } = await aStaticPool(['a', 'b'])
  kube.fault = ({ operation, resource, name }) => {
    if (operation !== 'patch' || resource !== 'nodes' || name !== 'a') return
    throw new KubeError('Forbidden', 403, 'a policy says no')
  }
  await start()
  await run(4 * 60_000)
  expect(launched).toEqual(['default'])
  expect(queue.commands.flatMap(({ command }) => command.candidates.map(({ name }) => name))).toEqual(['b'])
  expect(verdicts.of('a')).toContainEqual(
    expect.objectContaining({ code: 'MarkingRefused', message: 'marking disrupted, a policy says no' }),
  )
})

test('a node that others keep writing is looked at anew, without a word of failure', async () => {
  const { kube, launched, logged, start, run } = await aStaticPool()
  let conflicts = 0
  kube.fault = ({ operation, resource }) => {
    if (operation !== 'patch' || resource !== 'nodes' || conflicts >= 6) return
    conflicts += 1
    throw new KubeError('Conflict', 409, 'changed')
  }
  await start()
  await run(60_000)
  expect(conflicts).toBe(6)
  expect(logged('Reconciler error')).toEqual([])
  expect(launched).toEqual(['default'])
})

test('it is tried again after five minutes', async () => {
  const { launched, refusals, start, run } = await aStaticPool()
  refusals.push(new LimitExceededError('creating node claim, resource usage exceeds limit'))
  await start()
  await run(4 * 60_000)
  expect(launched).toEqual([])
  await run(2 * 60_000)
  expect(launched).toEqual(['default'])
})

test('the methods of a pass share one simulator; a search that found nothing is made again when something has changed', async () => {
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
  snapshot = { ...snapshot, nodes: nodesOf(['a', 'b']) }
  await world.run(10_000)
  expect(asked.slice(4)).toEqual(['2: a b', '2: a', '2: b'])
  await world.run(10_000)
  expect(asked.slice(7)).toEqual([])
  held = ''
  await world.run(10_000)
  expect(asked.slice(7)).toEqual(['3: a b', '3: a', '3: b'])
})

test('a search over several nodes that ran out of time is not made again before something has changed', async () => {
  const world = aControllerWorld()
  const conditions = [condition('Consolidatable')]
  const four = ['a', 'b', 'c', 'd'].map((name) => aStateNode(name, { pods: [aRunningPod()], conditions }))
  const snapshot = aWorld({ nodes: four, types: [aType('m5.large', { price: 0.1 })], now: world.clock.now() })
  let spentMs = 0
  let searches = 0
  let state = 1
  const clock: Clock = {
    now: () => world.clock.now(),
    monotonicMs: () => world.clock.monotonicMs() + spentMs,
    schedule: (ms, run) => world.clock.schedule(ms, run),
    sleep: (ms, signal) => world.clock.sleep(ms, signal),
  }
  const simulatorFor = () =>
    function* simulate({ candidates }: { readonly candidates: readonly unknown[] }) {
      yield undefined
      if (candidates.length > 1) {
        searches += 1
        spentMs += 61_000
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

/** The loop in a cluster that shows what it was last told to `see`. */
function aLoop(world: ControllerWorld, first: Snapshot) {
  let snapshot = first
  const deps = disruptionDeps(world, { snapshot: () => snapshot })
  return {
    see: (next: Snapshot) => {
      snapshot = next
    },
    start: () => world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook())),
  }
}

test('the metrics of a pool that is gone go, too', async () => {
  const world = aControllerWorld()
  const { see, start } = aLoop(world, aWorld({ nodes: [], pools: [aPool()], now: world.clock.now() }))
  await start()
  await world.run(100)
  const told = (): readonly number[] =>
    ['allowed_disruptions', 'nodes_consuming_budgets'].map(
      (name) => world.counts.observed(`karpenter_nodepools_${name}`, { nodepool: 'default' }).length,
    )
  expect(told()).toEqual([3, 3])
  see(aWorld({ nodes: [], pools: [], now: world.clock.now() }))
  await world.run(10_000)
  expect(told()).toEqual([0, 0])
})

test('what cannot be read is logged: lists in each pass, annotations once as long as the pods are the same', async () => {
  const world = aControllerWorld()
  const pods = [
    aRunningPod({ name: 'dear', annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'dear' } }),
    aRunningPod({ name: 'cheap', annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } }),
  ]
  const snapshot = aWorld({ nodes: [aStateNode('a', { pods })], now: world.clock.now() })
  const unresolved = { kind: 'unresolved', error: 'no subnets' } as const
  const instanceTypes = new Map([
    ['default', unresolved],
    ['without-nodes', unresolved],
  ])
  const { see, start } = aLoop(world, { ...snapshot, instanceTypes })
  await start()
  await world.run(1_000)
  see({ ...snapshot, instanceTypes, nodes: snapshot.nodes.map((node) => ({ ...node })) })
  await world.run(10_000)
  const costs = world.logged('failed parsing pod deletion cost')
  expect(costs.map((fields) => fields['Pod'])).toEqual([{ name: 'dear', namespace: 'default' }])
  const lists = world.logged('failed listing instance types')
  expect(lists.map((fields) => fields['NodePool'])).toEqual([{ name: 'default' }, { name: 'default' }])
})
