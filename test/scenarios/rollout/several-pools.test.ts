import { expect, test } from 'vitest'
import { isConditionTrue } from '../../../src/api/conditions.ts'
import { annotationInterrupted } from '../../../src/api/joinery-annotations.ts'
import type { NodeClaim, RolloutOrder } from '../../../src/api/karpenter.ts'
import { labelNodePool } from '../../../src/api/labels.ts'
import { nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { createRolloutWorld, hour, minute, newVersion, watchFleet } from './world.ts'

test('a shared budget bounds what goes at once in all the pools together, which each would allow more', async () => {
  const world = await createRolloutWorld({
    pools: [
      { name: 'front', nodes: 3, budget: '3' },
      { name: 'back', nodes: 3, budget: '3' },
    ],
    policy: { sharedBudget: '2' },
  })
  const watch = watchFleet(world)
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'Completed', 4 * hour)).toBe(true)
  expect(watch.touched.size).toBe(6)
  expect(watch.mostChosen).toBe(2)
  expect(world.onNewImage()).toHaveLength(6)
  expect(world.allRun()).toBe(true)
  await world.stack.stop()
}, 180_000)

const orders: readonly (readonly [string, RolloutOrder, readonly string[], isStatic: boolean])[] = [
  ['by name of the pool', { by: 'NodePool' }, ['alpha', 'beta', 'gamma'], false],
  ['by zone', { by: 'Zone' }, ['gamma', 'alpha', 'beta'], false],
  ['by zone, one of them first', { by: 'Zone', first: ['us-west-2b'] }, ['alpha', 'gamma', 'beta'], false],
  ['by zone in static pools', { by: 'Zone', first: ['us-west-2c'] }, ['beta', 'gamma', 'alpha'], true],
  ['by label, one value first', { by: 'Label', label: 'wave', first: ['late'] }, ['alpha', 'beta', 'gamma'], false],
]

test.each(orders)(
  'nodes go %s',
  async (_how, order, wanted, isStatic) => {
    const world = await createRolloutWorld({
      pools: [
        { name: 'alpha', nodes: 2, zone: 'us-west-2b', labels: { wave: 'late' }, isStatic },
        { name: 'beta', nodes: 2, zone: 'us-west-2c', labels: { wave: 'early' }, isStatic },
        { name: 'gamma', nodes: 2, zone: 'us-west-2a', labels: { wave: 'middle' }, isStatic },
      ],
      policy: { order, sharedBudget: '1' },
    })
    const poolOf = new Map(
      world.claims().map(({ metadata }) => [metadata.name, metadata.labels?.[labelNodePool] ?? '']),
    )
    const watch = watchFleet(world)
    await world.editAlias(newVersion)
    expect(await world.until(() => world.status().phase === 'Completed', 4 * hour)).toBe(true)
    expect([...watch.touched].map((name) => poolOf.get(name))).toEqual(wanted.flatMap((pool) => [pool, pool]))
    await world.stack.stop()
  },
  180_000,
)

test('a static pool goes in the steps of its policy, and has as many nodes as it asks for at the end', async () => {
  const world = await createRolloutWorld({
    pools: [{ name: 'default', nodes: 4, budget: '100%', isStatic: true }],
    policy: {
      steps: [
        { nodes: 1, soak: '20m' },
        { nodes: '50%', soak: '10m' },
      ],
    },
  })
  const watch = watchFleet(world)
  await world.editAlias(newVersion)
  const isSoaking = (step: number) => (): boolean => world.status().phase === 'Soaking' && world.status().step === step
  expect(await world.until(isSoaking(0), 2 * hour)).toBe(true)
  await world.run(15 * minute)
  expect(watch.touched.size).toBe(1)
  expect(await world.until(isSoaking(1), 2 * hour)).toBe(true)
  expect(watch.touched.size).toBe(2)
  expect(await world.until(() => world.status().phase === 'Completed', 4 * hour)).toBe(true)
  await world.run(5 * minute)
  expect(watch.mostChosen).toBeLessThanOrEqual(2)
  expect(world.onNewImage()).toHaveLength(4)
  expect(world.claims()).toHaveLength(4)
  expect(world.allRun()).toBe(true)
  await world.stack.stop()
}, 180_000)

test('a bad image stops a static pool at the canary, and the pool returns to the last good one', async () => {
  const world = await createRolloutWorld({
    pools: [{ name: 'default', nodes: 4, budget: '100%', isStatic: true }],
    policy: { steps: [{ nodes: 1, soak: '20m' }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' },
  })
  const watch = watchFleet(world)
  for (const id of world.images.new) world.stack.cluster.behaviours.setImage(id, { becomesReady: false })
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().failure?.state === 'RolledBack', 4 * hour)).toBe(true)
  await world.run(30 * minute)
  expect(watch.touched.size).toBeLessThanOrEqual(1)
  expect(world.onNewImage()).toEqual([])
  expect(world.claims()).toHaveLength(4)
  expect(world.allRun()).toBe(true)
  await world.stack.stop()
}, 180_000)

test('a static pool that gets smaller while a new node is on its way has not failed by losing that one', async () => {
  const world = await createRolloutWorld({
    pools: [{ name: 'default', nodes: 4, budget: '100%', isStatic: true }],
    policy: { steps: [{ nodes: 2, soak: '10m' }], onFailure: 'Rollback' },
  })
  await world.editAlias(newVersion)
  expect(await world.until(() => world.onNewImage().length === 2, hour)).toBe(true)
  await world.run(10_000)
  const patch = { kind: 'merge', body: { spec: { replicas: 3 } } } as const
  await world.stack.cluster.client.patch(deployments, { name: 'default', namespace: 'default' }, patch)
  await world.stack.cluster.client.patch(nodePools, { name: 'default' }, patch)
  await world.run(5_000)
  const going = world.claims().filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
  expect(going.map(({ metadata }) => metadata.annotations?.[annotationInterrupted])).toEqual(['scaled_down'])
  expect(await world.until(() => world.status().phase === 'Completed', 2 * hour)).toBe(true)
  await world.run(5 * minute)
  expect(world.onNewImage()).toHaveLength(3)
  expect(world.claims()).toHaveLength(3)
  expect(world.nodeClass().status?.imageHistory?.map(({ outcome }) => outcome)).toEqual(['good', 'good'])
  await world.stack.stop()
}, 180_000)

test.each(['Foreground', 'Background'] as const)(
  'a pool that is deleted on the way (%s) takes its new node along, and the rollout of the others has not failed by that',
  async (propagationPolicy) => {
    const world = await createRolloutWorld({
      pools: [
        { name: 'default', nodes: 3 },
        { name: 'other', nodes: 2 },
      ],
      policy: { onFailure: 'Rollback' },
    })
    const { client } = world.stack.cluster
    const isComing = (claim: NodeClaim): boolean =>
      claim.metadata.labels?.[labelNodePool] === 'other' && !isConditionTrue(claim, 'Initialized')
    await world.editAlias(newVersion)
    expect(await world.until(() => world.claims().some(isComing), hour)).toBe(true)
    await world.run(10_000)
    expect(world.claims().some(isComing)).toBe(true)
    await client.delete(nodePools, { name: 'other' }, { propagationPolicy })
    await world.run(5_000)
    expect(world.status()).toMatchObject({ phase: 'Progressing', startNodes: 3, nodePools: [{ name: 'default' }] })
    expect(await world.until(() => world.status().phase === 'Completed', 2 * hour)).toBe(true)
    expect(world.onNewImage()).toHaveLength(3)
    expect(world.nodeClass().status?.imageHistory?.map(({ outcome }) => outcome)).toEqual(['good', 'good'])
    await world.stack.stop()
  },
  180_000,
)
