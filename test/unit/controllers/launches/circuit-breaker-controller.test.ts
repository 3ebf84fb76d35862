import { expect, test } from 'vitest'
import { circuitBreakerController } from '../../../../src/controllers/launches/index.ts'
import { machineLookup } from '../../../../src/controllers/nodeclaim/index.ts'
import { ec2NodeClasses, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { aClaim, aPool, conditionOf } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

test('a pool that is gone takes its breaker with it, and one of the same name begins anew', async () => {
  const world = aControllerWorld()
  const { launches: guard, kube } = world
  const pool = aPool()
  await kube.create(nodePools, pool)
  const key = { name: 'default' }
  await world.start(
    circuitBreakerController({
      ...world,
      guard,
      lookup: machineLookup(world.caches),
      nodeClasses: ec2NodeClasses,
      concurrency: 10,
    }),
  )
  for (const name of ['a', 'b', 'c']) {
    const labels = { 'karpenter.sh/nodepool': key.name }
    const metadata = { name, uid: name, labels, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
    const claim = { ...aClaim(), metadata }
    guard.observe(claim)
    guard.failed(claim, 'registration', 'because')
  }
  await kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { annotations: { look: 'again' } } } })
  await world.run(1_000)
  const isOpen = (): number => world.counts.sum('joinery_circuit_breaker_open')
  expect(conditionOf(await world.read(nodePools, key), 'CircuitOpen')).toMatch(/^True\//)
  expect([isOpen(), guard.isOpen]).toEqual([1, true])

  await kube.delete(nodePools, key)
  await world.run(1_000)
  expect([isOpen(), guard.isOpen]).toEqual([0, false])
  await kube.create(nodePools, pool)
  await world.run(1_000)
  expect(conditionOf(await world.read(nodePools, key), 'CircuitOpen')).toBeUndefined()
})
