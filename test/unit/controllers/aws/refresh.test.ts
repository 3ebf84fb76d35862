import { describe, expect, test, vi } from 'vitest'
import { capacityBlockExpirationController } from '../../../../src/controllers/aws/capacity-block-expiration.ts'
import { capacityTypeController } from '../../../../src/controllers/aws/capacity-type-sync.ts'
import { memoryDiscoveryController } from '../../../../src/controllers/aws/memory-discovery.ts'
import { offeringMetricsController } from '../../../../src/controllers/aws/offering-metrics.ts'
import {
  instanceTypeController,
  pricingController,
  ssmInvalidationController,
} from '../../../../src/controllers/aws/refresh.ts'
import { zonalShiftController } from '../../../../src/controllers/aws/zonal-shift.ts'
import { VersionProvider } from '../../../../src/cloud/aws/eks-cluster/version-provider.ts'
import type { EC2NodeClass } from '../../../../src/api/karpenter.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { silentLogger } from '../../../../src/kube/logger.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aNodeClass, anAWSWorld, aWebPool, isIn, zoneIn } from '../../../support/aws-world.ts'
import { aClaim, aNode } from '../../../support/controller-builders.ts'
import { aReservation } from '../../../support/reservation-record.ts'

const isFalse = (type: string) => ({
  type,
  status: 'False' as const,
  reason: type,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 1,
})

const reservedLabels = {
  'karpenter.sh/capacity-type': 'reserved',
  'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
  'karpenter.k8s.aws/capacity-reservation-type': 'default',
  'karpenter.k8s.aws/capacity-reservation-interruptible': 'false',
}

test('an instance whose reservation ended is on-demand on its claim and node, too', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  world.aws.faults.add((call) =>
    call.action === 'DescribeInstances'
      ? {
          kind: 'answer',
          output: {
            Reservations: [
              {
                Instances: [
                  { InstanceId: 'i-1', Placement: { AvailabilityZone: 'us-east-1a' }, State: { Name: 'running' } },
                  {
                    InstanceId: 'i-reserved',
                    Placement: { AvailabilityZone: 'us-east-1a' },
                    State: { Name: 'running' },
                    CapacityReservationId: 'cr-1',
                    CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
                  },
                ],
              },
            ],
          },
        }
      : undefined,
  )
  const providerID = 'aws:///us-east-1a/i-1'
  await world.kube.create(nodeClaims, aClaim('c1', { metadata: { labels: reservedLabels }, status: { providerID } }))
  await world.kube.create(
    nodes,
    aNode('n1', { providerID, metadata: { labels: { ...reservedLabels, 'karpenter.sh/registered': 'true' } } }),
  )
  // Those that need no word are not written to: one whose labels are yet to come from the claim, one that has been told, and who is reserved.
  const reserved = { labels: { ...reservedLabels, 'karpenter.sh/registered': 'true' } }
  const still = { providerID: 'aws:///us-east-1a/i-reserved' }
  await world.kube.create(nodeClaims, aClaim('reserved', { metadata: reserved, status: still }))
  await world.kube.create(nodeClaims, aClaim('not-launched', { metadata: reserved }))
  const untouched = [
    aNode('reserved', { ...still, metadata: reserved }),
    aNode('unregistered', { providerID, metadata: { labels: reservedLabels } }),
    aNode('told', {
      providerID,
      metadata: { labels: { 'karpenter.sh/capacity-type': 'on-demand', 'karpenter.sh/registered': 'true' } },
    }),
  ]
  for (const node of untouched) await world.kube.create(nodes, node)
  const patch = vi.spyOn(world.kube, 'patch')
  await world.world.start(capacityTypeController(world))
  await world.world.run(2_000)
  const want = {
    'karpenter.sh/capacity-type': 'on-demand',
    'karpenter.k8s.aws/capacity-reservation-interruptible': 'false',
  }
  expect((await world.kube.get(nodeClaims, { name: 'c1' })).metadata.labels).toEqual(want)
  expect((await world.kube.get(nodes, { name: 'n1' })).metadata.labels).toEqual({
    ...want,
    'karpenter.sh/registered': 'true',
  })
  expect(patch.mock.calls.map(([, { name }]) => name)).toEqual(['c1', 'n1'])
})

test('where nothing says that it is reserved EC2 is not asked for its instances, and asked once something does', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  await world.kube.create(nodeClaims, aClaim('c1', { metadata: { labels: {} } }))
  await world.world.start(capacityTypeController(world))
  await world.world.run(5 * 60_000)
  expect(world.aws.faults.count('ec2:DescribeInstances')).toBe(0)
  await world.kube.create(nodes, aNode('n1', { metadata: { labels: reservedLabels } }))
  await world.world.run(5 * 60_000)
  expect(world.aws.faults.count('ec2:DescribeInstances')).toBe(5)
})

test('a claim that may not be written keeps no other from being called on-demand', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const instances = ['i-1', 'i-2'].map((InstanceId) => ({
    InstanceId,
    Placement: { AvailabilityZone: 'us-east-1a' },
    State: { Name: 'running' as const },
  }))
  world.aws.faults.add((call) =>
    call.action === 'DescribeInstances'
      ? { kind: 'answer', output: { Reservations: [{ Instances: instances }] } }
      : undefined,
  )
  for (const n of [1, 2]) {
    const status = { providerID: `aws:///us-east-1a/i-${n}` }
    await world.kube.create(nodeClaims, aClaim(`c${n}`, { metadata: { labels: reservedLabels }, status }))
  }
  const patch = world.kube.patch.bind(world.kube)
  vi.spyOn(world.kube, 'patch').mockImplementation((resource, key, body) =>
    key.name === 'c1' ? Promise.reject(new Error('denied')) : patch(resource, key, body),
  )
  await world.world.start(capacityTypeController(world))
  await world.world.run(2_000)
  const labels = (await world.kube.get(nodeClaims, { name: 'c2' })).metadata.labels
  expect(labels?.['karpenter.sh/capacity-type']).toBe('on-demand')
})

test('case 18: claims in an expiring capacity block are deleted, those in a default reservation are not', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const endAt = world.clock.now() + 39 * 60_000
  world.aws.state.reservations.push(
    aReservation({ id: 'cr-1', type: 'capacity-block', endAt }),
    aReservation({ id: 'cr-2', endAt }),
  )
  for (const [name, id] of [
    ['c1', 'cr-1'],
    ['c2', 'cr-2'],
    ['c3', 'cr-gone'],
  ] as const) {
    const labels = { 'karpenter.k8s.aws/capacity-reservation-id': id }
    await world.kube.create(
      nodeClaims,
      aClaim(name, { metadata: { labels, finalizers: ['karpenter.sh/termination'] } }),
    )
  }
  await world.world.start(capacityBlockExpirationController(world))
  await world.world.run(5 * 60_000)
  const { items } = await world.kube.list(nodeClaims)
  const going = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
  expect(going.map(({ metadata }) => metadata.name)).toEqual(['c1'])
  expect(world.world.logged('initiating delete for capacity block expiration')).toHaveLength(1)
})

test('a claim that may not be deleted keeps no other claim in an expiring capacity block', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const endAt = world.clock.now() + 39 * 60_000
  world.aws.state.reservations.push(aReservation({ id: 'cr-1', type: 'capacity-block', endAt }))
  const labels = { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' }
  for (const name of ['c1', 'c2']) await world.kube.create(nodeClaims, aClaim(name, { metadata: { labels } }))
  const remove = world.kube.delete.bind(world.kube)
  vi.spyOn(world.kube, 'delete').mockImplementation((resource, key, options) =>
    key.name === 'c1' ? Promise.reject(new Error('denied')) : remove(resource, key, options),
  )
  await world.world.start(capacityBlockExpirationController(world))
  await world.world.run(2_000)
  expect(await world.world.exists(nodeClaims, { name: 'c2' })).toBe(false)
})

test('a claim that goes with its capacity block before its node is up says so: no rollout is to blame what it is made of', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const endAt = world.clock.now() + 39 * 60_000
  world.aws.state.reservations.push(aReservation({ id: 'cr-1', type: 'capacity-block', endAt }))
  const labels = { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' }
  await world.kube.create(nodeClaims, aClaim('c1', { metadata: { labels, finalizers: ['hold'] } }))
  await world.world.start(capacityBlockExpirationController(world))
  await world.world.run(2_000)
  const { deletionTimestamp, annotations } = (await world.world.read(nodeClaims, { name: 'c1' })).metadata
  expect([deletionTimestamp !== undefined, annotations?.['joinery.dev/interrupted']]).toEqual([
    true,
    'capacity_block_expired',
  ])
})

test('a claim in an expiring capacity block that comes later is seen at the next look', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const endAt = world.clock.now() + 39 * 60_000
  world.aws.state.reservations.push(aReservation({ id: 'cr-1', type: 'capacity-block', endAt }))
  await world.world.start(capacityBlockExpirationController(world))
  await world.world.run(150_000)
  const labels = { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' }
  await world.kube.create(nodeClaims, aClaim('c1', { metadata: { labels } }))
  await world.world.run(60_000)
  expect(await world.world.exists(nodeClaims, { name: 'c1' })).toBe(false)
})

describe('the version of the cluster', () => {
  const clock = new VirtualClock()
  const provider = (answers: readonly (() => Promise<{ major: string; minor: string }>)[]) => {
    let calls = 0
    return new VersionProvider({
      eks: { describeCluster: () => Promise.reject(new Error('not asked')) },
      clusterName: 'demo',
      eksControlPlane: false,
      clock,
      log: silentLogger,
      readServerVersion: () =>
        (answers[Math.min(calls++, answers.length - 1)] ?? (() => Promise.reject(new Error('none'))))(),
    })
  }
  const is = (minor: string) => () => Promise.resolve({ major: '1', minor })

  test('loses a trailing plus, and survives a failed update', async () => {
    const version = provider([is('33+'), () => Promise.reject(new Error('no answer'))])
    await version.update()
    expect(version.get()).toBe('1.33')
    await expect(version.update()).rejects.toThrow('no answer')
    expect(version.get()).toBe('1.33')
  })

  test('outside the supported range is an error once for each change', async () => {
    const version = provider([is('25'), is('25'), is('26'), is('36'), is('37'), is('37')])
    await expect(version.update()).rejects.toThrow('1.25 is not supported')
    await version.update()
    await version.update()
    await version.update()
    expect(version.get()).toBe('1.36')
    await expect(version.update()).rejects.toThrow('1.37 is not supported')
    await version.update()
  })

  test('goes back only when it is told for a quarter of an hour: in an upgrade API servers of two versions answer', async () => {
    const answers = ['33', '34', '33', '34', ...Array.from({ length: 4 }, () => '33')]
    const version = provider(answers.map(is))
    const seen: string[] = []
    for (const _answer of answers) {
      await version.update()
      seen.push(version.get())
      await clock.run({ forMs: 300_000 })
    }
    expect(seen).toEqual(['1.33', '1.34', '1.34', '1.34', '1.34', '1.34', '1.34', '1.33'])
  })

  test('is fatal to ask for before it is known', () => {
    expect(() => provider([]).get()).toThrow('not known yet')
  })
})

test('parameters of a deprecated image are read again; pinned ones are left', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const nodeClass = aNodeClass()
  await world.drive(world.cloud.amis.list(nodeClass))
  const [first] = world.cloud.ssm.mutableValues()
  world.aws.deprecateImage(first?.value ?? '')
  await world.world.start(ssmInvalidationController(world))
  await world.world.run(2_000)
  expect(world.cloud.ssm.mutableValues().map((it) => it.name)).not.toContain(first?.name)
  expect(world.cloud.ssm.mutableValues()).toHaveLength(4)
})

test('parameters of an image that is gone are read again', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  await world.drive(world.cloud.amis.list(aNodeClass()))
  const [first] = world.cloud.ssm.mutableValues()
  world.aws.deregisterImage(first?.value ?? '')
  await world.world.start(ssmInvalidationController(world))
  await world.world.run(2_000)
  expect(world.cloud.ssm.mutableValues().map((it) => it.name)).not.toContain(first?.name)
  expect(world.cloud.ssm.mutableValues()).toHaveLength(4)
})

test('offerings are published for every type, zone and capacity type, reserved ones as zeros', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  await world.kube.create(ec2NodeClasses, aNodeClass())
  await world.kube.create(nodePools, aWebPool())
  world.cloud.unavailable.markPool({ instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' }, 'x')
  await world.world.start(offeringMetricsController(world))
  await world.world.run(2_000)
  const value = (name: string, capacity_type: string, zone: string) =>
    world.counts.observed(`karpenter_cloudprovider_instance_type_${name}`, {
      instance_type: 'm5.large',
      capacity_type,
      zone,
    })
  expect(value('offering_available', 'on-demand', 'us-east-1a')).toEqual([1])
  expect(value('offering_available', 'spot', 'us-east-1a')).toEqual([0])
  expect(value('offering_price_estimate', 'on-demand', 'us-east-1b')).toEqual([0.096])
  expect([
    value('offering_available', 'reserved', 'us-east-1c'),
    value('offering_price_estimate', 'reserved', 'us-east-1c'),
  ]).toEqual([[0], [0]])
})

test('offerings are written out again when something in them changed, and only then', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  await world.kube.create(ec2NodeClasses, aNodeClass())
  await world.kube.create(nodePools, aWebPool())
  const written = vi.spyOn(world.cloud.metrics.offeringAvailable, 'set')
  await world.world.start(offeringMetricsController(world))
  await world.world.run(20 * 60_000)
  const valuesWritten = () =>
    written.mock.calls.flatMap(([labels, value]) =>
      labels.capacity_type === 'spot' && labels.zone === 'us-east-1a' ? [value] : [],
    )
  expect(valuesWritten()).toEqual([1])
  world.cloud.unavailable.markPool({ instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' }, 'x')
  await world.world.run(60_000)
  expect(valuesWritten()).toEqual([1, 0])
})

describe('offerings of several pools', () => {
  const subnetIn = (letter: string) => ({ id: `subnet-${letter}`, zone: `us-east-1${letter}` })

  async function aWorldOf(classes: Readonly<Record<string, Partial<NonNullable<EC2NodeClass['status']>>>>) {
    const world = await anAWSWorld({ types: ['m5.large'] })
    for (const [name, status] of Object.entries(classes)) {
      await world.kube.create(ec2NodeClasses, aNodeClass({}, { metadata: { name, uid: name }, status }))
      const pool = aWebPool()
      pool.spec.template.spec.nodeClassRef.name = name
      await world.kube.create(nodePools, { ...pool, metadata: { ...pool.metadata, name, uid: name } })
    }
    await world.world.start(offeringMetricsController(world))
    await world.world.run(2_000)
    const available = (zone: string, capacity_type = 'on-demand') =>
      world.counts
        .observed('karpenter_cloudprovider_instance_type_offering_available', {
          instance_type: 'm5.large',
          capacity_type,
          zone: `us-east-1${zone}`,
        })
        .at(-1)
    return { world, available: (capacityType?: string) => ['a', 'b', 'c'].map((zone) => available(zone, capacityType)) }
  }

  test('are to be had where any pool can have them, for as long as there is one', async () => {
    const { world, available } = await aWorldOf({
      first: { subnets: [subnetIn('a')] },
      second: { subnets: [subnetIn('b')] },
    })
    expect(available()).toEqual([1, 1, 0])
    await world.kube.delete(nodePools, { name: 'second' })
    await world.world.run(60_000)
    expect(available()).toEqual([1, 0, 0])
    await world.kube.delete(nodePools, { name: 'first' })
    await world.world.run(60_000)
    expect(available()).toEqual([0, 0, 0])
  })

  test('of a type that EC2 has no more are over, but not while a pool fails to tell', async () => {
    const { world, available } = await aWorldOf({ first: { subnets: [subnetIn('a')] } })
    world.aws.faults.add(({ action }) =>
      action === 'DescribeInstanceTypes'
        ? { kind: 'answer', output: { InstanceTypes: [{ InstanceType: 'm99.large' }] } }
        : undefined,
    )
    const status = (subnets: readonly object[]) => ({ subnets, conditions: [isFalse('SubnetsReady')] })
    const patch = (subnets: readonly object[]) =>
      world.kube.patch(ec2NodeClasses, { name: 'first' }, { kind: 'merge', body: { status: status(subnets) } })
    await patch([])
    await world.drive(world.cloud.catalogue.update())
    await world.world.run(120_000)
    expect(available()).toEqual([1, 0, 0])
    await patch([subnetIn('a')])
    await world.world.run(120_000)
    expect(available()).toEqual([0, 0, 0])
  })

  test('of a pool that failed to tell are over once it is gone', async () => {
    const { world, available } = await aWorldOf({ first: { subnets: [subnetIn('a')] } })
    const status = { subnets: [], conditions: [isFalse('SubnetsReady')] }
    await world.kube.patch(ec2NodeClasses, { name: 'first' }, { kind: 'merge', body: { status } })
    await world.world.run(120_000)
    expect(available()).toEqual([1, 0, 0])
    await world.kube.delete(nodePools, { name: 'first' })
    await world.world.run(120_000)
    expect(available()).toEqual([0, 0, 0])
  })

  test('are told though one pool fails, which is an error', async () => {
    const { world, available } = await aWorldOf({
      first: { subnets: [], conditions: [isFalse('SubnetsReady')] },
      second: { subnets: [subnetIn('b')] },
    })
    expect(available()).toEqual([0, 1, 0])
    expect(world.log.lines.filter(({ level }) => level === 'error').length).toBeGreaterThan(0)
  })

  test('wait a few seconds for a class that nobody has looked at yet', async () => {
    const { world, available } = await aWorldOf({ first: { subnets: [] } })
    expect(available()).toEqual([undefined, undefined, undefined])
    const nodeClass = aNodeClass(
      {},
      { metadata: { name: 'first', uid: 'first' }, status: { subnets: [subnetIn('a')] } },
    )
    await world.kube.patch(ec2NodeClasses, { name: 'first' }, { kind: 'merge', body: { status: nodeClass.status } })
    await world.world.run(6_000)
    expect(available()).toEqual([1, 0, 0])
    expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('of a reservation are told as reserved, until it is used up', async () => {
    const reservation = {
      id: 'cr-1',
      instanceType: 'm5.large',
      availabilityZone: 'us-east-1b',
      instanceMatchCriteria: 'targeted',
      ownerID: '123456789012',
      state: 'active',
    } as const
    const { world, available } = await aWorldOf({
      first: { subnets: [subnetIn('a'), subnetIn('b')], capacityReservations: [reservation] },
    })
    expect(available('reserved')).toEqual([0, 0, 0])
    world.aws.state.reservations.push(aReservation({ id: 'cr-1', zone: 'us-east-1b' }))
    await world.drive(world.cloud.reservations.list([{ id: 'cr-1' }]))
    await world.world.run(60_000)
    expect(available('reserved')).toEqual([0, 1, 0])
    world.cloud.reservations.markExhausted('cr-1')
    await world.world.run(60_000)
    expect(available('reserved')).toEqual([0, 0, 0])
  })
})

describe('memory that a node shows', () => {
  interface Shown {
    readonly imageID?: string
    readonly memory?: string
    /** Labels of the node, beside those that say of which class and type it is. */
    readonly labels?: Readonly<Record<string, string>>
    /** What labels it has in the end. */
    readonly then?: Readonly<Record<string, string>>
    readonly claimed?: boolean
    readonly type?: string
  }
  const isRegistered = { 'karpenter.sh/registered': 'true' }
  const estimate = `${4096 - Math.ceil(4096 * 0.075)}Mi`

  async function learnt(shown: Shown = {}) {
    const { imageID = 'ami-amd', memory = '3840Mi', labels = isRegistered, claimed = true, type = 't3.medium' } = shown
    const world = await anAWSWorld({ types: ['t3.medium'] })
    await world.kube.create(ec2NodeClasses, aNodeClass())
    const providerID = 'aws:///us-east-1a/i-1'
    if (claimed) await world.kube.create(nodeClaims, aClaim('c1', { status: { providerID, imageID } }))
    const node = aNode('n1', {
      providerID,
      metadata: {
        labels: { 'karpenter.k8s.aws/ec2nodeclass': 'default', 'node.kubernetes.io/instance-type': type, ...labels },
      },
      status: { capacity: { memory } },
    })
    const amount = () => world.cloud.instanceTypes.get(aNodeClass(), 't3.medium')?.capacity.get('memory')?.toString()
    await world.kube.create(nodes, node)
    await world.world.start(memoryDiscoveryController(world))
    await world.world.run(2_000)
    const first = amount()
    expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([])
    if (shown.then === undefined) return first
    await world.kube.patch(nodes, { name: 'n1' }, { kind: 'merge', body: { metadata: { labels: shown.then } } })
    await world.world.run(2_000)
    return [first, amount()]
  }

  test('is believed when it runs the image of today', async () => {
    expect(await learnt()).toBe('3840Mi')
  })
  test('is believed once it is registered', async () => {
    expect(await learnt({ labels: {}, then: isRegistered })).toEqual([estimate, '3840Mi'])
  })
  test.each<[string, Shown]>([
    ['runs another', { imageID: 'ami-old' }],
    ['is not registered', { labels: { 'karpenter.sh/registered': 'false' } }],
    ['has no claim', { claimed: false }],
    ['is of a type that is not known', { type: 'x99.large' }],
    ['has told nothing of it', { memory: '0' }],
    ['tells what is no amount', { memory: 'much' }],
  ])('is not when it %s', async (_what, shown) => {
    expect(await learnt(shown)).toBe(estimate)
  })
})

test('zonal shifts are told to the pools that could use the zone', async () => {
  const world = await anAWSWorld({ types: ['m5.large'], settings: { enableZonalShift: true } })
  const [first] = world.aws.state.subnets
  const subnets = world.aws.state.subnets.map(({ id, zone, zoneID }) => ({ id, zone, zoneID }))
  await world.kube.create(ec2NodeClasses, aNodeClass({}, { status: { subnets } }))
  await world.kube.create(nodePools, aWebPool())
  await world.kube.create(nodePools, {
    ...aWebPool([zoneIn('us-east-1b')]),
    metadata: { ...aWebPool().metadata, name: 'elsewhere', uid: 'u2' },
  })
  await world.world.start(zonalShiftController(world))
  world.aws.setZonalShift(first?.zoneID ?? '', 60_000)
  await world.world.run(95_000)
  expect(
    world.recorder.published.map((event) => [event.object.metadata.name, event.type, event.reason, event.message]),
  ).toEqual([
    [
      'web',
      'Warning',
      'ZonalShiftActive',
      `Zonal shift detected: offerings in zone us-east-1a (${first?.zoneID}) are unavailable for this NodePool`,
    ],
    [
      'web',
      'Normal',
      'ZonalShiftCleared',
      `Zonal shift cleared: offerings in zone us-east-1a (${first?.zoneID}) are restored for this NodePool`,
    ],
  ])
})

test('a zonal shift is told once, to pools of ours that name the zone by its name or id, however long it lasts', async () => {
  const world = await anAWSWorld({ types: ['m5.large'], settings: { enableZonalShift: true } })
  const [a, b] = world.aws.state.subnets.map(({ id, zone, zoneID }) => ({ id, zone, zoneID }))
  if (a === undefined || b === undefined) throw new Error('two subnets are needed')
  await world.kube.create(ec2NodeClasses, aNodeClass({}, { status: { subnets: [a, b] } }))
  await world.kube.create(
    ec2NodeClasses,
    aNodeClass({}, { metadata: { name: 'beside', uid: 'beside' }, status: { subnets: [b] } }),
  )
  const byID = (id: string) => isIn('topology.k8s.aws/zone-id', id)
  const pools: Record<string, [requirements: Parameters<typeof aWebPool>[0], ref?: object]> = {
    'by-name': [[zoneIn(a.zone)]],
    'by-id': [[byID(a.zoneID)]],
    'another-id': [[byID(b.zoneID)]],
    'no-subnet-there': [[], { name: 'beside' }],
    'no-class': [[], { name: 'missing' }],
    'not-ours': [[], { group: 'karpenter.other', kind: 'OtherClass' }],
  }
  for (const [name, [requirements, ref]] of Object.entries(pools)) {
    const pool = aWebPool(requirements)
    const { template } = pool.spec
    const nodeClassRef = { ...template.spec.nodeClassRef, ...ref }
    await world.kube.create(nodePools, {
      ...pool,
      metadata: { ...pool.metadata, name, uid: name },
      spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, nodeClassRef } } },
    })
  }
  await world.world.start(zonalShiftController(world))
  world.aws.setZonalShift(a.zoneID, 3_600_000)
  await world.world.run(3_700_000)
  const told = world.recorder.published.map(({ object, reason }) => `${object.metadata.name} ${reason}`)
  expect(told).toEqual([
    'by-id ZonalShiftActive',
    'by-name ZonalShiftActive',
    'by-id ZonalShiftCleared',
    'by-name ZonalShiftCleared',
  ])
})

test('prices are updated at start and every twelve hours', async () => {
  const world = await anAWSWorld({ types: ['m5.large', 'm5.metal'] })
  world.aws.setSpotPrice('m5.large', 'us-east-1a', 0.0123)
  await world.world.start(pricingController(world))
  await world.world.run(5_000)
  expect(world.cloud.pricing.spotPrice('m5.large', 'us-east-1a')).toBe(0.0123)
  world.aws.setSpotPrice('m5.large', 'us-east-1a', 0.0456)
  await world.world.run(12 * 3_600_000)
  expect(world.cloud.pricing.spotPrice('m5.large', 'us-east-1a')).toBe(0.0456)
})

test('types are read at start and every twelve hours, and again soon where EC2 refuses; what is new is there at once', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const [hour, names] = [3_600_000, ['m5.large']]
  let refusals = 0
  world.aws.faults.add(({ action }) => {
    if (action === 'DescribeInstanceTypes') {
      return { kind: 'answer', output: { InstanceTypes: names.map((InstanceType) => ({ InstanceType })) } }
    }
    if (action !== 'DescribeInstanceTypeOfferings' || refusals === 0) return undefined
    refusals -= 1
    return { kind: 'fail', error: new Error('throttled') }
  })
  const listed = () => world.cloud.instanceTypes.list(aNodeClass()).map(({ name }) => name)
  await world.world.start(instanceTypeController(world))
  await world.world.run(5_000)
  expect([world.countOf('ec2:DescribeInstanceTypes'), listed()]).toEqual([1, ['m5.large']])
  names.push('m98.large')
  await world.world.run(12 * hour - 10_000)
  expect([world.countOf('ec2:DescribeInstanceTypes'), listed()]).toEqual([1, ['m5.large']])
  await world.world.run(10_000)
  expect([world.countOf('ec2:DescribeInstanceTypes'), listed()]).toEqual([2, ['m5.large', 'm98.large']])
  names.push('m99.large')
  refusals = 2
  await world.world.run(12 * hour + 10_000)
  expect([world.countOf('ec2:DescribeInstanceTypes'), refusals, listed()]).toEqual([
    5,
    0,
    ['m5.large', 'm98.large', 'm99.large'],
  ])
})
