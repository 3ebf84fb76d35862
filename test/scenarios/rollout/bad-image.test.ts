import { expect, test } from 'vitest'
import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import { argoHealth, fluxHealth } from '../../support/gitops-health.ts'
import { createRolloutWorld, hour, minute, newVersion, oldVersion, type RolloutWorld, watchFleet } from './world.ts'

/** Machines that boot from the new image never become ready. */
function breakNewImage(world: RolloutWorld): void {
  for (const id of world.images.new) world.stack.cluster.behaviours.setImage(id, { becomesReady: false })
}

test('an image whose nodes never become ready stops at the canary, and the fleet returns to the last good one', async () => {
  const world = await createRolloutWorld({
    policy: {
      steps: [{ nodes: 1, soak: '20m' }],
      gates: { nodeReadyTimeout: '5m' },
      onFailure: 'Rollback',
    },
  })
  const watch = watchFleet(world)
  breakNewImage(world)
  await world.editAlias(newVersion)

  expect(await world.until(() => world.status().failure !== undefined, hour)).toBe(true)
  expect(world.status().failure).toMatchObject({ reason: 'NodesFailed', state: 'RollingBack' })

  expect(await world.until(() => world.status().failure?.state === 'RolledBack', 2 * hour)).toBe(true)
  await world.run(30 * minute)
  expect(world.onNewImage()).toEqual([])
  expect(world.claims()).toHaveLength(6)
  expect(world.allRun()).toBe(true)
  expect(watch.touched.size).toBeLessThanOrEqual(1)
  const stalled = conditionOf(world.pool(), 'Stalled')
  expect(stalled).toMatchObject({ status: 'True', reason: 'RolledBack' })
  expect(stalled?.message).toContain('failed to come up')
  expect(argoHealth('NodePool', world.pool())).toMatchObject({ status: 'Degraded' })
  expect(fluxHealth('NodePool', world.pool())).toBe('Degraded')
  expect(isConditionTrue(world.pool(), 'Reconciling')).toBe(false)
  const { imageHistory, pinnedImages, amis } = world.nodeClass().status ?? {}
  expect(imageHistory?.map(({ outcome }) => outcome)).toEqual(['bad', 'good'])
  expect(pinnedImages?.reason).toContain('failed to come up')
  expect(amis?.every(({ id }) => world.images.old.has(id))).toBe(true)
  expect(world.status().history?.[0]).toMatchObject({ outcome: 'RolledBack', totalNodes: 6 })

  // Choosing the good image in Git ends the matter: nothing is pinned, nothing is stalled, no node goes.
  await world.editAlias(oldVersion)
  await world.run(15 * minute)
  expect(world.nodeClass().status?.pinnedImages).toBeUndefined()
  expect(isConditionTrue(world.pool(), 'Stalled')).toBe(false)
  expect(watch.touched.size).toBeLessThanOrEqual(1)
  await world.stack.stop()
}, 180_000)

test('without a rollback the rollout halts, and no further node goes', async () => {
  const world = await createRolloutWorld({
    policy: { steps: [{ nodes: 1, soak: '20m' }], gates: { nodeReadyTimeout: '5m' } },
  })
  const watch = watchFleet(world)
  breakNewImage(world)
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'Halted', hour)).toBe(true)
  await world.run(hour)
  expect(world.status().failure).toMatchObject({ reason: 'NodesFailed', state: 'Halted' })
  expect(watch.touched.size).toBeLessThanOrEqual(1)
  expect(conditionOf(world.pool(), 'Stalled')).toMatchObject({ status: 'True', reason: 'Halted' })
  expect(world.allRun()).toBe(true)
  await world.stack.stop()
}, 180_000)
