import { describe, expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import type { Snapshot } from '../../../../src/model/snapshot.ts'
import { aControllerWorld, type ControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aStateNode, aType, aWorld, condition } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'

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

describe('pods that must not be disrupted', () => {
  const held = () => [aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })]

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

test('those of a pool that is there stay while a pass waits before its last methods have looked', async () => {
  const world = aControllerWorld()
  const { see, start } = aLoop(world, aWorld({ nodes: [], now: world.clock.now() }))
  await start()
  await world.run(100)
  const allowed = (reason: string): readonly number[] =>
    world.counts.observed('karpenter_nodepools_allowed_disruptions', { nodepool: 'default', reason })
  expect(allowed('Underutilized')).toHaveLength(1)
  const empty = await aStoredNode(world, 'a', { conditions: [condition('Consolidatable')] })
  see(aWorld({ nodes: [empty], now: world.clock.now() }))
  await world.run(15_000)
  expect(allowed('Empty')).toEqual([1])
  expect(allowed('Underutilized')).toHaveLength(1)
})

test('what cannot be read is logged: lists in each pass, annotations once as long as the pods are the same', async () => {
  const world = aControllerWorld()
  const pods = [
    aRunningPod({ name: 'dear', annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'dear' } }),
    aRunningPod({ name: 'cheap', annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } }),
  ]
  const seen = [aStateNode('a', { pods }), aStateNode('b', { pool: 'other' })]
  const snapshot = aWorld({ nodes: seen, now: world.clock.now() })
  const unresolved = { kind: 'unresolved', error: 'no subnets' } as const
  const instanceTypes = new Map([
    ['default', unresolved],
    ['without-nodes', unresolved],
  ])
  const { see, start } = aLoop(world, { ...snapshot, instanceTypes })
  await start()
  await world.run(1_000)
  see({ ...snapshot, instanceTypes, nodes: seen.map((node) => ({ ...node })) })
  await world.run(10_000)
  const costs = world.logged('failed parsing pod deletion cost')
  expect(costs.map((fields) => fields['Pod'])).toEqual([{ name: 'dear', namespace: 'default' }])
  const lists = world.logged('failed listing instance types')
  expect(lists.map((fields) => fields['NodePool'])).toEqual([{ name: 'default' }, { name: 'default' }])
})
