import { expect, test } from 'vitest'
import { conditionOf } from '../../../src/api/conditions.ts'
import { nodes } from '../../../src/kube/kinds.ts'
import { createRolloutWorld, hour, minute, newVersion, type RolloutWorld, watchFleet } from './world.ts'

/** Machines of the new image come up, and stop talking to the API server two minutes later. */
async function runWhileNewOnesDie(world: RolloutWorld, until: () => boolean): Promise<boolean> {
  const upSince = new Map<string, number>()
  for (let at = 0; at < 2 * hour && !until(); at += minute) {
    for (const { metadata, status } of world.claims()) {
      const node = world.stack.operator.caches.of(nodes).get({ name: status?.nodeName ?? '' })
      const isUp = node !== undefined && conditionOf(node, 'Ready')?.status === 'True'
      if (!isUp || !world.images.new.has(status?.imageID ?? '')) continue
      const since = upSince.get(metadata.name) ?? at
      upSince.set(metadata.name, since)
      const instance = status?.providerID?.split('/').at(-1) ?? ''
      if (at - since >= 2 * minute) world.stack.cluster.behaviours.setInstance(instance, { responds: false })
    }
    await world.run(minute)
  }
  return until()
}

/** Back on the old image, with no more than the canary replaced, and every pod running. */
async function expectRolledBack(world: RolloutWorld, watch: ReturnType<typeof watchFleet>): Promise<void> {
  expect(await runWhileNewOnesDie(world, () => world.status().failure?.state === 'RolledBack')).toBe(true)
  await world.run(10 * minute)
  expect(world.onNewImage()).toEqual([])
  expect(watch.touched.size).toBe(1)
  expect(world.allRun()).toBe(true)
}

test('an image whose machines die after they came up fails at the canary, although the dead node is taken away as empty', async () => {
  const world = await createRolloutWorld({ policy: { steps: [{ nodes: 1, soak: '20m' }], onFailure: 'Rollback' } })
  const watch = watchFleet(world)
  await world.editAlias(newVersion)
  expect(await runWhileNewOnesDie(world, () => world.status().failure !== undefined)).toBe(true)
  expect(world.status()).toMatchObject({ step: 0, failure: { reason: 'NodesFailed', state: 'RollingBack' } })
  await expectRolledBack(world, watch)
  await world.stack.stop()
}, 180_000)

test('the rollback ends although dead nodes of the image use up the budget of their pool', async () => {
  const world = await createRolloutWorld({
    budget: '1',
    policy: { steps: [{ nodes: 1, soak: '20m' }], onFailure: 'Rollback', gates: { nodeReadyTimeout: '5m' } },
  })
  const watch = watchFleet(world)
  await world.editAlias(newVersion)
  await expectRolledBack(world, watch)
  await world.stack.stop()
}, 180_000)

test('the image that mends a halted one goes through although dead nodes use up the budget of their pool', async () => {
  const world = await createRolloutWorld({
    budget: '1',
    policy: { steps: [{ nodes: 1, soak: '20m' }], gates: { nodeReadyTimeout: '5m' } },
  })
  await world.editAlias(newVersion)
  expect(await runWhileNewOnesDie(world, () => world.status().failure?.state === 'Halted')).toBe(true)
  const [mended] = world.stack.cluster.aws.publishImage('al2023', { version: 'v20260501' })
  await world.editAlias('v20260501')
  expect(await world.until(() => world.status().phase === 'Completed', 2 * hour)).toBe(true)
  expect(new Set(world.claims().map(({ status }) => status?.imageID))).toEqual(new Set([mended?.id]))
  expect(world.allRun()).toBe(true)
  await world.stack.stop()
}, 180_000)
