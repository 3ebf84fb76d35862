import { expect, test, vi } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import { circuitBreakerController } from '../../../../src/controllers/launches/index.ts'
import { PoolStatusWriter } from '../../../../src/controllers/nodepool/index.ts'
import { machineLookup } from '../../../../src/controllers/nodeclaim/index.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { pods } from '../../../../src/kube/kinds.ts'
import { aNodeClass } from '../../../support/aws-world.ts'
import { aClaim, aPod, aPool, conditionOf, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld, type ControllerWorld } from '../../../support/controller-world.ts'
import { countPatches, deafen } from '../../../support/lagging-cache.ts'

const key = { name: 'default' }

async function start(world: ControllerWorld, vain = { reset: (_pool: string): void => undefined }): Promise<void> {
  await world.start(
    circuitBreakerController({
      ...world,
      guard: world.launches,
      vain,
      lookup: machineLookup(world.caches),
      statuses: new PoolStatusWriter(world),
      nodeClasses: ec2NodeClasses,
      concurrency: 10,
    }),
  )
}

function aStoredClaim(name: string, ...reached: readonly string[]): NodeClaim {
  const labels = { 'karpenter.sh/nodepool': key.name }
  const metadata = { name, uid: name, labels, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
  return { ...aClaim(name, { status: { conditions: reached.map((type) => trueCondition(type)) } }), metadata }
}

function failThree({ launches: guard }: ControllerWorld): void {
  for (const name of ['a', 'b', 'c']) {
    const claim = aStoredClaim(name)
    guard.observe(claim)
    guard.failed(claim, 'registration', 'because')
  }
}

test('a pool that is gone takes its breaker with it, and one of the same name begins anew', async () => {
  const world = aControllerWorld()
  const { launches: guard, kube } = world
  const pool = aPool()
  await kube.create(nodePools, pool)
  await start(world)
  failThree(world)
  await kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { annotations: { look: 'again' } } } })
  await world.run(1_000)
  const isOpen = (): number => world.counts.sum('joinery_circuit_breaker_open')
  expect(conditionOf(await world.read(nodePools, key), 'CircuitOpen')).toMatch(/^True\//)
  expect([isOpen(), guard.breakers.isAnyOpen]).toEqual([1, true])

  await kube.delete(nodePools, key)
  await world.run(1_000)
  expect([isOpen(), guard.breakers.isAnyOpen]).toEqual([0, false])
  await kube.create(nodePools, pool)
  await world.run(1_000)
  expect(conditionOf(await world.read(nodePools, key), 'CircuitOpen')).toBeUndefined()
})

test('condition, metric and an event tell of a breaker, once when it opens and once when it closes', async () => {
  const world = aControllerWorld()
  const { launches: guard, kube } = world
  await kube.create(nodePools, aPool())
  await start(world)
  const look = async (): Promise<void> => {
    const body = { metadata: { annotations: { look: String(world.clock.now()) } } }
    await kube.patch(nodePools, key, { kind: 'merge', body })
    await world.run(1_000)
  }
  const opened = 'CircuitOpened: Circuit breaker opened: 3 in a row: nodes did not register: because'
  const told = () => world.recorder.published.map(({ type, reason, message }) => [type, `${reason}: ${message}`])
  failThree(world)
  await look()
  await look()
  const reason = { reason: 'RegistrationFailed' }
  expect(conditionOf(await world.read(nodePools, key), 'CircuitOpen')).toMatch(/^True\/RegistrationFailed/)
  expect(world.counts.sum('joinery_circuit_breaker_open', reason)).toBe(1)
  expect(told()).toEqual([['Warning', expect.stringContaining(opened)]])

  guard.observe(aStoredClaim('d'))
  guard.observe(aStoredClaim('d', 'Registered'))
  await look()
  await look()
  expect(conditionOf(await world.read(nodePools, key), 'CircuitOpen')).toBeUndefined()
  expect(world.counts.sum('joinery_circuit_breaker_open', reason)).toBe(0)
  expect(told().slice(1)).toEqual([['Normal', 'CircuitClosed: Nodes of the pool come up again']])
})

test.each([
  ['what its condition says', 'RegistrationFailed', 1, true],
  ['nothing of a condition that was about the pool before its edit', 'RegistrationFailed', 2, false],
  ['nothing of a reason that it does not know', 'ByHand', 1, false],
])('a process that has just started takes over of a breaker %s', async (_what, reason, generation, isOpen) => {
  const world = aControllerWorld()
  const { launches: guard, kube } = world
  const pool = aPool()
  const lastTransitionTime = new Date(world.clock.now()).toISOString()
  const condition = { ...trueCondition('CircuitOpen'), lastTransitionTime, observedGeneration: 1, reason }
  const message = '3 in a row: because (RegistrationFailed); one node tries again at 2026-01-01T00:01:00Z'
  const status = { ...pool.status, conditions: [{ ...condition, message }] }
  await kube.create(nodePools, { ...pool, metadata: { ...pool.metadata, generation }, status })
  await start(world)
  await world.run(1_000)
  expect(guard.breakers.isAnyOpen).toBe(isOpen)
  if (isOpen)
    expect(guard.breakers.ofPool(key.name)).toMatchObject({ stage: 'registration', message: '3 in a row: because' })
})

test('while the watch of pools is behind, a refused status is not asked for with every claim that changes', async () => {
  const world = aControllerWorld()
  const { kube } = world
  await kube.create(nodePools, aPool())
  await start(world)
  deafen(world, nodePools)
  const writes = countPatches(world, nodePools)
  // Somebody else writes, and the breaker opens, which is to be shown.
  await kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { annotations: { changed: 'meanwhile' } } } })
  failThree(world)
  for (let i = 0; i < 60; i += 1) {
    await kube.create(nodeClaims, { ...aClaim(), metadata: { ...aClaim().metadata, name: `c-${i}`, uid: `c-${i}` } })
    await world.run(100)
  }
  expect(writes()).toBe(1 + 2)

  vi.restoreAllMocks()
  await kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { annotations: { look: 'again' } } } })
  await world.run(100)
  expect(conditionOf(await world.read(nodePools, key), 'CircuitOpen')).toMatch(/^True\//)
})

test('what another process that leads for a moment says of a breaker is not answered at once', async () => {
  const world = aControllerWorld()
  const { kube } = world
  await kube.create(nodePools, aPool())
  await start(world)
  failThree(world)
  await kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { annotations: { look: 'again' } } } })
  await world.run(1_000)
  expect(conditionOf(await world.read(nodePools, key), 'CircuitOpen')).toMatch(/^True\//)
  await kube.patch(nodePools, key, { kind: 'merge', body: { status: { conditions: [] } } })
  const writes = countPatches(world, nodePools)
  await world.run(1_000)
  expect(writes()).toBe(0)
  // The next claim that changes has it shown again.
  await kube.create(nodeClaims, aClaim())
  await world.run(1_000)
  expect(conditionOf(await world.read(nodePools, key), 'CircuitOpen')).toMatch(/^True\//)
})

test('other subnets close the breaker and end what was in vain, the same ones in another order do not', async () => {
  const world = aControllerWorld()
  const { launches: guard, kube } = world
  await kube.create(nodePools, aPool())
  await kube.create(ec2NodeClasses, aNodeClass())
  const setSubnets = async (...letters: readonly string[]): Promise<void> => {
    const subnets = letters.map((letter) => ({ id: `subnet-0${letter}`, zone: `us-east-1${letter}` }))
    const body = { status: { subnets } }
    await kube.patch(ec2NodeClasses, key, { kind: 'merge', body })
    await world.run(1_000)
  }
  const reset: string[] = []
  await start(world, { reset: (pool) => void reset.push(pool) })
  await setSubnets('a', 'b')
  reset.length = 0
  failThree(world)
  await setSubnets('b', 'a')
  expect([guard.breakers.isAnyOpen, reset]).toEqual([true, []])
  await setSubnets('b', 'c')
  expect([guard.breakers.isAnyOpen, reset]).toEqual([false, ['default']])
})

test('nodes that have joined and are not initialized after ten minutes have failed, though nothing else happens', async () => {
  const world = aControllerWorld()
  await world.kube.create(nodePools, aPool())
  for (const name of ['a', 'b', 'c']) {
    const status = { conditions: [trueCondition('Launched'), trueCondition('Registered')] }
    await world.kube.create(nodeClaims, aClaim(name, { status }))
  }
  await start(world)
  await world.run(9 * 60_000)
  expect(world.launches.breakers.isAnyOpen).toBe(false)
  await world.run(2 * 60_000)
  expect(world.launches.breakers.ofPool('default')?.stage).toBe('initialization')
})

test('a wall clock that is set makes no node late', async () => {
  const world = aControllerWorld()
  await world.kube.create(nodePools, aPool())
  for (const name of ['a', 'b', 'c']) {
    const conditions = [trueCondition('Launched'), trueCondition('Registered', world.kube.now())]
    await world.kube.create(nodeClaims, aClaim(name, { status: { conditions } }))
  }
  await start(world)
  await world.run(60_000)
  world.clock.jump(60 * 60_000)
  await world.kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { annotations: { look: 'again' } } } })
  await world.run(8 * 60_000)
  expect(world.launches.breakers.isAnyOpen).toBe(false)
  world.clock.jump(-60 * 60_000)
  await world.run(2 * 60_000)
  expect(world.launches.breakers.ofPool('default')?.stage).toBe('initialization')
})

test('a breaker that opened for pods closes once they run after all, though nothing is left to move', async () => {
  const world = aControllerWorld()
  const { kube, launches: guard } = world
  await kube.create(nodePools, aPool())
  await start(world)
  const controller = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true }
  const aWebPod = (name: string, ready: 'True' | 'False') => {
    const pod = aPod(name, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] } })
    return { ...pod, metadata: { ...pod.metadata, ownerReferences: [controller] } }
  }
  for (const name of ['a', 'b', 'c']) {
    const { metadata } = aClaim(name)
    const status = { nodeName: name, conditions: [{ ...trueCondition('DisruptionReason'), reason: 'Drifted' }] }
    await kube.create(nodeClaims, aClaim(name, { metadata: { ...metadata, finalizers: ['hold'] }, status }))
    const { spec, ...pod } = aWebPod(`old-${name}`, 'True')
    await kube.create(pods, { ...pod, spec: { ...spec, nodeName: name } })
    await world.run(100)
    await kube.delete(nodeClaims, { name })
    await kube.delete(pods, { namespace: 'default', name: `old-${name}` }, { gracePeriodSeconds: 0 })
    await kube.create(pods, aWebPod(`new-${name}`, 'False'))
    await world.run(100)
    await kube.patch(nodeClaims, { name }, { kind: 'merge', body: { metadata: { finalizers: null } } })
  }
  await world.run(2 * 3_600_000)
  expect(guard.breakers.ofPool('default')?.stage).toBe('pods')
  for (const name of ['a', 'b', 'c']) {
    const body = { status: { conditions: [{ type: 'Ready', status: 'True' }] } }
    await kube.patch(pods, { namespace: 'default', name: `new-${name}` }, { kind: 'merge', body })
  }
  await world.run(7 * 60_000)
  expect(guard.breakers.isAnyOpen).toBe(false)
  expect(conditionOf(await world.read(nodePools, key), 'CircuitOpen')).toBeUndefined()
})
