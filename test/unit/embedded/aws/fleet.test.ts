import { expect, test } from 'vitest'
import { aFleet, anAccount, aTemplate } from './world.ts'
import { aReservation } from '../../../support/reservation-record.ts'

async function withTemplate(data = {}) {
  const world = anAccount()
  await world.ec2.createLaunchTemplate(aTemplate(world.image, data))
  return world
}

test('the cheapest on-demand pool is launched and described with its tags', async () => {
  const { ec2 } = await withTemplate()
  const fleet = await ec2.createFleet(
    aFleet([
      ['m5.large', 0],
      ['t3.medium', 1],
    ]),
  )
  expect(fleet.Errors).toEqual([])
  expect(fleet.Instances).toMatchObject([
    { InstanceType: 't3.medium', SubnetId: 'subnet-1', AvailabilityZone: 'us-east-1b', Lifecycle: 'on-demand' },
  ])
  const id = fleet.Instances?.[0]?.InstanceIds?.[0] ?? ''
  expect(id).toMatch(/^i-0[0-9a-f]{16}$/)
  const described = await ec2.describeInstances({ Filters: [{ Name: 'tag-key', Values: ['karpenter.sh/nodepool'] }] })
  expect(described.Reservations?.[0]?.Instances?.[0]).toMatchObject({
    InstanceId: id,
    State: { Name: 'pending' },
    Placement: { AvailabilityZone: 'us-east-1b', AvailabilityZoneId: 'use1-az1' },
    Tags: [{ Key: 'karpenter.sh/nodepool', Value: 'web' }],
  })
})

test('a pool without capacity is reported and the next one is used', async () => {
  const { aws, ec2 } = await withTemplate()
  aws.setCapacity({ type: 't3.medium', zone: 'us-east-1b' }, 0)
  const fleet = await ec2.createFleet(
    aFleet([
      ['m5.large', 0],
      ['t3.medium', 1],
    ]),
  )
  expect(fleet.Instances).toMatchObject([{ InstanceType: 'm5.large' }])
  expect(fleet.Errors).toMatchObject([
    {
      ErrorCode: 'InsufficientInstanceCapacity',
      LaunchTemplateAndOverrides: { Overrides: { InstanceType: 't3.medium', SubnetId: 'subnet-1' } },
    },
  ])
})

test('capacity may suffice for a part of what was asked', async () => {
  const { aws, ec2 } = await withTemplate()
  aws.setCapacity({ type: 'm5.large' }, 2)
  const fleet = await ec2.createFleet(aFleet([['m5.large', 0]], { count: 5 }))
  expect(fleet.Instances?.flatMap((item) => item.InstanceIds ?? [])).toHaveLength(2)
  expect(fleet.Errors).toHaveLength(1)
})

test('without any capacity there are only errors, in an answer that succeeds', async () => {
  const { aws, ec2 } = await withTemplate()
  aws.setCapacity({}, 0)
  const fleet = await ec2.createFleet(
    aFleet(
      [
        ['m5.large', 0],
        ['m5.large', 1],
      ],
      { capacityType: 'spot' },
    ),
  )
  expect(fleet.Instances).toEqual([])
  expect(fleet.Errors?.map(({ ErrorCode }) => ErrorCode)).toEqual(['UnfulfillableCapacity', 'UnfulfillableCapacity'])
})

test('a terminated instance gives its place back', async () => {
  const { aws, clock, ec2 } = await withTemplate()
  aws.setCapacity({ type: 'm5.large' }, 1)
  const first = await ec2.createFleet(aFleet([['m5.large', 0]]))
  const id = first.Instances?.[0]?.InstanceIds?.[0] ?? ''
  expect((await ec2.createFleet(aFleet([['m5.large', 0]]))).Instances).toEqual([])
  await ec2.terminateInstances({ InstanceIds: [id] })
  await clock.run({ forMs: 60_000 })
  expect((await ec2.createFleet(aFleet([['m5.large', 0]]))).Instances).toHaveLength(1)
})

test('a spot instance carries its request and lifecycle', async () => {
  const { ec2 } = await withTemplate()
  await ec2.createFleet(aFleet([['m5.large', 0]], { capacityType: 'spot' }))
  const described = await ec2.describeInstances({})
  expect(described.Reservations?.[0]?.Instances?.[0]).toMatchObject({
    InstanceLifecycle: 'spot',
    SpotInstanceRequestId: expect.stringMatching(/^sir-/),
  })
})

test.each([
  ['prioritized', [1, 0.5], 't3.medium'],
  ['prioritized', [0.5, 1], 'm5.large'],
  ['lowest-price', [0.5, 1], 't3.medium'],
] as const)('strategy %s with priorities %j picks %s', async (strategy, priorities, picked) => {
  const { ec2 } = await withTemplate()
  const fleet = aFleet(
    [
      ['m5.large', 0],
      ['t3.medium', 0],
    ],
    { OnDemandOptions: { AllocationStrategy: strategy } },
  )
  for (const [index, override] of (fleet.LaunchTemplateConfigs?.[0]?.Overrides ?? []).entries()) {
    override.Priority = priorities[index] ?? 0
  }
  expect((await ec2.createFleet(fleet)).Instances?.[0]?.InstanceType).toBe(picked)
})

test('a missing launch template fails the call', async () => {
  const { ec2 } = anAccount()
  await expect(ec2.createFleet(aFleet([['m5.large', 0]]))).rejects.toMatchObject({
    name: 'InvalidLaunchTemplateName.NotFoundException',
  })
})

test.each([
  ['an unknown instance profile', { IamInstanceProfile: { Name: 'nope' } }, 'InvalidParameterValue'],
  ['an unknown image', { ImageId: 'ami-0000' }, 'InvalidAMIID.NotFound'],
  ['a malformed image id', { ImageId: 'x' }, 'InvalidAMIID.Malformed'],
  ['an unknown security group', { NetworkInterfaces: [{ Groups: ['sg-9'] }] }, 'InvalidGroup.NotFound'],
])('%s is an error of the item', async (_what, data, code) => {
  const { ec2 } = await withTemplate(data)
  const fleet = await ec2.createFleet(aFleet([['m5.large', 0]]))
  expect(fleet.Instances).toEqual([])
  expect(fleet.Errors?.[0]?.ErrorCode).toBe(code)
})

test('an image of another architecture, and a zone without the type, are refused', async () => {
  const { ec2 } = await withTemplate()
  const arm = await ec2.createFleet(aFleet([['c6g.large', 0]]))
  expect(arm.Errors?.[0]?.ErrorMessage).toContain('does not match the architecture')
  // us-east-1c lacks m5.large.
  const zone = await ec2.createFleet(
    aFleet([
      ['g4dn.metal', 2],
      ['p4d.24xlarge', 0],
    ]),
  )
  expect(zone.Instances?.length).toBeLessThanOrEqual(1)
})

test('a subnet without free addresses is an error, and instances take addresses', async () => {
  const { aws, ec2 } = await withTemplate()
  const subnet = aws.state.subnets[0]
  if (subnet !== undefined) subnet.addresses = 1
  await ec2.createFleet(aFleet([['m5.large', 0]]))
  const described = await ec2.describeSubnets({ SubnetIds: ['subnet-0'] })
  expect(described.Subnets?.[0]?.AvailableIpAddressCount).toBe(0)
  const fleet = await ec2.createFleet(aFleet([['m5.large', 0]]))
  expect(fleet.Errors?.[0]?.ErrorCode).toBe('InsufficientFreeAddressesInSubnet')
})

test('without the service-linked role no spot instance is launched', async () => {
  const { aws, ec2 } = await withTemplate()
  aws.state.spotServiceLinkedRole = false
  const fleet = await ec2.createFleet(aFleet([['m5.large', 0]], { capacityType: 'spot' }))
  expect(fleet.Errors?.[0]?.ErrorCode).toBe('AuthFailure.ServiceLinkedRoleCreationNotPermitted')
})

test('quotas of vCPUs are kept per capacity type', async () => {
  const { aws, ec2 } = await withTemplate()
  aws.state.vcpuLimits = { 'on-demand': 3, spot: 1 }
  expect((await ec2.createFleet(aFleet([['m5.large', 0]], { count: 2 }))).Errors?.[0]?.ErrorCode).toBe(
    'VcpuLimitExceeded',
  )
  const spot = await ec2.createFleet(aFleet([['m5.large', 0]], { capacityType: 'spot' }))
  expect(spot.Errors?.[0]?.ErrorCode).toBe('MaxSpotInstanceCountExceeded')
})

test('the same client token gives the same instances once, and another request with it is refused', async () => {
  const { aws, ec2 } = await withTemplate()
  const request = aFleet([['m5.large', 0]], { ClientToken: 'one' })
  const [first, second] = [await ec2.createFleet(request), await ec2.createFleet(request)]
  expect(second).toEqual(first)
  expect(aws.state.instances).toHaveLength(1)
  await expect(ec2.createFleet({ ...request, Context: 'x' })).rejects.toMatchObject({
    name: 'IdempotentParameterMismatch',
  })
})

test('a reservation is used up, then exceeded', async () => {
  const { aws, ec2 } = await withTemplate({
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: 'cr-1' },
    },
  })
  aws.state.reservations.push(aReservation({ id: 'cr-1', zoneID: 'use1-az6', ownerID: aws.account.id, total: 1 }))
  expect((await ec2.createFleet(aFleet([['m5.large', 0]]))).Instances).toHaveLength(1)
  const left = await ec2.describeCapacityReservations({ CapacityReservationIds: ['cr-1'] })
  expect(left.CapacityReservations?.[0]?.AvailableInstanceCount).toBe(0)
  expect((await ec2.createFleet(aFleet([['m5.large', 0]]))).Errors?.[0]?.ErrorCode).toBe('ReservationCapacityExceeded')
  const described = await ec2.describeInstances({})
  expect(described.Reservations?.[0]?.Instances?.[0]).toMatchObject({
    CapacityReservationId: 'cr-1',
    CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
  })
})

test('a spread placement group holds seven instances per zone', async () => {
  const { aws, ec2 } = await withTemplate({ Placement: { GroupId: 'pg-1' } })
  aws.state.placementGroups.push({ id: 'pg-1', name: 'apart', strategy: 'spread', tags: {} })
  const fleet = await ec2.createFleet(aFleet([['m5.large', 0]], { count: 8 }))
  expect(fleet.Instances?.flatMap((item) => item.InstanceIds ?? [])).toHaveLength(7)
  expect(fleet.Errors?.[0]?.ErrorMessage).toContain('limit of instances in this spread placement group')
})

test('dry runs end in DryRunOperation, or in what is wrong', async () => {
  const { aws, ec2 } = await withTemplate()
  await expect(ec2.createFleet({ ...aFleet([['m5.large', 0]]), DryRun: true })).rejects.toMatchObject({
    name: 'DryRunOperation',
  })
  const run = {
    DryRun: true,
    MinCount: 1,
    MaxCount: 1,
    InstanceType: 'm5.large' as const,
    LaunchTemplate: { LaunchTemplateName: 'karpenter.k8s.aws/1', Version: '$Latest' },
    NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: 'subnet-0' }],
  }
  await expect(ec2.runInstances(run)).rejects.toMatchObject({ name: 'DryRunOperation' })
  aws.state.instanceProfiles = []
  await expect(ec2.runInstances(run)).rejects.toMatchObject({
    name: 'InvalidParameterValue',
    message: expect.stringContaining('Invalid IAM Instance Profile name'),
  })
  const allow = aws.deny('ec2:CreateFleet')
  await expect(ec2.createFleet({ ...aFleet([['m5.large', 0]]), DryRun: true })).rejects.toMatchObject({
    name: 'UnauthorizedOperation',
  })
  allow()
})
