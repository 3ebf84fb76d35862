import { expect, test } from 'vitest'
import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import { annotationPauseUntil } from '../../../src/api/joinery-annotations.ts'
import { rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { toTimestamp } from '../../../src/model/clock.ts'
import { createRolloutWorld, hour, minute, newVersion, type RolloutWorld, watchFleet } from './world.ts'

function reconciling(world: RolloutWorld): string {
  const found = world.pool().status?.conditions?.find(({ type }) => type === 'Reconciling')
  return `${found?.status} ${found?.reason}`
}

test('a paused pool keeps its nodes until the time is over, and still gets new ones for new pods', async () => {
  const world = await createRolloutWorld({ policy: { mode: 'Automatic' } })
  const watch = watchFleet(world)
  const { client, clock } = world.stack.cluster
  await world.annotate('pool', { [annotationPauseUntil]: toTimestamp(clock.now() + 3 * hour) })
  await world.editAlias(newVersion)
  await world.run(hour)
  expect(reconciling(world)).toBe('True Paused')
  await client.patch(
    deployments,
    { namespace: 'default', name: 'default' },
    { kind: 'merge', body: { spec: { replicas: 8 } } },
  )
  expect(await world.until(() => world.onNewImage().length === 2, 20 * minute)).toBe(true)
  await world.run(hour)
  expect(watch.touched.size).toBe(0)

  expect(await world.until(() => world.onNewImage().length === 8 && world.claims().length === 8, 4 * hour)).toBe(true)
  expect(watch.touched.size).toBe(6)
  expect(await world.until(() => reconciling(world).startsWith('False'), 10 * minute)).toBe(true)
  await world.stack.stop()
})

test('one declared object pauses every pool that it selects, until it is taken back', async () => {
  const world = await createRolloutWorld({ policy: { mode: 'Automatic' } })
  const watch = watchFleet(world)
  const { client, clock } = world.stack.cluster
  await client.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'freeze' },
    spec: { nodePoolSelector: {}, mode: 'Observe', pausedUntil: toTimestamp(clock.now() + 100 * hour) },
  })
  await world.run(minute)
  await world.editAlias(newVersion)
  await world.run(3 * hour)
  expect(watch.touched.size).toBe(0)
  await client.delete(rolloutPolicies, { name: 'freeze' })
  expect(await world.until(() => world.onNewImage().length === 6, 4 * hour)).toBe(true)
  await world.stack.stop()
})

test('a freeze without end that comes in the middle of a rollout holds from then on', async () => {
  const world = await createRolloutWorld({ budget: '1', policy: {} })
  const watch = watchFleet(world)
  const { client, clock } = world.stack.cluster
  await world.editAlias(newVersion)
  expect(await world.until(() => watch.touched.size >= 2, hour)).toBe(true)
  const from = toTimestamp(clock.now()).slice(0, 10)
  const body = { spec: { blackoutDates: [{ from, to: '9999-12-31', reason: 'freeze' }] } }
  await client.patch(rolloutPolicies, { name: 'careful' }, { kind: 'merge', body })
  const { size } = watch.touched
  await world.run(2 * hour)
  expect(watch.touched.size).toBe(size)
  expect(world.status()).toMatchObject({
    observedGeneration: 2,
    phase: 'Waiting',
    reason: 'WindowClosed',
    nextWindowTime: '9999-12-31T23:59:59Z',
  })

  await client.patch(rolloutPolicies, { name: 'careful' }, { kind: 'merge', body: { spec: { blackoutDates: null } } })
  expect(await world.until(() => world.onNewImage().length === 6, 4 * hour)).toBe(true)
  await world.stack.stop()
})

test('a policy that is told in the middle of a rollout to leave old nodes alone has no unfinished work', async () => {
  const world = await createRolloutWorld({ nodes: 3, policy: { steps: [{ nodes: 1, soak: '10m' }] } })
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().soakedUntil !== undefined, hour)).toBe(true)
  const body = { spec: { mode: 'NewNodesOnly' } }
  await world.stack.cluster.client.patch(rolloutPolicies, { name: 'careful' }, { kind: 'merge', body })
  await world.run(hour)
  expect(world.onNewImage()).toHaveLength(1)
  for (const object of [world.pool(), world.nodeClass()]) {
    expect(conditionOf(object, 'Reconciling')).toMatchObject({ status: 'False', reason: 'NewNodesOnly' })
    expect(isConditionTrue(object, 'Stalled')).toBe(false)
  }
  const own = world.status().conditions?.find(({ type }) => type === 'Reconciling')
  expect(own).toMatchObject({ status: 'False', reason: 'NewNodesOnly' })
  await world.stack.stop()
}, 180_000)
