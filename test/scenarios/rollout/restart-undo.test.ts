import { expect, test } from 'vitest'
import { annotationRestartAt, annotationUndoTo } from '../../../src/api/joinery-annotations.ts'
import { ec2NodeClasses } from '../../../src/kube/karpenter-kinds.ts'
import { toTimestamp } from '../../../src/model/clock.ts'
import { createRolloutWorld, hour, minute, newVersion, type RolloutWorld, watchFleet } from './world.ts'

/** Six nodes, all pods ready, nothing on its way. */
function isCalm(world: RolloutWorld): boolean {
  return world.allRun() && world.claims().length === 6
}

test('a restart replaces every node that was there, once', async () => {
  const world = await createRolloutWorld({ policy: { mode: 'Automatic' } })
  const watch = watchFleet(world)
  await world.annotate('pool', { [annotationRestartAt]: toTimestamp(world.stack.cluster.clock.now()) })
  expect(await world.until(() => watch.touched.size === 6 && isCalm(world), 4 * hour)).toBe(true)
  expect(watch.mostUnavailable).toBeLessThanOrEqual(2)
  const replaced = world.claims().map(({ metadata }) => metadata.name)
  await world.run(3 * hour)
  expect(world.claims().map(({ metadata }) => metadata.name)).toEqual(replaced)
  await world.stack.stop()
})

const canary = { steps: [{ nodes: 1, soak: '20m' }] }

/** One node goes, and no other before its soak is over. */
async function expectCanary(world: RolloutWorld, watch: ReturnType<typeof watchFleet>): Promise<void> {
  expect(await world.until(() => world.status().phase === 'Soaking', hour)).toBe(true)
  await world.run(15 * minute)
  expect(watch.touched.size).toBe(1)
  expect(world.status()).toMatchObject({ startNodes: 6, replacedNodes: 1, step: 0, steps: 2 })
  expect(await world.until(() => world.status().phase === 'Completed', 4 * hour)).toBe(true)
  expect(watch.touched.size).toBe(6)
  expect(watch.mostChosen).toBeLessThanOrEqual(2)
  await world.stack.stop()
}

test('a restart goes in the steps of its policy', async () => {
  const world = await createRolloutWorld({ policy: canary })
  const watch = watchFleet(world)
  await world.annotate('pool', { [annotationRestartAt]: toTimestamp(world.stack.cluster.clock.now()) })
  await expectCanary(world, watch)
})

test('drift that each node finds for itself goes in the steps of its policy', async () => {
  const world = await createRolloutWorld({ policy: canary })
  const watch = watchFleet(world)
  const zones = new Set(world.claims().map(({ metadata }) => metadata.labels?.['topology.kubernetes.io/zone']))
  const others = (world.nodeClass().status?.subnets ?? []).filter(({ zone }) => !zones.has(zone))
  expect(others).not.toEqual([])
  const body = { spec: { subnetSelectorTerms: others.map(({ id }) => ({ id })) } }
  await world.stack.cluster.client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body })
  await expectCanary(world, watch)
})

test('an undo brings the fleet back to the images of a revision for as long as it stands', async () => {
  const world = await createRolloutWorld({ policy: { mode: 'Automatic' } })
  await world.editAlias(newVersion)
  expect(await world.until(() => world.onNewImage().length === 6 && isCalm(world), 4 * hour)).toBe(true)
  const revisions = world.nodeClass().status?.imageHistory?.map(({ revision }) => revision)
  expect(revisions).toEqual([2, 1])

  await world.annotate('class', { [annotationUndoTo]: '1' })
  expect(await world.until(() => world.onNewImage().length === 0 && isCalm(world), 4 * hour)).toBe(true)
  expect(world.nodeClass().status?.pinnedImages?.undoTo).toBe(1)
  await world.run(2 * hour)
  expect(world.onNewImage()).toEqual([])

  await world.annotate('class', { [annotationUndoTo]: null })
  expect(await world.until(() => world.onNewImage().length === 6 && isCalm(world), 4 * hour)).toBe(true)
  expect(await world.until(() => world.nodeClass().status?.pinnedImages === undefined, 10 * minute)).toBe(true)
  await world.stack.stop()
})
