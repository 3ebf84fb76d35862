import { describe, expect, test } from 'vitest'
import type { NodeOverlay } from '../../../../../src/api/karpenter.ts'
import type { InstanceType } from '../../../../../src/model/instance-type.ts'
import { aNodeClass, anAWSWorld, archIs, type AWSWorld } from '../../../../support/aws-world.ts'

const offering = (types: readonly InstanceType[], name: string, zone: string, capacityType: string) =>
  types
    .find((type) => type.name === name)
    ?.offerings.find(
      (it) =>
        it.requirements.get('topology.kubernetes.io/zone')?.values.has(zone) &&
        it.requirements.get('karpenter.sh/capacity-type')?.values.has(capacityType),
    )
const isAvailable = (
  world: AWSWorld,
  name: string,
  zone: string,
  capacityType = 'on-demand',
  nodeClass = aNodeClass(),
) => offering(world.cloud.instanceTypes.list(nodeClass), name, zone, capacityType)?.available

describe('case 50: spot prices', () => {
  test('are the on-demand price until EC2 has told them, then only what it told', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const types = () => world.cloud.instanceTypes.list(aNodeClass())
    expect(offering(types(), 'm5.large', 'us-east-1b', 'spot')).toMatchObject({ price: 0.096, available: true })
    world.aws.faults.add((call) =>
      call.action === 'DescribeSpotPriceHistory'
        ? {
            kind: 'answer',
            output: {
              SpotPriceHistory: [
                { InstanceType: 'm5.large', AvailabilityZone: 'us-east-1a', SpotPrice: '0.03', Timestamp: new Date(0) },
              ],
            },
          }
        : undefined,
    )
    await world.drive(world.cloud.pricing.updateSpot())
    expect(offering(types(), 'm5.large', 'us-east-1a', 'spot')).toMatchObject({ price: 0.03, available: true })
    expect(offering(types(), 'm5.large', 'us-east-1b', 'spot')).toMatchObject({ price: 0, available: false })
  })
})

describe('case 51: a pool without capacity', () => {
  test('is left out for three minutes; other offerings and their objects stay', async () => {
    const world = await anAWSWorld({ types: ['m5.large', 'm5.xlarge'] })
    const before = world.cloud.instanceTypes.list(aNodeClass())
    world.cloud.unavailable.markPool({ instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand' }, 'ICE')
    expect(isAvailable(world, 'm5.large', 'us-east-1a')).toBe(false)
    expect(isAvailable(world, 'm5.large', 'us-east-1a', 'spot')).toBe(true)
    expect(isAvailable(world, 'm5.large', 'us-east-1b')).toBe(true)
    const after = world.cloud.instanceTypes.list(aNodeClass())
    const offeringsOf = (types: readonly InstanceType[]) => types.find((type) => type.name === 'm5.xlarge')?.offerings
    expect(offeringsOf(after)).toBe(offeringsOf(before))
    await world.world.run(179_000)
    expect(isAvailable(world, 'm5.large', 'us-east-1a')).toBe(false)
    await world.world.run(12_000)
    expect(isAvailable(world, 'm5.large', 'us-east-1a')).toBe(true)
  })

  test('a capacity type that is refused affects every type', async () => {
    const world = await anAWSWorld({ types: ['m5.large', 'm5.xlarge'] })
    world.cloud.unavailable.markCapacityType('spot')
    expect(isAvailable(world, 'm5.large', 'us-east-1a', 'spot')).toBe(false)
    expect(isAvailable(world, 'm5.xlarge', 'us-east-1c', 'spot')).toBe(false)
    expect(isAvailable(world, 'm5.xlarge', 'us-east-1c')).toBe(true)
  })

  test('the same list comes back while nothing changes', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const nodeClass = aNodeClass()
    expect(world.cloud.instanceTypes.list(nodeClass)).toBe(world.cloud.instanceTypes.list(nodeClass))
  })

  test('the same list comes back for as long as somebody asks for it now and then', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const nodeClass = aNodeClass()
    const first = world.cloud.instanceTypes.list(nodeClass)
    for (let minute = 0; minute < 60; minute += 1) {
      await world.world.run(60_000)
      expect(world.cloud.instanceTypes.list(nodeClass)).toBe(first)
    }
    await world.world.run(6 * 60_000)
    expect(world.cloud.instanceTypes.list(nodeClass)).not.toBe(first)
  })
})

test('case 52: a zone is out of addresses when each of its subnets is', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const nodeClass = aNodeClass(
    {},
    {
      status: {
        subnets: [
          { id: 's1', zone: 'us-east-1a' },
          { id: 's2', zone: 'us-east-1a' },
        ],
      },
    },
  )
  for (const [first, second] of [
    ['s1', 's2'],
    ['s2', 's1'],
  ] as const) {
    world.cloud.unavailable.markSubnet(first)
    expect(isAvailable(world, 'm5.large', 'us-east-1a', 'on-demand', nodeClass)).toBe(true)
    world.cloud.unavailable.markSubnet(second)
    expect(isAvailable(world, 'm5.large', 'us-east-1a', 'on-demand', nodeClass)).toBe(false)
    await world.world.run(195_000)
    expect(isAvailable(world, 'm5.large', 'us-east-1a', 'on-demand', nodeClass)).toBe(true)
  }
})

test('where the class has no subnet nothing is available, so capacity that ran out elsewhere is not taken for there', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const nodeClass = aNodeClass({}, { status: { subnets: [{ id: 's1', zone: 'us-east-1a' }] } })
  const available = (zone: string) => isAvailable(world, 'm5.large', zone, 'on-demand', nodeClass) === true
  expect([available('us-east-1a'), available('us-east-1b')]).toEqual([true, false])
  world.cloud.unavailable.markPool({ instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand' }, 'x')
  expect(world.cloud.catalogue.allZones.filter(available)).toEqual([])
})

test('case 53: what a class cannot use stays visible, unavailable', async () => {
  const world = await anAWSWorld()
  const types = (nodeClass = aNodeClass()) =>
    world.cloud.instanceTypes
      .list(nodeClass)
      .filter((type) => type.offerings.some((it) => it.available))
      .map((type) => type.name)
  expect(types()).not.toContain('a1.large')
  expect(types(aNodeClass({ amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] }))).toContain('a1.large')
  for (const connectionTracking of [{ udpTimeout: 30 }, { udpStreamTimeout: 60 }, { tcpEstablishedTimeout: 60 }]) {
    const tracked = types(aNodeClass({ connectionTracking }))
    expect(tracked).not.toContain('c4.large')
    expect(tracked).not.toContain('m5.metal')
    expect(tracked).toContain('m5.large')
  }
  expect(types(aNodeClass({ connectionTracking: {} }))).toEqual(types())
  expect(world.cloud.instanceTypes.list(aNodeClass()).map((type) => type.name)).toContain('a1.large')
})

test('the price of a NodeOverlay is found within five minutes, whenever it was last looked for', async () => {
  const overlays: NodeOverlay[] = []
  const world = await anAWSWorld({
    types: ['m5.large'],
    gates: { nodeOverlay: true },
    more: { nodeOverlays: () => overlays },
  })
  const told = { InstanceType: 'm5.large', AvailabilityZone: 'us-east-1a', SpotPrice: '0.03', Timestamp: new Date(0) }
  world.aws.faults.add((call) =>
    call.action === 'DescribeSpotPriceHistory' ? { kind: 'answer', output: { SpotPriceHistory: [told] } } : undefined,
  )
  await world.drive(world.cloud.pricing.updateSpot())
  const toPeriodEnd = 300_000 - (world.clock.monotonicMs() % 300_000)
  await world.world.run(toPeriodEnd - 10_000)
  const price = () => offering(world.cloud.instanceTypes.list(aNodeClass()), 'm5.large', 'us-east-1b', 'spot')?.price
  expect(price()).toBe(0)
  overlays.push({
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: 'priced', uid: 'priced', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      price: '0.05',
      requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] }],
    },
    status: {
      conditions: [{ type: 'ValidationSucceeded', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  })
  await world.world.run(20_000)
  expect(price()).toBe(0.05)
})

test('a zonal shift that was ended for one away from another zone does not go on', async () => {
  const world = await anAWSWorld({ types: ['m5.large'], settings: { enableZonalShift: true } })
  const { zonalShift } = world.cloud
  const { zonalShifts } = world.aws.state
  const told = async (...shifts: readonly [zone: string, status: string][]) => {
    zonalShifts.length = 0
    const expiresAt = world.clock.now() + 3_600_000
    zonalShifts.push(...shifts.map(([awayFrom, status]) => ({ awayFrom, expiresAt, status })))
    await world.drive(zonalShift.update())
    return zonalShift.shiftedZoneIDs()
  }
  expect(await told(['use1-az1', 'APPLIED'])).toEqual(['use1-az1'])
  expect(await told(['use1-az2', 'APPLIED'])).toEqual(['use1-az2'])
  expect(await told(['use1-az2', 'APPLIED'], ['use1-az2', 'NOT_APPLIED'])).toEqual(['use1-az2'])
  expect(await told(['use1-az2', 'NOT_APPLIED'])).toEqual([])
  expect(await told()).toEqual([])
})

test('an autoshift takes a zone out until ARC tells of it no more, or tells nothing for an hour', async () => {
  const world = await anAWSWorld({ types: ['m5.large'], settings: { enableZonalShift: true } })
  const { zonalShift } = world.cloud
  let autoshifts = [{ awayFrom: 'use1-az1', appliedStatus: 'APPLIED' }]
  world.aws.faults.add(({ action }) =>
    action === 'GetManagedResource' ? { kind: 'answer', output: { zonalShifts: [], autoshifts } } : undefined,
  )
  await world.drive(zonalShift.update())
  await world.world.run(3_599_000)
  expect(zonalShift.shiftedZoneIDs()).toEqual(['use1-az1'])
  await world.world.run(1_000)
  expect(zonalShift.shiftedZoneIDs()).toEqual([])
  await world.drive(zonalShift.update())
  expect(zonalShift.shiftedZoneIDs()).toEqual(['use1-az1'])
  autoshifts = [{ awayFrom: 'use1-az1', appliedStatus: 'NOT_APPLIED' }]
  await world.drive(zonalShift.update())
  expect(zonalShift.shiftedZoneIDs()).toEqual([])
})

test('case 54: a zonal shift takes a zone out and leaves its instances alone', async () => {
  const world = await anAWSWorld({ types: ['m5.large'], settings: { enableZonalShift: true } })
  const zoneID = world.aws.state.subnets[1]?.zoneID ?? ''
  const nodeClass = aNodeClass(
    {},
    {
      status: { subnets: world.aws.state.subnets.map(({ id, zone, zoneID: it }) => ({ id, zone, zoneID: it })) },
    },
  )
  world.aws.setZonalShift(zoneID, 600_000)
  await world.drive(world.cloud.zonalShift.update())
  expect(isAvailable(world, 'm5.large', 'us-east-1b', 'on-demand', nodeClass)).toBe(false)
  expect(isAvailable(world, 'm5.large', 'us-east-1a', 'on-demand', nodeClass)).toBe(true)
  world.cloud.instances.remember(
    {
      id: 'i-shifted',
      launchedAt: 0,
      state: 'running',
      imageID: 'ami-1',
      instanceType: 'm5.large',
      zone: 'us-east-1b',
      zoneID,
      capacityType: 'on-demand',
      reservation: undefined,
      tenancy: 'default',
      securityGroupIDs: [],
      subnetID: 'subnet-0b',
      tags: {},
      efaCount: 0,
      placementGroupID: undefined,
      partition: 0,
    },
    { name: 'c1', uid: 'c1' },
  )
  expect((await world.drive(world.cloud.instances.get('i-shifted', 'fresh'))).id).toBe('i-shifted')
  const error = await world.failure(world.cloud.instances.delete('i-shifted'))
  expect(error.message).toBe(
    `instance i-shifted is in zonally shifted availability zone us-east-1b (${zoneID}), skipping termination`,
  )
  expect((await world.failure(world.cloud.instances.createTags('i-shifted', { Name: 'n' }))).message).toBe(
    `instance i-shifted is in zonally shifted availability zone us-east-1b (${zoneID}), skipping tagging`,
  )
  await world.drive(world.cloud.instances.list())
  expect((await world.drive(world.cloud.instances.get('i-shifted'))).id).toBe('i-shifted')
  expect(world.countOf('ec2:TerminateInstances')).toBe(0)
  expect(world.countOf('ec2:CreateTags')).toBe(0)
})

test('case 49: memory that nodes have shown replaces the estimate, until the image changes', async () => {
  const world = await anAWSWorld({ types: ['t3.medium'] })
  const memory = (nodeClass = aNodeClass()) =>
    world.cloud.instanceTypes.get(nodeClass, 't3.medium')?.capacity.get('memory')?.toString()
  const amis = aNodeClass().status?.amis ?? []
  const mebi = 1024n * 1024n
  const estimate = `${4096 - Math.ceil(4096 * 0.075)}Mi`
  expect(memory()).toBe(estimate)
  world.cloud.discoveredMemory.observe('t3.medium', amis, 3840n * mebi)
  expect(memory()).toBe('3840Mi')
  world.cloud.discoveredMemory.observe('t3.medium', amis, 3900n * mebi)
  expect(memory()).toBe('3840Mi')
  const other = aNodeClass({}, { status: { amis: [{ id: 'ami-new', name: 'new', requirements: [archIs('amd64')] }] } })
  expect(memory(other)).toBe(estimate)
})

test('what nodes show of one type leaves all others as they are: after a start every node tells of its own', async () => {
  const world = await anAWSWorld({ types: ['m5.large', 't3.large', 't3.medium'] })
  const nodeClass = aNodeClass()
  const amis = nodeClass.status?.amis ?? []
  const list = () => world.cloud.instanceTypes.list(nodeClass)
  const before = list()
  world.cloud.discoveredMemory.observe('t3.large', amis, 7_500_000_000n)
  const after = list()
  expect(after.map((type, index) => type === before[index])).toEqual([true, false, true])
  expect(after[1]?.capacity.get('memory')?.units).toBe(7_500_000_000n)
  // What a node of another image shows changes nothing here.
  world.cloud.discoveredMemory.observe('m5.large', [], 7_000_000_000n)
  expect(list()).toBe(after)
})

test('a type of which a pool ran out is another one, all others stay the same objects', async () => {
  const world = await anAWSWorld({ types: ['m5.large', 't3.medium'] })
  const nodeClass = aNodeClass()
  const before = world.cloud.instanceTypes.list(nodeClass)
  world.cloud.unavailable.markPool({ instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' }, 'ICE')
  const after = world.cloud.instanceTypes.list(nodeClass)
  expect(after.map((type, index) => type === before[index])).toEqual([false, true])
})

test('classes that differ in their subnets alone each keep their list', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const inSubnet = (id: string) => aNodeClass({}, { status: { subnets: [{ id, zone: 'us-east-1a' }] } })
  const first = world.cloud.instanceTypes.list(inSubnet('private'))
  world.cloud.instanceTypes.list(inSubnet('public'))
  expect(world.cloud.instanceTypes.list(inSubnet('private'))).toBe(first)
})

test('processors and memory are published as EC2 tells them, whatever nodes have shown', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const nodeClass = aNodeClass()
  world.cloud.discoveredMemory.observe('m5.large', nodeClass.status?.amis ?? [], 7_000_000_000n)
  world.cloud.instanceTypes.list(nodeClass)
  const value = (name: string) =>
    world.counts.observed(`karpenter_cloudprovider_instance_type_${name}`, { instance_type: 'm5.large' })
  expect([value('cpu_cores'), value('memory_bytes')]).toEqual([[2], [8 * 2 ** 30]])
})

test('a kubelet expression that comes to nothing is left out for the types where it does, and told of those', async () => {
  const world = await anAWSWorld({ types: ['m5.large', 'm5.4xlarge'], gates: { nodeClassCEL: true } })
  const types = world.cloud.instanceTypes.list(aNodeClass({ kubelet: { systemReserved: { cpu: '(vcpus - 4) * 10' } } }))
  expect(types.map(({ overhead }) => overhead.systemReserved.get('cpu')?.toString())).toEqual(['120m', undefined])
  const told = world.log.lines.filter(({ message }) => message.startsWith('dropping kubelet expressions'))
  expect(told.map(({ fields }) => [fields['instance-type'], fields['fields']])).toEqual([
    ['m5.large', ['systemReserved[cpu]']],
  ])
})

test('a refresh of more than 700 types takes less than 300 ms of CPU', async () => {
  const { catalogue } = await import('../../../../../src/embedded/aws/catalogue.ts')
  const names = [...catalogue().keys()].slice(0, 900)
  const world = await anAWSWorld({ types: names })
  expect(world.cloud.catalogue.types.size).toBeGreaterThan(700)
  world.cloud.instanceTypes.list(aNodeClass())
  world.cloud.instanceTypes.flush()
  const before = process.cpuUsage()
  const types = world.cloud.instanceTypes.list(aNodeClass({ ipPrefixCount: 1 }))
  const { user, system } = process.cpuUsage(before)
  expect(types.length).toBe(world.cloud.catalogue.types.size)
  expect((user + system) / 1_000).toBeLessThan(300)
})
