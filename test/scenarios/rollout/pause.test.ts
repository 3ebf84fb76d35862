import { expect, test } from 'vitest'
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
