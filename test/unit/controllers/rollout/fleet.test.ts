import { expect, test } from 'vitest'
import type { Node } from '../../../../src/api/kubernetes.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { pods as podKind } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, aPool } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { Fleet, type FleetDeps } from '../../../../src/controllers/rollout/fleet.ts'
import { aRunningPod, aStateNode } from '../../../support/disruption-builders.ts'
import { aRolloutFleet } from '../../../support/rollout-fleet.ts'

const initializedAt = '2026-01-01T00:05:00Z'

/** What the engine is told of a claim that was initialized, with its node as cluster state has it. */
async function factsOf(node: Node | undefined, annotations: Record<string, string> = {}, deletionTimestamp?: string) {
  const world = aControllerWorld()
  const conditions = ['Registered', 'Initialized'].map((type) => ({
    type,
    status: 'True' as const,
    lastTransitionTime: initializedAt,
  }))
  const going = deletionTimestamp === undefined ? {} : { deletionTimestamp, finalizers: ['karpenter.sh/termination'] }
  await world.kube.create(nodeClaims, aClaim('c', { metadata: { annotations, ...going }, status: { conditions } }))
  await world.kube.create(nodePools, aPool())
  const fleet = aRolloutFleet(world, node)
  await world.start()
  await world.run(1_000)
  const [facts] = fleet.nodesOf(await world.read(nodePools, { name: 'default' }), {
    nodeConditions: [{ type: 'DriverReady' }],
  })
  return facts
}

function nodeWith(...conditions: readonly { type: string; status: 'True' | 'False'; lastTransitionTime: string }[]) {
  return { ...aNode(), status: { conditions } } as unknown as Node
}

const ready = { type: 'Ready', status: 'True' as const, lastTransitionTime: '2026-01-01T00:04:00Z' }

test.each([
  [
    'a node that nobody sees is on its way out, and not ready, nobody knows since when',
    undefined,
    { going: true, ready: false, unreadyFrom: undefined },
  ],
  [
    'a node that is being deleted is on its way out, whatever its claim says',
    { ...nodeWith(ready), metadata: { ...nodeWith(ready).metadata, deletionTimestamp: initializedAt } },
    { going: true },
  ],
  [
    'a condition that nobody has reported is lacking since the node was initialized',
    nodeWith(ready),
    { ready: false, unreadyFrom: Date.parse(initializedAt) },
  ],
  [
    'a condition that is bad is so since it says it',
    nodeWith(ready, { type: 'DriverReady', status: 'False', lastTransitionTime: '2026-01-01T00:07:00Z' }),
    { ready: false, unreadyFrom: Date.parse('2026-01-01T00:07:00Z') },
  ],
  [
    'a node that lacks two conditions lacks them since the first went, whatever becomes of the other',
    nodeWith(
      { ...ready, status: 'False', lastTransitionTime: '2026-01-01T00:06:00Z' },
      { type: 'DriverReady', status: 'False', lastTransitionTime: '2026-01-01T00:19:00Z' },
    ),
    { ready: false, unreadyFrom: Date.parse('2026-01-01T00:06:00Z') },
  ],
  [
    'what was bad before the node was initialized counts from then on',
    nodeWith(ready, { type: 'DriverReady', status: 'False', lastTransitionTime: '2026-01-01T00:01:00Z' }),
    { ready: false, unreadyFrom: Date.parse(initializedAt) },
  ],
  [
    'a node that lacks nothing is ready',
    nodeWith(ready, { type: 'DriverReady', status: 'True', lastTransitionTime: '2026-01-01T00:07:00Z' }),
    { going: false, ready: true, unreadyFrom: undefined },
  ],
])('%s', async (_name, node, facts) => {
  expect(await factsOf(node)).toMatchObject({ initialized: true, ...facts })
})

const unchanging = {
  hashes: { poolVersion: 'v3', classVersion: 'v6', ofPool: () => '1', ofClass: () => '10' },
  labelAliases: new Map<string, string>(),
}

test('only a node that is on its way out is taken back by the cloud, whatever its claim says', async () => {
  const interrupted = { 'joinery.dev/interrupted': 'spot_interrupted' }
  const leaving = { ...nodeWith(ready), metadata: { ...nodeWith(ready).metadata, deletionTimestamp: initializedAt } }
  expect(await factsOf(leaving, interrupted)).toMatchObject({ going: true, interrupted: true })
  expect(await factsOf(leaving)).toMatchObject({ going: true, interrupted: false })
  expect(await factsOf(nodeWith(ready), interrupted)).toMatchObject({ going: false, interrupted: false })
})

test('a node is kept that says so, and as long as it is not seen to, one whose claim does', async () => {
  const keep = { 'karpenter.sh/do-not-disrupt': 'true' }
  const kept = { ...nodeWith(ready), metadata: { ...nodeWith(ready).metadata, annotations: keep } }
  expect(await factsOf(kept)).toMatchObject({ isKept: true })
  expect(await factsOf(undefined, keep)).toMatchObject({ isKept: true })
  expect(await factsOf(nodeWith(ready))).toMatchObject({ isKept: false })
})

test.each([
  ['has been out of service for a minute', '2026-01-01T00:06:00Z', '2026-01-01T00:07:00Z', true],
  ['has missed a heartbeat', '2026-01-01T00:06:00Z', '2026-01-01T00:06:59Z', false],
  ['stops as it ends', '2026-01-01T00:08:00Z', '2026-01-01T00:07:00Z', false],
  ['never had the condition that is asked for', initializedAt, '2026-01-01T00:07:00Z', false],
  ['is not deleted', '2026-01-01T00:06:00Z', undefined, false],
])('a node that %s broke down: %s, deleted %s: %s', async (_name, since, deletedAt, brokeDown) => {
  const driver = { type: 'DriverReady', status: 'False' as const, lastTransitionTime: since }
  expect(await factsOf(nodeWith(ready, driver), {}, deletedAt)).toMatchObject({ brokeDown })
})

test('a node whose labels no longer meet what its pool asks for is to be replaced before its condition says so', async () => {
  const world = aControllerWorld()
  const launched = [{ type: 'Launched', status: 'True' as const, lastTransitionTime: initializedAt }]
  await world.kube.create(
    nodeClaims,
    aClaim('c', {
      metadata: { labels: { 'karpenter.sh/nodepool': 'default', size: 'xl' } },
      status: { conditions: launched },
    }),
  )
  const { template } = aPool().spec
  const requirements = [{ key: 'size', operator: 'In' as const, values: ['s'] }]
  await world.kube.create(nodePools, aPool('default', { template: { spec: { ...template.spec, requirements } } }))
  const fleet = aRolloutFleet(world, nodeWith(ready))
  await world.start()
  await world.run(1_000)
  const [facts] = fleet.nodesOf(await world.read(nodePools, { name: 'default' }), undefined)
  expect(facts).toMatchObject({ drift: 'RequirementsDrifted', driftedAt: undefined })
})

test('what is known of a claim follows its node, the conditions that are asked for, and the verdicts of disruption', async () => {
  const world = aControllerWorld()
  const { kube, caches } = world
  const told = { status: 'True' as const, lastTransitionTime: initializedAt }
  const conditions = [
    { type: 'Initialized', ...told },
    { type: 'Drifted', reason: 'SecurityGroupDrift', ...told },
  ]
  await kube.create(nodeClaims, aClaim('c', { status: { conditions } }))
  await kube.create(nodePools, aPool())
  const stateWith = (node: Node) => ({ ...aStateNode('n', { pods: [aRunningPod()] }), node })
  let state = stateWith(nodeWith(ready))
  let verdicts: ReturnType<FleetDeps['verdicts']['of']> = []
  const fleet = new Fleet({
    verdicts: { of: () => verdicts },
    caches,
    cluster: { byClaimName: () => state, unboundPods: () => [] },
    ...unchanging,
  })
  await world.start()
  await world.run(1_000)
  const pool = await world.read(nodePools, { name: 'default' })
  const facts = (...nodeConditions: { type: string }[]) => fleet.nodesOf(pool, { nodeConditions })[0]
  expect(facts()).toMatchObject({ ready: true, drift: 'SecurityGroupDrift', blocked: undefined })
  expect(facts({ type: 'DriverReady' })).toMatchObject({ ready: false })
  state = stateWith(nodeWith({ ...ready, status: 'False' }))
  expect(facts()).toMatchObject({ ready: false })
  verdicts = [{ node: 'n', method: 'drift', code: 'PodDoNotDisrupt', message: 'a pod', at: 0 }]
  expect(facts()).toMatchObject({ blocked: { reason: 'PodDoNotDisrupt', message: 'a pod' } })
  // What its policy holds is no block of another kind.
  verdicts = [{ node: 'n', method: 'drift', code: 'RolloutHeld', message: 'it soaks', at: 0 }]
  expect(facts()).toMatchObject({ blocked: undefined })
  expect(facts()).toMatchObject({ going: false, goingUntold: false })
  state = { ...state, markedForDeletion: true }
  expect(facts()).toMatchObject({ going: true, goingForDrift: false, goingUntold: true })
  const goesBecause = async (reason: string): Promise<void> => {
    const body = { status: { conditions: [...conditions, { type: 'DisruptionReason', reason, ...told }] } }
    await kube.patch(nodeClaims, { name: 'c' }, { kind: 'merge', body })
    await world.run(1_000)
  }
  await goesBecause('Underutilized')
  expect(facts()).toMatchObject({ going: true, goingForDrift: false, goingUntold: false })
  await goesBecause('Drifted')
  expect(facts()).toMatchObject({ going: true, goingForDrift: true, goingUntold: false })
  state = { ...state, markedForDeletion: false }
  expect(facts()).toMatchObject({ going: false, goingForDrift: false, goingUntold: false })
  verdicts = []
  expect(facts()).toMatchObject({ blocked: undefined })
})

test('of the pods that are not ready, the one that waits longest need not be the oldest', async () => {
  const world = aControllerWorld()
  const { kube, caches } = world
  await kube.create(nodeClaims, aClaim('c'))
  await kube.create(nodePools, aPool())
  const pods = [
    aRunningPod({ name: 'crashed', createdAt: 1, ready: 'False', startedAt: 30 }),
    aRunningPod({ name: 'new', createdAt: 20, ready: 'False', startedAt: 20 }),
    aRunningPod({ name: 'well', createdAt: 0 }),
  ]
  const fleet = new Fleet({
    verdicts: { of: () => [] },
    caches,
    cluster: { byClaimName: () => aStateNode('n', { pods }), unboundPods: () => [] },
    ...unchanging,
  })
  caches.of(podKind)
  await world.start()
  await world.run(1_000)
  const [facts] = fleet.nodesOf(await world.read(nodePools, { name: 'default' }), undefined)
  expect(facts).toMatchObject({ hostsPods: true, unreadyPods: 2, unreadySince: 20, unreadyMadeAt: 1 })
})

test('a pod that has just come to its node is not ready there since then, however long it waited for one', async () => {
  const world = aControllerWorld()
  const { kube, caches } = world
  await kube.create(nodeClaims, aClaim('c'))
  await kube.create(nodePools, aPool())
  const lastTransitionTime = '2026-01-01T00:40:00Z'
  await kube.create(podKind, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'bound', namespace: 'default' },
    spec: { nodeName: 'n', containers: [] },
    status: { conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime }] },
  })
  const createdAt = Date.parse('2026-01-01T00:00:00Z')
  const fleet = new Fleet({
    verdicts: { of: () => [] },
    caches,
    cluster: {
      byClaimName: () => aStateNode('n', { pods: [aRunningPod({ name: 'bound', ready: 'Unknown', createdAt })] }),
      unboundPods: () => [],
    },
    ...unchanging,
  })
  caches.of(podKind)
  await world.start()
  await world.run(1_000)
  const [facts] = fleet.nodesOf(await world.read(nodePools, { name: 'default' }), undefined)
  expect(facts).toMatchObject({
    unreadyPods: 1,
    unreadySince: Date.parse(lastTransitionTime),
    unreadyMadeAt: createdAt,
  })
})

test('pods wait for a rollout whose workload has pods on its nodes', async () => {
  const world = aControllerWorld()
  await world.kube.create(nodeClaims, aClaim('c'))
  await world.kube.create(nodePools, aPool())
  const ownedBy = (uid: string) => [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid, controller: true }]
  const waiting = (uid: string, createdAt: number) =>
    aRunningPod({ phase: 'Pending', nodeName: '', ownerReferences: ownedBy(uid), createdAt })
  const state = aStateNode('n', { pods: ['a', 'b'].map((uid) => aRunningPod({ ownerReferences: ownedBy(uid) })) })
  const unbound = [waiting('b', 1), waiting('other', 2), waiting('b', 3), aRunningPod({ ownerReferences: [] })]
  const fleet = new Fleet({
    verdicts: { of: () => [] },
    caches: world.caches,
    cluster: { byClaimName: () => state, unboundPods: () => unbound },
    ...unchanging,
  })
  world.caches.of(nodePools)
  await world.start()
  await world.run(1_000)
  expect(fleet.waitingPods(fleet.pools())).toEqual({ waitingSince: [1, 3] })
  expect(fleet.waitingPods([])).toEqual({ waitingSince: [] })
})
