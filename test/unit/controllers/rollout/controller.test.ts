import { describe, expect, test, vi } from 'vitest'
import { RolloutBook, rolloutController } from '../../../../src/controllers/rollout/index.ts'
import { KubeError, type KubeErrorCode } from '../../../../src/kube/errors.ts'
import { nodeClaims, nodePools, rolloutPolicies } from '../../../../src/kube/karpenter-kinds.ts'
import type { KubeClient } from '../../../../src/kube/port.ts'
import type { Resource } from '../../../../src/kube/resource.ts'
import { aClaim, aNode, aPool, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aStateNode, candidatesOf, aWorld as aSnapshot } from '../../../support/disruption-builders.ts'
import { countPatches, deafen } from '../../../support/lagging-cache.ts'
import { aRolloutFleet, plainPolicy as policy } from '../../../support/rollout-fleet.ts'

test('while the cache of a policy is behind, its status is computed from what the API server has, not refused with every claim that changes', async () => {
  const world = aControllerWorld()
  const { kube, clock, caches, recorder, metrics } = world
  await kube.create(nodePools, aPool())
  await kube.create(rolloutPolicies, policy)
  const fleet = aRolloutFleet(world, aNode() as Parameters<typeof aRolloutFleet>[1])
  const book = new RolloutBook({ policies: caches.of(rolloutPolicies), fleet, clock })
  const metric = () => Promise.resolve(undefined)
  await world.start(rolloutController({ kube, caches, clock, fleet, book, recorder, metrics, metric }))
  await world.run(5_000)
  deafen(world, rolloutPolicies)
  const writes = countPatches(world, rolloutPolicies)
  for (let index = 0; index < 20; index += 1) {
    await kube.create(nodeClaims, aClaim(`claim-${index}`))
    await world.run(100)
  }
  const { status } = await world.read(rolloutPolicies, { name: 'p' })
  expect(status?.totalNodes).toBe(20)
  expect(world.logged('Reconciler error')).toEqual([])
  // Each claim is counted with a write of its own; none of them is refused, but at most the first.
  expect(writes()).toBeLessThanOrEqual(21)
})

/** A policy that covers consolidation: what it lets through shows on any node. */
async function aGatedWorld() {
  const world = aControllerWorld()
  const { kube, clock, caches, recorder, metrics } = world
  await kube.create(nodePools, aPool())
  await kube.create(rolloutPolicies, { ...policy, spec: { ...policy.spec, covers: ['Drift', 'Consolidation'] } })
  const fleet = aRolloutFleet(world, aNode() as Parameters<typeof aRolloutFleet>[1])
  const book = new RolloutBook({ policies: caches.of(rolloutPolicies), fleet, clock })
  const metric = () => Promise.resolve(undefined)
  await world.start(rolloutController({ kube, caches, clock, fleet, book, recorder, metrics, metric }))
  await world.run(5_000)
  const snapshot = aSnapshot({ nodes: [aStateNode('a')] })
  const [candidate] = candidatesOf(snapshot)
  if (candidate === undefined) throw new Error('there is no candidate')
  let refusal: KubeErrorCode | undefined
  kube.fault = ({ operation, resource }) => {
    if (refusal === undefined || operation !== 'patch' || resource !== 'rolloutpolicies') return
    throw new KubeError(refusal, 422, 'refused')
  }
  return {
    ...world,
    hold: () => book.gateFor(snapshot).hold(candidate, 'Empty')?.message,
    /** A status that has to be written. */
    change: (name: string) => kube.create(nodeClaims, aClaim(name)),
    refuse: (code: KubeErrorCode | undefined) => {
      refusal = code
    },
  }
}

describe('a policy is looked at', () => {
  async function aLookedAtWorld() {
    const world = aControllerWorld()
    const { kube, clock, caches, recorder, metrics } = world
    await kube.create(nodePools, aPool())
    await kube.create(rolloutPolicies, policy)
    await kube.create(nodeClaims, aClaim('claim'))
    const fleet = aRolloutFleet(world, aNode() as Parameters<typeof aRolloutFleet>[1])
    const book = new RolloutBook({ policies: caches.of(rolloutPolicies), fleet, clock })
    const metric = () => Promise.resolve(undefined)
    await world.start(rolloutController({ kube, caches, clock, fleet, book, recorder, metrics, metric }))
    await world.run(10_000)
    const record = vi.spyOn(book, 'record')
    return { ...world, looks: () => record.mock.calls.length }
  }
  const condition = (type: string, status: 'True' | 'False' = 'True') => ({
    status: { conditions: [{ type, status, reason: type, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  })

  test.each<[because: string, change: (world: Awaited<ReturnType<typeof aLookedAtWorld>>) => Promise<unknown>]>([
    [
      'pods of a node came or went',
      ({ kube }) => patchStatus(kube, nodeClaims, 'claim', { status: { lastPodEventTime: '2026-01-01T00:01:00Z' } }),
    ],
    ['a node may be consolidated', ({ kube }) => patchStatus(kube, nodeClaims, 'claim', condition('Consolidatable'))],
    [
      'the nodes of a pool were counted',
      ({ kube }) => patchStatus(kube, nodePools, 'default', { status: { nodes: 7, upToDateNodes: 7 } }),
    ],
  ])('not because %s', async (_because, change) => {
    const world = await aLookedAtWorld()
    await change(world)
    await world.run(5_000)
    expect(world.looks()).toBe(0)
  })

  test.each(['Launched', 'Registered', 'Initialized', 'Drifted', 'DisruptionReason'])(
    'when a claim comes to be %s',
    async (type) => {
      const world = await aLookedAtWorld()
      await patchStatus(world.kube, nodeClaims, 'claim', condition(type))
      await world.run(0)
      expect(world.looks()).toBe(1)
    },
  )

  test('when the image of a node is known, an edit of its pool is made, or its claim goes', async () => {
    const world = await aLookedAtWorld()
    await patchStatus(world.kube, nodeClaims, 'claim', { status: { imageID: 'ami-1' } })
    await world.run(0)
    expect(world.looks()).toBe(1)
    await world.run(3_000)
    const before = world.looks()
    await world.kube.patch(
      nodePools,
      { name: 'default' },
      { kind: 'merge', body: { metadata: { annotations: { 'joinery.dev/restart-at': '2026-01-01T00:00:00Z' } } } },
    )
    await world.run(0)
    expect(world.looks()).toBe(before + 1)
    await world.run(3_000)
    const afterEdit = world.looks()
    await world.kube.delete(nodeClaims, { name: 'claim' })
    await world.run(0)
    expect(world.looks()).toBe(afterEdit + 1)
  })

  test.each<[because: string, change: (kube: KubeClient) => Promise<unknown>]>([
    [
      'the older one selects other pools',
      (kube) => {
        const body = { metadata: { generation: 2 }, spec: { nodePoolSelector: { names: ['other'] } } }
        return kube.patch(rolloutPolicies, { name: 'p' }, { kind: 'merge', body })
      },
    ],
    ['the older one is being deleted and waits for a finalizer', (kube) => kube.delete(rolloutPolicies, { name: 'p' })],
  ])('at once when it comes to govern a pool because %s', async (_because, change) => {
    const { kube, read, run } = await aLookedAtWorld()
    await kube.patch(
      rolloutPolicies,
      { name: 'p' },
      { kind: 'merge', body: { metadata: { finalizers: ['example.com/kept'] } } },
    )
    const metadata = { name: 'q', uid: 'q', resourceVersion: '1', creationTimestamp: '2026-02-01T00:00:00Z' }
    await kube.create(rolloutPolicies, { ...policy, metadata })
    await run(10_000)
    const poolsOf = async () => (await read(rolloutPolicies, { name: 'q' })).status?.nodePools
    expect(await poolsOf()).toEqual([{ name: 'default', governedBy: 'p' }])
    await change(kube)
    await run(2_000)
    expect(await poolsOf()).toMatchObject([{ name: 'default', totalNodes: 1 }])
    const { status } = await read(rolloutPolicies, { name: 'q' })
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Conflicting', status: 'False' }))
  })

  test('at most once a second, however many claims change', async () => {
    const world = await aLookedAtWorld()
    for (let index = 0; index < 100; index += 1) {
      await world.kube.create(nodeClaims, aClaim(`claim-${index}`))
      await world.run(10)
    }
    expect(world.looks()).toBeLessThanOrEqual(2)
    await world.run(1_000)
    expect((await world.read(rolloutPolicies, { name: 'p' })).status?.totalNodes).toBe(101)
  })
})

function patchStatus(kube: KubeClient, resource: Resource, name: string, body: object) {
  return kube.patch(resource, { name }, { kind: 'merge', body }, { subresource: 'status' })
}

describe('the gate of a policy', () => {
  test.each(['Invalid', 'InternalError', 'Forbidden'] as const)(
    'closes while its status cannot be written (%s), and opens with the write that succeeds',
    async (code) => {
      const world = await aGatedWorld()
      expect(world.hold()).toBeUndefined()
      world.refuse(code)
      await world.change('claim-a')
      await world.run(1_000)
      expect(world.hold()).toBe('RolloutPolicy p: the last look at it failed')
      world.refuse(undefined)
      await world.run(300_000)
      expect(world.hold()).toBeUndefined()
    },
  )

  test('opens within two minutes of the end of an outage that took an hour', async () => {
    const world = await aGatedWorld()
    world.refuse('InternalError')
    await world.change('claim-a')
    await world.run(3_600_000)
    expect(world.hold()).toBe('RolloutPolicy p: the last look at it failed')
    world.refuse(undefined)
    await world.run(120_000)
    expect(world.hold()).toBeUndefined()
  })

  test('stays as it was over a conflict, and closes when there is nothing else', async () => {
    const world = await aGatedWorld()
    world.refuse('Conflict')
    await world.change('claim-a')
    await world.run(0)
    expect(
      world.kube.calls.filter(({ operation, resource }) => operation === 'patch' && resource === 'rolloutpolicies')
        .length,
    ).toBe(2)
    expect(world.hold()).toBeUndefined()
    await world.run(10_000)
    expect(world.hold()).toBe('RolloutPolicy p: its status cannot be written')
    world.refuse(undefined)
    await world.run(300_000)
    expect(world.hold()).toBeUndefined()
  })
})

test('a pause of a policy that cannot be read is told by Stalled, for as long as the annotation is there', async () => {
  const { kube, read, run } = await aGatedWorld()
  const annotate = (value: string | null) => {
    const body = { metadata: { annotations: { 'joinery.dev/pause-until': value } } }
    return kube.patch(rolloutPolicies, { name: 'p' }, { kind: 'merge', body })
  }
  const stalled = async () => {
    const { status } = await read(rolloutPolicies, { name: 'p' })
    return status?.conditions?.find(({ type }) => type === 'Stalled')
  }
  await annotate('tomorrow')
  await run(2_000)
  expect(await stalled()).toMatchObject({ status: 'True', reason: 'InvalidAnnotation' })
  expect((await stalled())?.message).toContain('"tomorrow" is no RFC 3339 time')
  await annotate(null)
  await run(2_000)
  expect(await stalled()).toMatchObject({ status: 'False' })
})

test('a policy that is deleted takes its series along', async () => {
  const { kube, counts, run } = await aGatedWorld()
  await kube.create(rolloutPolicies, { ...policy, metadata: { ...policy.metadata, name: 'other', uid: 'other' } })
  await run(1_000)
  const seriesOf = (rolloutpolicy: string): number =>
    ['joinery_rollout_phase', 'joinery_rollout_nodes'].flatMap((name) => counts.observed(name, { rolloutpolicy }))
      .length
  expect([seriesOf('p'), seriesOf('other')]).toEqual([11, 11])
  await kube.delete(rolloutPolicies, { name: 'p' })
  await run(1_000)
  expect([seriesOf('p'), seriesOf('other')]).toEqual([0, 11])
})

test('of nodes that never came up, one that may not be deleted keeps none of the others', async () => {
  const world = aControllerWorld()
  const { kube, clock, caches, recorder, metrics, read, run } = world
  await kube.create(nodePools, aPool())
  await kube.create(rolloutPolicies, policy)
  const drifted = { annotations: { 'karpenter.sh/nodepool-hash': '0', 'karpenter.sh/nodepool-hash-version': 'v3' } }
  const status = { conditions: [trueCondition('Launched')] }
  for (const name of ['a', 'b', 'c']) {
    const { metadata } = aClaim(name)
    await kube.create(nodeClaims, aClaim(name, { metadata: { ...metadata, ...drifted }, status }))
  }
  kube.fault = ({ operation, resource, name }) => {
    if (operation === 'delete' && resource === 'nodeclaims' && name === 'a') throw new KubeError('Forbidden', 403, 'no')
  }
  const fleet = aRolloutFleet(world, aNode() as Parameters<typeof aRolloutFleet>[1])
  const book = new RolloutBook({ policies: caches.of(rolloutPolicies), fleet, clock })
  const metric = () => Promise.resolve(undefined)
  await world.start(rolloutController({ kube, caches, clock, fleet, book, recorder, metrics, metric }))
  await run(20 * 60_000)
  await expect(read(nodeClaims, { name: 'a' })).resolves.toBeDefined()
  for (const name of ['b', 'c']) await expect(read(nodeClaims, { name })).rejects.toThrow('not found')
  expect(world.logged('Reconciler error').length).toBeGreaterThan(0)
})
