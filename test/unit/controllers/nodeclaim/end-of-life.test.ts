import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { DisruptionBrake } from '../../../../src/controllers/disruption-brake.ts'
import {
  nodeClaimConsistency,
  nodeClaimExpiration,
  nodeClaimGarbageCollection,
  nodeClaimHydration,
  podEvents,
} from '../../../../src/controllers/nodeclaim/index.ts'
import { ProviderIDError } from '../../../../src/cloud/provider.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, aPod, conditionOf, ownedBy, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld, type ControllerWorld } from '../../../support/controller-world.ts'
import { deafen } from '../../../support/lagging-cache.ts'

const providerID = 'aws:///us-west-2a/i-1'
const key = { name: 'c1' }
const registered = { providerID, conditions: [trueCondition('Launched'), trueCondition('Registered')] }
const bound = (name: string, more: Parameters<typeof aPod>[1] = {}) =>
  aPod(name, { ...more, spec: { nodeName: 'n1', ...more.spec } })
const isDeleting = async (world: ControllerWorld) =>
  (await world.kube.list(nodeClaims)).items.every(({ metadata }) => metadata.deletionTimestamp !== undefined)

describe('expiration', () => {
  test('case 119: a claim that never registered is deleted at its expiry, not before', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { spec: { expireAfter: '10m' } }))
    await world.start(nodeClaimExpiration(world))
    await world.run(599_000)
    expect(await world.exists(nodeClaims, key)).toBe(true)
    await world.run(1_000)
    expect(await world.exists(nodeClaims, key)).toBe(false)
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'expired', nodepool: 'default' })).toBe(1)
    expect(world.logged('deleting expired nodeclaim')).toHaveLength(1)
  })

  test('the pods that have to move are counted', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { spec: { expireAfter: '1m' }, status: registered }))
    await world.kube.create(nodes, aNode())
    await world.kube.create(pods, bound('app'))
    await world.kube.create(pods, bound('daemon', { metadata: ownedBy('DaemonSet') }))
    await world.start(nodeClaimExpiration(world))
    await world.run(61_000)
    expect(world.counts.sum('karpenter_pods_disruption_initiated_total', { reason: 'expired' })).toBe(1)
  })

  test.each([
    [undefined, 'graceful'],
    ['5m', 'eventual'],
    ['0s', 'forceful'],
  ])('with a grace period of %s its pods go in the %s way, as the counters say', async (grace, mode) => {
    const world = aControllerWorld()
    const spec = { expireAfter: '1m', ...(grace === undefined ? {} : { terminationGracePeriod: grace }) }
    await world.kube.create(nodeClaims, aClaim('c1', { spec }))
    await world.start(nodeClaimExpiration(world))
    await world.run(61_000)
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { termination_mode: mode })).toBe(1)
  })

  test('another claim that bears the name of an expired one by now stays', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { spec: { expireAfter: '10m' } }))
    await world.start(nodeClaimExpiration(world))
    await world.run(1_000)
    world.kube.delivers = () => false
    await world.kube.delete(nodeClaims, key)
    await world.kube.create(nodeClaims, aClaim('c1', { spec: { expireAfter: '10m' } }))
    await world.run(600_000)
    expect(await world.exists(nodeClaims, key)).toBe(true)
    expect(world.logged('Reconciler error')).toEqual([])
    expect(world.logged('deleting expired nodeclaim')).toEqual([])
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total')).toBe(0)
  })

  test('a deletion that the watch is slow to tell of is counted once', async () => {
    const world = aControllerWorld()
    onTestFinished(() => void vi.restoreAllMocks())
    await world.kube.create(
      nodeClaims,
      aClaim('c1', { metadata: { finalizers: ['hold'] }, spec: { expireAfter: '10m' } }),
    )
    await world.start(nodeClaimExpiration(world))
    deafen(world, nodeClaims)
    await world.run(600_500)
    vi.restoreAllMocks()
    await world.run(60_000)
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'expired' })).toBe(1)
  })

  test('a claim that is on its way out already is not counted as expired', async () => {
    const world = aControllerWorld()
    await world.kube.create(
      nodeClaims,
      aClaim('c1', { metadata: { finalizers: ['x/y'] }, spec: { expireAfter: '1m' } }),
    )
    await world.kube.delete(nodeClaims, key)
    await world.start(nodeClaimExpiration(world))
    await world.run(120_000)
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'expired' })).toBe(0)
  })

  test('a claim that never expires stays', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { spec: { expireAfter: 'Never' } }))
    await world.start(nodeClaimExpiration(world))
    await world.run(100 * 3_600_000)
    expect(await world.exists(nodeClaims, key)).toBe(true)
  })

  test('an expired claim waits for the window of its pool, and notices within five minutes that it was moved forward', async () => {
    const world = aControllerWorld()
    const startedAt = world.clock.now()
    let opensAt = startedAt + 3_600_000
    await world.kube.create(nodeClaims, aClaim('c1', { spec: { expireAfter: '10m' } }))
    await world.start(nodeClaimExpiration({ ...world, expiryTime: () => opensAt }))
    await world.run(1_200_000)
    expect(await world.exists(nodeClaims, key)).toBe(true)
    opensAt = world.clock.now()
    await world.run(300_000)
    expect(await world.exists(nodeClaims, key)).toBe(false)
  })

  test('claims that expire together go as the brake allows, those that were held as it lets them', async () => {
    const world = aControllerWorld()
    const brake = new DisruptionBrake(world.clock, { nodes: 2, windowMs: 600_000 })
    for (let index = 0; index < 5; index += 1)
      await world.kube.create(nodeClaims, aClaim(`c${index}`, { spec: { expireAfter: '10m' } }))
    const left = async () => (await world.kube.list(nodeClaims)).items.length
    await world.start(nodeClaimExpiration({ ...world, brake }))
    await world.run(600_000)
    // Nothing is known of the time before the start.
    expect(await left()).toBe(5)
    await world.run(599_000)
    expect(await left()).toBe(5)
    await world.run(2_000)
    expect(await left()).toBe(3)
    await world.run(597_000)
    expect(await left()).toBe(3)
    await world.run(3_000)
    expect(await left()).toBe(1)
    await world.run(601_000)
    expect(await left()).toBe(0)
    expect(world.events('DisruptionBlocked')[0]).toBe(
      'Nodeclaim is expired, and no more than 2 node(s) within 10m0s are removed as expired (--disruption-brake); the next may go at 2026-01-01T00:20:00Z',
    )
    // With the UID alone it would have to share a turn with what each pass of disruption tells of the claim.
    const { object, dedupeValues } = world.recorder.published[0] ?? {}
    expect(dedupeValues).toEqual([object?.metadata.uid, 'expired'])
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'expired' })).toBe(5)
  })

  test('a deletion that is refused takes no room of the brake', async () => {
    const world = aControllerWorld()
    const brake = new DisruptionBrake(world.clock, { nodes: 1, windowMs: 600_000 })
    for (const name of ['refused', 'c1'])
      await world.kube.create(nodeClaims, aClaim(name, { spec: { expireAfter: '20m' } }))
    world.kube.fault = ({ operation, name }) => {
      if (operation === 'delete' && name === 'refused') throw new KubeError('Forbidden', 403, 'no')
    }
    await world.start(nodeClaimExpiration({ ...world, brake }))
    await world.run(1_900_000)
    expect(await world.exists(nodeClaims, key)).toBe(false)
  })

  test('an open window takes no claim before its time', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { spec: { expireAfter: '10m' } }))
    await world.start(nodeClaimExpiration({ ...world, expiryTime: (_claim, _dueAt, now) => now }))
    await world.run(599_000)
    expect(await world.exists(nodeClaims, key)).toBe(true)
    await world.run(1_000)
    expect(await world.exists(nodeClaims, key)).toBe(false)
  })
})

describe('garbage collection', () => {
  const cases: Record<
    string,
    {
      status: NonNullable<Parameters<typeof aClaim>[1]>['status']
      ready?: 'True' | 'False'
      node: boolean
      want: boolean
    }
  > = {
    'case 120: instance gone, node ready: kept': { status: registered, ready: 'True', node: true, want: false },
    'case 120: instance gone, node not ready: collected': {
      status: registered,
      ready: 'False',
      node: true,
      want: true,
    },
    'instance gone, no node: collected': { status: registered, node: false, want: true },
    'not registered yet: left to its timeout': {
      status: { providerID, conditions: [trueCondition('Launched')] },
      node: false,
      want: false,
    },
    'registered, but without an instance that could be asked for: left alone': {
      status: { conditions: registered.conditions },
      node: false,
      want: false,
    },
  }
  test.each(Object.entries(cases))('%s', async (_name, { status, ready = 'True', node, want }) => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { metadata: { finalizers: ['hold'] }, status }))
    if (node) await world.kube.create(nodes, aNode('n1', { ready }))
    await world.start(nodeClaimGarbageCollection(world))
    await world.run(1_000)
    expect(await isDeleting(world)).toBe(want)
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'garbage_collected' })).toBe(Number(want))
  })

  test('a claim that is on its way out already is not counted as collected', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { metadata: { finalizers: ['hold'] }, status: registered }))
    await world.kube.delete(nodeClaims, key)
    await world.start(nodeClaimGarbageCollection(world))
    await world.run(1_000)
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'garbage_collected' })).toBe(0)
  })

  test('nor is one that is gone already, whatever the watch shows', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { status: registered }))
    const list = world.cloud.list.bind(world.cloud)
    world.cloud.list = async () => {
      world.kube.delivers = () => false
      if (await world.exists(nodeClaims, key)) await world.kube.delete(nodeClaims, key)
      return list()
    }
    await world.start(nodeClaimGarbageCollection(world))
    await world.run(1_000)
    expect(world.logged('garbage collecting nodeclaim with no cloudprovider representation')).toEqual([])
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total')).toBe(0)
  })

  test('a claim stays whose node has become ready without the watch telling of it', async () => {
    const world = aControllerWorld()
    const status = { ...registered, nodeName: 'n1' }
    await world.kube.create(nodeClaims, aClaim('c1', { metadata: { finalizers: ['hold'] }, status }))
    const { status: recovered } = await world.kube.create(nodes, aNode('n1'))
    await world.kube.patch(
      nodes,
      { name: 'n1' },
      { kind: 'merge', body: { status: aNode('n1', { ready: 'False' }).status } },
    )
    world.cloud.list = async () => {
      world.kube.delivers = (event) => event.type === 'BOOKMARK' || event.object.kind !== 'Node'
      await world.kube.patch(nodes, { name: 'n1' }, { kind: 'merge', body: { status: recovered } })
      return []
    }
    await world.start(nodeClaimGarbageCollection(world))
    await world.run(1_000)
    expect(await isDeleting(world)).toBe(false)
  })

  test('a claim stays while one of several nodes of its instance is ready', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { metadata: { finalizers: ['hold'] }, status: registered }))
    await world.kube.create(nodes, aNode('n1', { ready: 'False' }))
    await world.kube.create(nodes, aNode('n2', { ready: 'True' }))
    await world.start(nodeClaimGarbageCollection(world))
    await world.run(1_000)
    expect(await isDeleting(world)).toBe(false)
  })

  test('a claim whose instance is not listed, as after an edit of its tags, stays for as long as the instance does', async () => {
    const world = aControllerWorld()
    const claim = await world.kube.create(nodeClaims, aClaim('c1', { status: registered }))
    await world.cloud.create(claim)
    await world.kube.create(nodes, aNode('n1', { ready: 'False' }))
    const cloud = Object.assign(world.cloud, { list: async () => [] })
    await world.start(nodeClaimGarbageCollection({ ...world, cloud }))
    await world.run(300_000)
    expect(await world.exists(nodeClaims, key)).toBe(true)
    await cloud.delete(claim)
    await world.run(120_000)
    expect(await world.exists(nodeClaims, key)).toBe(false)
  })

  test('a claim whose instance cannot be asked for stays, and keeps no other', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { status: registered }))
    await world.kube.create(nodeClaims, aClaim('c2', { status: { ...registered, providerID: 'aws:///a/i-2' } }))
    const get = world.cloud.get.bind(world.cloud)
    let isThrottled = true
    world.cloud.get = (id) =>
      isThrottled && id === providerID ? Promise.reject(new Error('Request limit exceeded')) : get(id)
    await world.start(nodeClaimGarbageCollection(world))
    await world.run(300_000)
    expect((await world.kube.list(nodeClaims)).items.map(({ metadata }) => metadata.name)).toEqual(['c1'])
    isThrottled = false
    await world.run(120_000)
    expect(await world.exists(nodeClaims, key)).toBe(false)
  })

  test('a claim whose provider ID can be that of no instance stays for as long as its node does', async () => {
    const world = aControllerWorld()
    const status = { ...registered, providerID: 'aws:///us-west-2a/oops', nodeName: 'n1' }
    const { name, uid } = (await world.kube.create(nodeClaims, aClaim('c1', { status }))).metadata
    const node = aNode('n1')
    const ownerReferences = [{ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid }]
    await world.kube.create(nodes, { ...node, metadata: { ...node.metadata, ownerReferences } })
    world.cloud.get = async (id) => Promise.reject(new ProviderIDError(id))
    await world.start(nodeClaimGarbageCollection(world))
    await world.run(300_000)
    expect(await world.exists(nodeClaims, key)).toBe(true)
    await world.kube.delete(nodes, { name: 'n1' })
    // Another machine may get the name.
    await world.kube.create(nodes, node)
    await world.run(120_000)
    expect(await world.exists(nodeClaims, key)).toBe(false)
  })

  test('an instance that is on its way out is as good as gone', async () => {
    const world = aControllerWorld()
    world.cloud.terminationMs = 3_600_000
    const claim = await world.kube.create(nodeClaims, aClaim('c1', { status: registered }))
    await world.cloud.create(claim)
    await world.cloud.delete(claim)
    await world.start(nodeClaimGarbageCollection(world))
    await world.run(1_000)
    expect(await world.exists(nodeClaims, key)).toBe(false)
    expect(world.logged('garbage collecting nodeclaim with no cloudprovider representation')).toMatchObject([
      { NodeClaim: { name: 'c1' }, 'provider-id': providerID },
    ])
  })

  test('of more claims than are looked at together each is looked at, and one that cannot be deleted keeps no other and is tried again soon', async () => {
    const world = aControllerWorld()
    for (let i = 0; i < 45; i += 1) {
      const status = { ...registered, providerID: `aws:///a/i-${i}` }
      await world.kube.create(nodeClaims, aClaim(`c${i}`, { status }))
    }
    world.kube.fault = ({ operation, name }) => {
      if (operation === 'delete' && name === 'c3') throw new Error('refused')
    }
    await world.start(nodeClaimGarbageCollection(world))
    await world.run(500)
    expect((await world.kube.list(nodeClaims)).items.map(({ metadata }) => metadata.name)).toEqual(['c3'])
    world.kube.fault = () => undefined
    await world.run(10_000)
    expect(await world.exists(nodeClaims, { name: 'c3' })).toBe(false)
  })

  test('a claim with an instance is kept; it is looked at every two minutes', async () => {
    const world = aControllerWorld()
    const claim = await world.kube.create(nodeClaims, aClaim('c1', { status: registered }))
    await world.cloud.create(claim)
    await world.start(nodeClaimGarbageCollection(world))
    await world.run(119_000)
    world.cloud.instances.clear()
    await world.run(500)
    expect(await world.exists(nodeClaims, key)).toBe(true)
    await world.run(1_000)
    expect(await world.exists(nodeClaims, key)).toBe(false)
  })
})

describe('pod events', () => {
  async function eventTimes(act: (world: ControllerWorld) => Promise<void>, pod = bound('app')) {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { status: { providerID } }))
    await world.kube.create(nodes, aNode())
    await world.start(podEvents(world))
    await world.kube.create(pods, pod)
    await world.run(100)
    const first = (await world.read(nodeClaims, key)).status?.lastPodEventTime
    await act(world)
    await world.run(100)
    return [first, (await world.read(nodeClaims, key)).status?.lastPodEventTime]
  }
  const touch = (world: ControllerWorld, body: object) =>
    world.kube.patch(pods, { namespace: 'default', name: 'app' }, { kind: 'merge', body })

  test('case 121: two within ten seconds are one', async () => {
    const times = await eventTimes(async (world) => {
      await world.run(4_000)
      await touch(world, { status: { phase: 'Failed' } })
    })
    expect(times).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'])
  })

  test('the pods of a node that are seen all at once, as after a restart, are one write', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { status: registered }))
    await world.kube.create(nodes, aNode())
    for (let index = 0; index < 20; index += 1) await world.kube.create(pods, bound(`app-${index}`))
    await world.start(podEvents(world))
    await world.run(100)
    const writes = world.kube.calls.filter(({ operation }) => operation === 'patch')
    expect(writes).toHaveLength(1)
  })

  test.each([
    ['refused', new KubeError('ServiceUnavailable', 503, 'down'), '2026-01-01T00:00:00Z'],
    ['in vain, for a claim that is gone,', new KubeError('NotFound', 404, 'gone'), undefined],
  ])('a write that is %s is taken for none', async (_how, refusal, want) => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { status: registered }))
    await world.kube.create(nodes, aNode())
    await world.kube.create(pods, bound('app'))
    let refusals = 0
    world.kube.fault = ({ operation }) => {
      if (operation === 'patch' && refusals++ === 0) throw refusal
    }
    await world.start(podEvents(world))
    await world.run(900)
    expect((await world.read(nodeClaims, key)).status?.lastPodEventTime).toBe(want)
    expect(world.logged('Reconciler error')).toHaveLength(want === undefined ? 0 : 1)
  })

  test('a pod that ends later counts anew', async () => {
    const times = await eventTimes(async (world) => {
      await world.run(30_000)
      await touch(world, { status: { phase: 'Succeeded' } })
    })
    expect(times[1]).toBe('2026-01-01T00:00:30Z')
  })

  test('a pod that ends after the clock was set back counts, too', async () => {
    const times = await eventTimes(async (world) => {
      world.clock.jump(-300_000)
      await world.run(30_000)
      await touch(world, { status: { phase: 'Succeeded' } })
    })
    expect(times[1]).toBe('2025-12-31T23:55:30Z')
  })

  test('a pod that begins to go, or comes to the node later, counts anew', async () => {
    const going = bound('app', { metadata: { finalizers: ['hold'] } })
    const gone = await eventTimes(async (world) => {
      await world.run(30_000)
      await world.kube.delete(pods, { namespace: 'default', name: 'app' })
    }, going)
    expect(gone[1]).toBe('2026-01-01T00:00:30Z')
    const come = await eventTimes(async (world) => {
      await world.run(30_000)
      await world.kube.bind({ namespace: 'default', name: 'app' }, 'n1')
    }, aPod('app'))
    expect(come).toEqual([undefined, '2026-01-01T00:00:30Z'])
  })

  test('ten seconds after one the next counts', async () => {
    const finishedAfter = (ms: number) =>
      eventTimes(async (world) => {
        await world.run(ms)
        await touch(world, { status: { phase: 'Succeeded' } })
      })
    expect((await finishedAfter(9_800))[1]).toBe('2026-01-01T00:00:00Z')
    expect((await finishedAfter(9_900))[1]).toBe('2026-01-01T00:00:10Z')
  })

  test('other changes of a pod do not count', async () => {
    const times = await eventTimes(async (world) => {
      await world.run(30_000)
      await touch(world, { metadata: { labels: { a: 'b' } } })
    })
    expect(times[1]).toBe(times[0])
  })

  test('daemons and pods without a node do not count', async () => {
    expect(await eventTimes(async () => undefined, bound('app', { metadata: ownedBy('DaemonSet') }))).toEqual([
      undefined,
      undefined,
    ])
    expect(await eventTimes(async () => undefined, aPod('app'))).toEqual([undefined, undefined])
  })
})

describe('consistency', () => {
  const initialized = {
    ...registered,
    capacity: { cpu: '4', memory: '16Gi', 'nvidia.com/gpu': '0', 'example.com/none': '2' },
    conditions: [...registered.conditions, trueCondition('Initialized')],
  }
  const aMeasuredClaim = (status: typeof registered, more: Parameters<typeof aClaim>[1] = {}) => {
    const requests = { cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '1', 'example.com/none': '0' }
    return aClaim('c1', { ...more, spec: { resources: { requests } }, status })
  }
  async function check(capacity: Record<string, string>, status: typeof registered = initialized) {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aMeasuredClaim(status))
    await world.kube.create(nodes, aNode('n1', { status: { capacity } }))
    await world.start(nodeClaimConsistency(world))
    await world.run(1_000)
    return { world, condition: conditionOf(await world.read(nodeClaims, key), 'ConsistentStateFound') }
  }

  test('a node that is less than nine tenths of what was predicted is reported', async () => {
    const { world, condition } = await check({ cpu: '4', memory: '8Gi' })
    expect(condition).toBe('False/ConsistencyCheckFailed/Consistency Check Failed')
    const issue = 'expected 16Gi of resource memory, but found 8Gi (50.0% of expected)'
    expect(world.events('FailedConsistencyCheck')).toEqual([issue])
    expect(world.logged('failed consistency check')).toMatchObject([{ issue }])
  })

  test('so is a node that has none of it at all, though only one was predicted', async () => {
    const gpu = { ...initialized, capacity: { ...initialized.capacity, 'nvidia.com/gpu': '1' } }
    const { world } = await check({ cpu: '4', memory: '16Gi' }, gpu)
    expect(world.events('FailedConsistencyCheck')).toEqual([
      'expected 1 of resource nvidia.com/gpu, but found 0 (0.0% of expected)',
    ])
  })

  test('what was not predicted is not compared', async () => {
    const { 'nvidia.com/gpu': _none, ...capacity } = initialized.capacity
    const status = { ...initialized, capacity }
    const { world, condition } = await check({ cpu: '4', memory: '16Gi' }, status)
    expect(condition).toBe('True/ConsistentStateFound/')
    expect(world.events('FailedConsistencyCheck')).toEqual([])
  })

  test('nine tenths are enough', async () => {
    expect((await check({ cpu: '3600m', memory: '16Gi' })).condition).toBe('True/ConsistentStateFound/')
    const { condition, world } = await check({ cpu: '3599m', memory: '16Gi' })
    expect(condition).toBe('False/ConsistencyCheckFailed/Consistency Check Failed')
    expect(world.events('FailedConsistencyCheck')).toEqual([
      'expected 4 of resource cpu, but found 3599m (90.0% of expected)',
    ])
  })

  test('a node that is not initialized is not measured', async () => {
    const status = { ...initialized, conditions: registered.conditions }
    expect((await check({ cpu: '1' }, status)).condition).toBe('True/ConsistentStateFound/')
  })

  test('nor is one that goes', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aMeasuredClaim(initialized, { metadata: { finalizers: ['hold'] } }))
    await world.kube.create(nodes, aNode('n1', { status: { capacity: { cpu: '1' } } }))
    await world.kube.delete(nodeClaims, key)
    await world.start(nodeClaimConsistency(world))
    await world.run(1_000)
    expect(world.events('FailedConsistencyCheck')).toEqual([])
  })

  test('what was found is written soon also where another writer was faster', async () => {
    const world = aControllerWorld()
    let conflicts = 0
    world.kube.fault = ({ operation }) => {
      if (operation === 'patch' && conflicts++ === 0) throw new KubeError('Conflict', 409, 'changed')
    }
    await world.kube.create(nodeClaims, aMeasuredClaim(initialized))
    await world.kube.create(nodes, aNode('n1', { status: { capacity: { cpu: '4', memory: '16Gi' } } }))
    await world.start(nodeClaimConsistency(world))
    await world.run(10_000)
    expect(conditionOf(await world.read(nodeClaims, key), 'ConsistentStateFound')).toBe('True/ConsistentStateFound/')
  })

  test('a node that came after the launch is measured ten minutes after it', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { status: initialized }))
    await world.start(nodeClaimConsistency(world))
    await world.run(1_000)
    await world.kube.create(nodes, aNode('n1', { status: { capacity: { cpu: '4', memory: '16Gi' } } }))
    await world.run(598_000)
    expect(conditionOf(await world.read(nodeClaims, key), 'ConsistentStateFound')).toBe(undefined)
    await world.run(2_000)
    expect(conditionOf(await world.read(nodeClaims, key), 'ConsistentStateFound')).toBe('True/ConsistentStateFound/')
  })

  test('it is looked at again after ten minutes', async () => {
    const { world } = await check({ cpu: '4', memory: '8Gi' })
    await world.run(598_000)
    await world.kube.patch(nodes, { name: 'n1' }, { kind: 'merge', body: { status: { capacity: { memory: '16Gi' } } } })
    expect(world.events('FailedConsistencyCheck')).toHaveLength(1)
    await world.run(2_000)
    expect(conditionOf(await world.read(nodeClaims, key), 'ConsistentStateFound')).toBe('True/ConsistentStateFound/')
  })
})

test('a claim from before the NodeClass label existed gets it', async () => {
  const world = aControllerWorld()
  await world.kube.create(nodeClaims, aClaim())
  await world.start(nodeClaimHydration(world))
  await world.run(1_000)
  expect((await world.read(nodeClaims, key)).metadata.labels).toMatchObject({
    'karpenter.k8s.aws/ec2nodeclass': 'default',
  })
})
