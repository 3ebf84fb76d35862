import { expect, test } from 'vitest'
import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import { annotationUndoTo } from '../../../src/api/joinery-annotations.ts'
import { nodePools, rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, events } from '../../../src/kube/kinds.ts'
import { argoHealth, fluxHealth } from '../../support/gitops-health.ts'
import { createRolloutWorld, hour, minute, newVersion, oldVersion, type RolloutWorld, watchFleet } from './world.ts'

/** Machines that boot from these images never become ready. */
function breakImages(world: RolloutWorld, images: 'old' | 'new'): void {
  for (const id of world.images[images]) world.stack.cluster.behaviours.setImage(id, { becomesReady: false })
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
  breakImages(world, 'new')
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
  breakImages(world, 'new')
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'Halted', hour)).toBe(true)
  await world.run(hour)
  expect(world.status().failure).toMatchObject({ reason: 'NodesFailed', state: 'Halted' })
  expect(watch.touched.size).toBeLessThanOrEqual(1)
  expect(conditionOf(world.pool(), 'Stalled')).toMatchObject({ status: 'True', reason: 'Halted' })
  expect(world.allRun()).toBe(true)
  await world.stack.stop()
}, 180_000)

const mends: Record<string, (world: RolloutWorld) => Promise<void>> = {
  'another image': async (world) => {
    world.stack.cluster.aws.publishImage('al2023', { version: 'v20260501' })
    await world.editAlias('v20260501')
  },
  'the image from before': (world) => world.editAlias(oldVersion),
  'an undo': (world) => world.annotate('class', { [annotationUndoTo]: '1' }),
}

test.each(Object.entries(mends))(
  'a rollout that has halted goes through once %s takes the place of the bad one, whose node never came up',
  async (_mend, mend) => {
    const world = await createRolloutWorld({
      nodes: 3,
      policy: { steps: [{ nodes: 1, soak: '10m' }], gates: { nodeReadyTimeout: '5m' } },
    })
    breakImages(world, 'new')
    await world.editAlias(newVersion)
    expect(await world.until(() => world.status().phase === 'Halted', hour)).toBe(true)
    await world.run(20 * minute)
    // As long as it is what is wanted it stays, to be looked at.
    const [dud = ''] = world.onNewImage()
    expect(world.claims()).toHaveLength(4)

    await mend(world)
    expect(await world.until(() => world.status().phase === 'Completed', 2 * hour)).toBe(true)
    expect(world.onNewImage()).toEqual([])
    expect(world.claims()).toHaveLength(3)
    expect(world.allRun()).toBe(true)
    expect(isConditionTrue(world.pool(), 'Stalled')).toBe(false)
    const { items } = await world.stack.cluster.client.list(events)
    expect(items.find(({ reason }) => reason === 'RolloutNodeDeleted')?.message).toContain(dud)
    await world.stack.stop()
  },
  180_000,
)

test('a machine that never comes up and is tolerated makes room for the next try', async () => {
  const world = await createRolloutWorld({
    nodes: 3,
    policy: { steps: [{ nodes: 1, soak: '10m' }], gates: { nodeReadyTimeout: '5m', maxFailedNodes: 1 } },
  })
  await world.editAlias(newVersion)
  const machineOf = (claim: NodeClaim | undefined) => claim?.status?.providerID?.split('/').at(-1)
  const canary = () => world.claims().find(({ metadata: { name } }) => world.onNewImage().includes(name))
  expect(await world.until(() => machineOf(canary()) !== undefined, hour)).toBe(true)
  world.stack.cluster.behaviours.setInstance(machineOf(canary()) ?? '', { becomesReady: false })
  expect(await world.until(() => world.status().failedNodes === 1, hour)).toBe(true)
  expect(await world.until(() => world.status().phase === 'Completed', 2 * hour)).toBe(true)
  expect(world.onNewImage()).toHaveLength(3)
  expect(world.claims()).toHaveLength(3)
  expect(world.allRun()).toBe(true)
  await world.stack.stop()
}, 180_000)

test('an image that was good once and fails now gives way to the one that it was to replace', async () => {
  const world = await createRolloutWorld({
    nodes: 3,
    policy: { steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' },
  })
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'Completed', 2 * hour)).toBe(true)
  expect(world.nodeClass().status?.imageHistory?.map(({ outcome }) => outcome)).toEqual(['good', 'good'])
  const watch = watchFleet(world)

  breakImages(world, 'old')
  await world.editAlias(oldVersion)
  expect(await world.until(() => world.status().failure?.state === 'RolledBack', 2 * hour)).toBe(true)
  await world.run(30 * minute)
  expect(world.onNewImage()).toHaveLength(3)
  expect(world.claims()).toHaveLength(3)
  expect(world.allRun()).toBe(true)
  expect(watch.touched.size).toBeLessThanOrEqual(1)
  expect(world.nodeClass().status?.imageHistory).toMatchObject([{ outcome: 'bad' }, { outcome: 'good' }])
  await world.stack.stop()
}, 180_000)

test('a change of the template is not answered with another image, however good that was', async () => {
  const world = await createRolloutWorld({
    nodes: 3,
    policy: { steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' },
  })
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'Completed', 2 * hour)).toBe(true)

  breakImages(world, 'new')
  const body = { spec: { template: { metadata: { labels: { tier: 'front' } } } } }
  await world.stack.cluster.client.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
  expect(await world.until(() => world.status().phase === 'Halted', 2 * hour)).toBe(true)
  await world.run(hour)
  expect(world.status().failure).toMatchObject({ reason: 'NodesFailed', state: 'Halted' })
  expect(world.status().failure?.message).toContain('nothing to return to')
  expect(world.nodeClass().status?.pinnedImages).toBeUndefined()
  expect(world.nodeClass().status?.imageHistory?.map(({ outcome }) => outcome)).toEqual(['good', 'good'])
  await world.stack.stop()
}, 180_000)

test('a revision that was asked for by its number and fails is not exchanged for another', async () => {
  const world = await createRolloutWorld({
    nodes: 3,
    policy: { steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' },
  })
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'Completed', 2 * hour)).toBe(true)

  breakImages(world, 'old')
  await world.annotate('class', { [annotationUndoTo]: '1' })
  expect(await world.until(() => world.status().phase === 'Halted', 2 * hour)).toBe(true)
  await world.run(hour)
  expect(world.status().failure).toMatchObject({ reason: 'NodesFailed', state: 'Halted' })
  expect(world.nodeClass().status?.pinnedImages).toMatchObject({ undoTo: 1 })
  await world.stack.stop()
}, 180_000)

test('after a rollback, what changes beside the image never makes the class look finished', async () => {
  const world = await createRolloutWorld({
    nodes: 3,
    policy: { steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' },
  })
  breakImages(world, 'new')
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().failure?.state === 'RolledBack', 2 * hour)).toBe(true)

  const { client } = world.stack.cluster
  const isTold = (): void => {
    for (const object of [world.pool(), world.nodeClass()]) {
      const stalled = conditionOf(object, 'Stalled')
      expect(stalled).toMatchObject({ status: 'True', reason: 'RolledBack' })
      expect(stalled?.message).toContain('EC2NodeClass default is pinned to')
      expect(stalled?.message).toContain('until its selector finds other images')
      expect(stalled?.message).toContain(world.nodeClass().status?.imageHistory?.[0]?.images[0]?.id)
    }
    expect(argoHealth('NodePool', world.pool())).toMatchObject({ status: 'Degraded' })
    expect(argoHealth('EC2NodeClass', world.nodeClass())).toMatchObject({ status: 'Degraded' })
  }
  const body = { spec: { template: { metadata: { labels: { tier: 'front' } } } } }
  await client.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
  expect(await world.until(() => world.status().phase === 'Completed', 2 * hour)).toBe(true)
  await world.run(2 * minute)
  isTold()
  await client.delete(rolloutPolicies, { name: 'careful' })
  await world.run(5 * minute)
  isTold()

  await world.editAlias(oldVersion)
  await world.run(15 * minute)
  for (const object of [world.pool(), world.nodeClass()]) expect(isConditionTrue(object, 'Stalled')).toBe(false)
  await world.stack.stop()
}, 180_000)

test('a rollout that has halted stays so when one of its pools leaves the policy', async () => {
  const world = await createRolloutWorld({
    pools: [
      { name: 'default', nodes: 3, budget: '1' },
      { name: 'other', nodes: 2, budget: '0' },
    ],
    policy: { steps: [{ nodes: 1, soak: '10m' }], gates: { nodeReadyTimeout: '5m' } },
  })
  const watch = watchFleet(world)
  breakImages(world, 'new')
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'Halted', 2 * hour)).toBe(true)
  await world.run(20 * minute)
  const touched = watch.touched.size
  const body = { metadata: { labels: { team: null } } }
  await world.stack.cluster.client.patch(nodePools, { name: 'other' }, { kind: 'merge', body })
  await world.run(hour)
  expect(watch.touched.size).toBe(touched)
  expect(world.status()).toMatchObject({ phase: 'Halted', nodePools: [{ name: 'default' }] })
  expect(world.status().history).toHaveLength(1)
  await world.stack.stop()
}, 180_000)

test.each([
  ['that never came up is told, once nothing else moves', '4', 'NotInitialized'],
  ['that is out of service and uses up the budget is told', '1', 'NodeNotReady'],
])(
  'under no policy, an old node %s',
  async (_name, budget, reason) => {
    const world = await createRolloutWorld({ nodes: 3, budget, policy: {} })
    breakImages(world, 'old')
    const body = { spec: { replicas: 4 } }
    const { client } = world.stack.cluster
    await client.delete(rolloutPolicies, { name: 'careful' })
    await client.patch(deployments, { name: 'default', namespace: 'default' }, { kind: 'merge', body })
    await world.run(5 * minute)
    const never = world.claims().filter((claim) => !isConditionTrue(claim, 'Initialized'))
    expect(never).toHaveLength(1)
    await world.editAlias(newVersion)
    await world.run(hour)
    for (const object of [world.pool(), world.nodeClass()]) {
      const stalled = conditionOf(object, 'Stalled')
      expect(stalled).toMatchObject({ status: 'True', reason })
      expect(stalled?.message).toContain(`delete NodeClaim ${never[0]?.metadata.name}`)
      expect(isConditionTrue(object, 'Reconciling')).toBe(true)
    }
    await world.stack.stop()
  },
  180_000,
)
