import { expect, test } from 'vitest'
import { annotationApprove } from '../../../src/api/joinery-annotations.ts'
import { createRolloutWorld, hour, minute, newVersion, oldVersion, watchFleet } from './world.ts'

test('nothing moves until the target is approved, and a later edit voids the approval', async () => {
  const world = await createRolloutWorld({ policy: { mode: 'Approve' }, budget: '1' })
  const watch = watchFleet(world)
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'AwaitingApproval', hour)).toBe(true)
  await world.run(2 * hour)
  expect(watch.touched.size).toBe(0)

  const target = world.status().nodePools?.[0]?.targetHash ?? ''
  expect(world.status().message).toContain(target)
  expect(world.pool().status?.target).toBe(target)
  await world.annotate('pool', { [annotationApprove]: target })
  expect(await world.until(() => watch.touched.size >= 2, 2 * hour)).toBe(true)
  expect(world.status().approvals).toEqual([
    { kind: 'NodePool', name: 'default', target, time: expect.any(String), fieldManager: 'argocd' },
  ])

  // The commit that follows chooses another image: what was approved is not what is wanted now.
  await world.editAlias(oldVersion)
  expect(await world.until(() => world.status().phase === 'AwaitingApproval', hour)).toBe(true)
  const touched = watch.touched.size
  const moved = world.onNewImage().length
  await world.run(2 * hour)
  expect(watch.touched.size).toBeLessThanOrEqual(touched + 1)
  expect(world.onNewImage().length).toBeGreaterThanOrEqual(moved)
  expect(world.status().history?.[0]).toMatchObject({ outcome: 'Superseded' })
  await world.stack.stop()
}, 180_000)

test('an approval of the class covers a change of its image', async () => {
  const world = await createRolloutWorld({ policy: { mode: 'Approve' } })
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'AwaitingApproval', hour)).toBe(true)
  await world.run(minute)
  const target = world.nodeClass().status?.target ?? ''
  expect(world.status().message).toContain(target)
  await world.annotate('class', { [annotationApprove]: target })
  expect(await world.until(() => world.status().phase === 'Completed', 4 * hour)).toBe(true)
  expect(world.onNewImage()).toHaveLength(6)
  await world.stack.stop()
}, 180_000)
