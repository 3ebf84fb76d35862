import { expect, test } from 'vitest'
import { annotationRestartAt, annotationUndoTo } from '../../../src/api/joinery-annotations.ts'
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
