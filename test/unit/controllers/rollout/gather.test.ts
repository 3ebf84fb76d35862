import { expect, test } from 'vitest'
import { gatherRollout } from '../../../../src/controllers/rollout/gather.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import { govern } from '../../../../src/rollout/engine/index.ts'
import { aClaim, aNode, aPool } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRolloutFleet, plainPolicy as policy } from '../../../support/rollout-fleet.ts'

test('a restart counts for all nodes of before at once, though no condition says so yet; one that drifts for another reason keeps it', async () => {
  const world = aControllerWorld()
  const { kube, clock } = world
  const since = { lastTransitionTime: toTimestamp(clock.now()) }
  const conditions = [{ type: 'Drifted', status: 'True' as const, reason: 'SecurityGroupDrift', ...since }]
  await kube.create(nodeClaims, aClaim('first'))
  await kube.create(nodeClaims, aClaim('second'))
  await kube.create(nodeClaims, aClaim('drifted', { status: { conditions } }))
  await clock.run({ forMs: 60_000 })
  const { metadata, ...pool } = aPool()
  const annotations = { 'joinery.dev/restart-at': toTimestamp(clock.now()) }
  await kube.create(nodePools, { ...pool, metadata: { ...metadata, annotations } })
  await clock.run({ forMs: 60_000 })
  await kube.create(nodeClaims, aClaim('young'))
  const fleet = aRolloutFleet(world, aNode() as Parameters<typeof aRolloutFleet>[1])
  world.caches.of(nodePools)
  await world.start()
  await world.run(1_000)
  const deps = { kube, clock, fleet, metric: () => Promise.resolve(undefined) }
  const { pools } = await gatherRollout(policy, govern([policy], fleet.pools()), deps, clock.now())
  const drifts = pools.flatMap(({ nodes }) =>
    nodes.map(({ name, drift, driftedAt }) => [name, { drift, driftedAt }] as const),
  )
  const restarted = { drift: 'RestartRequested', driftedAt: undefined }
  expect(Object.fromEntries(drifts)).toEqual({
    first: restarted,
    second: restarted,
    drifted: { drift: 'SecurityGroupDrift', driftedAt: Date.parse(since.lastTransitionTime) },
    young: { drift: undefined, driftedAt: undefined },
  })
})

test('an approval of a pool does not hold for a later edit of its requirements, which no hash covers', async () => {
  const world = aControllerWorld()
  const { kube, clock } = world
  const fleet = aRolloutFleet(world, aNode() as Parameters<typeof aRolloutFleet>[1])
  await kube.create(nodePools, aPool())
  world.caches.of(nodePools)
  await world.start()
  await world.run(1_000)
  const key = { name: 'default' }
  const isApproved = async (): Promise<boolean> => {
    await world.run(1_000)
    const deps = { kube, clock, fleet, metric: () => Promise.resolve(undefined) }
    const { pools } = await gatherRollout(policy, govern([policy], fleet.pools()), deps, clock.now())
    return pools[0]?.approval !== undefined
  }
  const approve = fleet.targetsOf(await world.read(nodePools, key)).pool
  const annotations = { 'joinery.dev/approve': approve }
  await kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { annotations } } })
  expect(await isApproved()).toBe(true)
  const requirements = [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2b'] }]
  await kube.patch(nodePools, key, { kind: 'merge', body: { spec: { template: { spec: { requirements } } } } })
  expect(await isApproved()).toBe(false)
})
