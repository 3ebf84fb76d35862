import { describe, expect, test } from 'vitest'
import { rowOf } from '../../../../src/controllers/event-table.ts'
import { evictionQueue } from '../../../../src/controllers/node/index.ts'
import { machineLookup } from '../../../../src/controllers/nodeclaim/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import { aPod } from '../../../support/controller-builders.ts'
import { aControllerWorld, type ControllerWorld } from '../../../support/controller-world.ts'
import { claimKey, deletedNode, doNotDisrupt, nodeKey } from '../../../support/deleted-node.ts'

describe('with a termination time', () => {
  test('case 124: a do-not-disrupt pod with 300 s of grace is deleted 300 s before the hour is over', async () => {
    const { world, deletions } = await deletedNode({
      pods: [aPod('app', { metadata: doNotDisrupt, spec: { terminationGracePeriodSeconds: 300 } })],
      terminationInSeconds: 3_600,
    })
    await world.run(54 * 60_000)
    expect(deletions).toEqual([])
    await world.run(75_000)
    expect(deletions).toMatchObject([{ name: 'app', options: { gracePeriodSeconds: expect.any(Number) } }])
    const grace = deletions[0]?.options?.gracePeriodSeconds ?? 0
    expect(grace).toBeGreaterThanOrEqual(285)
    expect(grace).toBeLessThan(300)
  })

  test('case 125: a grace longer than what is left is cut to it at once', async () => {
    const { world, deletions } = await deletedNode({
      pods: [aPod('app', { spec: { terminationGracePeriodSeconds: 600 } })],
      terminationInSeconds: 300,
    })
    await world.run(1_000)
    expect(deletions).toMatchObject([{ name: 'app', options: { gracePeriodSeconds: 300, preconditions: {} } }])
    expect(world.events('Disrupted')).toEqual([
      'Deleting the pod to accommodate the terminationTime 2026-01-01 00:05:00 +0000 UTC of the node. The pod was granted 300 seconds of grace-period of its 600 terminationGracePeriodSeconds. This bypasses the PDB of the pod and the do-not-disrupt annotation.',
    ])
    expect(world.logged('deleting pod')).toMatchObject([
      { 'delete.gracePeriodSeconds': 300, 'nodeclaim.terminationTime': '2026-01-01T00:05:00Z' },
    ])
  })

  test('case 123: a critical pod whose grace is too long does not wait for its tier', async () => {
    const { world, deletions } = await deletedNode({
      pods: [
        aPod('app', { spec: { terminationGracePeriodSeconds: 30 } }),
        aPod('critical', {
          spec: { terminationGracePeriodSeconds: 600, priorityClassName: 'system-node-critical' },
        }),
      ],
      terminationInSeconds: 300,
    })
    world.kube.fault = ({ operation }) => {
      if (operation === 'evict') throw new KubeError('TooManyRequests', 429, 'Cannot evict pod')
    }
    await world.run(2_000)
    expect(deletions.map(({ name }) => name)).toEqual(['critical'])
    await world.run(300_000)
    expect(deletions.map(({ name }) => name)).toEqual(['critical', 'app'])
  })

  test('case 126: a pod that would end after the time is deleted again with what is left', async () => {
    const { world, deletions } = await deletedNode({
      pods: [
        aPod('slow', { metadata: { finalizers: ['hold'], deletionTimestamp: '2026-01-01T01:00:00Z' } }),
        aPod('quick', { metadata: { finalizers: ['hold'], deletionTimestamp: '2026-01-01T00:04:00Z' } }),
      ],
      terminationInSeconds: 300,
    })
    await world.run(500)
    expect(deletions[0]).toMatchObject({ name: 'slow', options: { gracePeriodSeconds: 300 } })
    expect(deletions.filter(({ name }) => name === 'quick')).toEqual([])
  })

  test('case 127: past the time a pod gets one second, never zero', async () => {
    const { world, deletions } = await deletedNode({ pods: [aPod('app')], terminationInSeconds: -3_600 })
    await world.run(1_000)
    expect(deletions).toMatchObject([{ name: 'app', options: { gracePeriodSeconds: 1 } }])
  })

  test('a pod that hangs past the time is deleted and counted once', async () => {
    const { world, deletions } = await deletedNode({
      pods: [aPod('app', { metadata: { finalizers: ['hold'] } })],
      terminationInSeconds: -60,
    })
    await world.run(120_000)
    expect(deletions).toMatchObject([{ name: 'app', options: { gracePeriodSeconds: 1 } }])
    expect(world.counts.sum('karpenter_pods_drained_total')).toBe(1)
    expect(world.events('Disrupted')).toHaveLength(1)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
  })

  test('a pod that is there again under its name, or whose deletion failed, is deleted all the same', async () => {
    const { world, deletions } = await deletedNode({ pods: [aPod('app')], terminationInSeconds: -60 })
    let failures = 0
    world.kube.fault = ({ operation, resource }) => {
      if (operation === 'delete' && resource === 'pods' && failures++ < 2) {
        throw new KubeError('ServiceUnavailable', 503, 'down')
      }
    }
    await world.run(3_000)
    expect(deletions).toHaveLength(3)
    expect(world.counts.sum('karpenter_pods_drained_total')).toBe(1)
    await world.kube.create(pods, { ...aPod('app'), spec: { ...aPod('app').spec, nodeName: 'n1' } })
    await world.run(3_000)
    expect(deletions).toHaveLength(4)
    expect(world.counts.sum('karpenter_pods_drained_total')).toBe(2)
  })

  describe('a pod whose time is over', () => {
    /** The pod is asked to go when `meanwhile` is over. */
    async function overdue(meanwhile: (world: ControllerWorld) => Promise<void>) {
      const world = aControllerWorld()
      const { metadata } = await world.kube.create(pods, aPod('app'))
      const original = world.kube.delete.bind(world.kube)
      world.kube.delete = async (resource, key, options) => {
        world.kube.delete = original
        await meanwhile(world)
        await original(resource, key, options)
      }
      const queue = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
      await world.start(queue.controller)
      queue.add({ namespace: 'default', name: 'app', uid: metadata.uid }, world.clock.now() - 60_000)
      await world.run(5_000)
      expect(world.logged('Reconciler error')).toEqual([])
      expect(world.events('Disrupted')).toEqual([])
      expect(world.counts.sum('karpenter_pods_drained_total')).toBe(0)
      return world
    }
    const appKey = { namespace: 'default', name: 'app' }

    test('and that goes by itself just then is no error, and not counted', async () => {
      await overdue(({ kube }) => kube.delete(pods, appKey))
    })

    test('takes no other one with it that bears its name by now', async () => {
      const world = await overdue(async ({ kube }) => {
        await kube.delete(pods, appKey)
        await kube.create(pods, aPod('app'))
      })
      expect(await world.exists(pods, appKey)).toBe(true)
    })
  })

  test('a pod whose time was brought forward is deleted again with less, also in a second try, and counted once', async () => {
    const world = aControllerWorld()
    const hanging = { finalizers: ['hold'], deletionTimestamp: '2026-01-01T01:00:00Z' }
    const { metadata } = await world.kube.create(pods, aPod('app', { metadata: hanging }))
    const graces: (number | undefined)[] = []
    const original = world.kube.delete.bind(world.kube)
    world.kube.delete = async (resource, key, options) => {
      graces.push(options?.gracePeriodSeconds)
      if (graces.length === 2) throw new KubeError('ServiceUnavailable', 503, 'down')
      await original(resource, key, options)
    }
    const queue = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
    await world.start(queue.controller)
    const pod = { namespace: 'default', name: 'app', uid: metadata.uid }
    const begin = world.clock.now()
    for (const seconds of [300, 300, 100]) {
      queue.add(pod, begin + seconds * 1_000)
      await world.run(0)
    }
    await world.run(900)
    expect(graces).toEqual([300, 100, 99])
    expect(world.counts.sum('karpenter_pods_drained_total')).toBe(1)
  })

  test('a grace that the API server has cut as far already is not cut again', async () => {
    const hanging = { finalizers: ['hold'], deletionTimestamp: '2026-01-01T00:00:01Z', deletionGracePeriodSeconds: 1 }
    const { world, deletions } = await deletedNode({
      pods: [aPod('app', { metadata: hanging })],
      terminationInSeconds: -60,
    })
    await world.run(10_000)
    expect(deletions).toEqual([])
    expect(world.counts.sum('karpenter_pods_drained_total')).toBe(0)
  })

  test.each(['soon', '10', 'tomorrow 5', '2026-01-01'])('the time %j, which is none, stops it', async (text) => {
    const { world, deletions } = await deletedNode({ pods: [aPod('app')], terminationTime: text })
    await world.run(60_000)
    expect(await world.exists(nodes, nodeKey)).toBe(true)
    expect(world.cloud.deleted).toEqual([])
    expect(deletions).toEqual([])
    expect(world.logged('Reconciler error')).not.toEqual([])
    const message = `annotation karpenter.sh/nodeclaim-termination-timestamp of nodeclaim c1: ${JSON.stringify(text)} is no RFC 3339 time, and the node is not drained until it is mended or removed`
    const told = world.recorder.published.filter(({ reason }) => reason === 'InvalidTerminationTimestamp')
    expect(new Set(told.map((event) => `${event.object.kind} ${event.message}`))).toEqual(
      new Set([`Node ${message}`, `NodeClaim ${message}`]),
    )
    for (const { reason, type, object } of told)
      expect(rowOf({ reason, type, kind: object.kind, message })).toBeDefined()
  })

  test('a drain that its time has stopped goes on when that is mended', async () => {
    const { world } = await deletedNode({ pods: [aPod('app')], terminationTime: 'soon' })
    await world.run(60_000)
    const annotations = { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-01-01T01:00:00Z' }
    await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata: { annotations } } })
    await world.run(60_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
  })

  test.each([-1, -100_000_000])('a grace of %i s counts as the second that Kubernetes makes of it', async (seconds) => {
    const { world, deletions } = await deletedNode({
      pods: [aPod('app', { metadata: doNotDisrupt, spec: { terminationGracePeriodSeconds: seconds } })],
      terminationInSeconds: 60,
    })
    await world.run(58_000)
    expect(deletions).toEqual([])
    await world.run(12_000)
    expect(deletions).toMatchObject([{ name: 'app', options: { gracePeriodSeconds: 1 } }])
    expect(world.events('Disrupted').map((text) => /its (\S+) terminationGracePeriodSeconds/.exec(text)?.[1])).toEqual([
      '1',
    ])
  })
})
