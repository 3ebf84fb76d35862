import { expect, test } from 'vitest'
import { annotationRetire } from '../../../src/api/joinery-annotations.ts'
import { labelNodePool } from '../../../src/api/labels.ts'
import { nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { createRolloutWorld, hour, minute, type RolloutWorld, watchFleet } from './world.ts'

function retiringOf(world: RolloutWorld): string | undefined {
  const found = world.stack.operator.caches
    .of(nodePools)
    .get({ name: 'default' })
    ?.status?.conditions?.find(({ type }) => type === 'Retiring')
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`
}

function inPool(world: RolloutWorld, name: string): number {
  return world.claims().filter(({ metadata }) => metadata.labels?.[labelNodePool] === name).length
}

test('a retired pool is drained within its budget, replacements elsewhere first, and gets nothing new', async () => {
  const world = await createRolloutWorld({ policy: { mode: 'Automatic' }, budget: '1' })
  const watch = watchFleet(world)
  const pool = world.pool()
  await world.annotate('pool', { [annotationRetire]: 'default' })

  // Nowhere else to go: the pool is the only one, and nothing is put at risk for its retirement.
  await world.run(hour)
  expect(watch.touched.size).toBe(0)
  expect(world.allRun()).toBe(true)
  expect(retiringOf(world)).toBe('True Draining: 6 node(s) left')

  await world.stack.cluster.client.create(nodePools, {
    apiVersion: pool.apiVersion,
    kind: pool.kind,
    metadata: { name: 'next' },
    spec: pool.spec,
  })
  expect(await world.until(() => inPool(world, 'default') === 0, 6 * hour)).toBe(true)
  expect(watch.mostUnavailable).toBe(1)
  expect(await world.until(() => world.allRun() && retiringOf(world)?.includes('Drained') === true, 10 * minute)).toBe(
    true,
  )
  expect(retiringOf(world)).toBe('True Drained: no node is left: the NodePool can be deleted')
  expect(inPool(world, 'next')).toBe(6)

  await world.annotate('pool', { [annotationRetire]: null })
  expect(await world.until(() => retiringOf(world) === undefined, 10 * minute)).toBe(true)
  await world.stack.stop()
})
