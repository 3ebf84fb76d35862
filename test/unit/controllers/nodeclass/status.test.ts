import { describe, expect, test } from 'vitest'
import { AWSError } from '../../../../src/embedded/aws/errors.ts'
import type { Fault } from '../../../../src/embedded/aws/faults.ts'
import { publishImages } from '../../../../src/embedded/aws/images.ts'
import { rowOf } from '../../../../src/controllers/event-table.ts'
import { ec2NodeClasses } from '../../../../src/kube/karpenter-kinds.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { aNodeClassWorld, type NodeClassWorld } from '../../../support/node-class-world.ts'
import { aReservation } from '../../../support/reservation-record.ts'

const isTrue = (type: string) => ({ status: 'True', reason: type, message: '' })

describe('a class that selects what is there', () => {
  test('becomes ready, with everything resolved and a finalizer', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    const { status, metadata } = await world.read()
    expect(metadata.finalizers).toEqual(['karpenter.k8s.aws/termination'])
    // Without its id a zone would not be known as one that traffic is shifted away from.
    expect(status?.subnets).toEqual(world.aws.state.subnets.map(({ id, zone, zoneID }) => ({ id, zone, zoneID })))
    expect(status?.securityGroups).toEqual([{ id: 'sg-1', name: 'nodes' }])
    expect(status?.amis).toHaveLength(5)
    expect(status?.instanceProfile).toMatch(/^demo_\d+$/)
    expect(status).not.toHaveProperty('capacityReservations')
    const conditions = status?.conditions ?? []
    expect(conditions.map((it) => it.type).toSorted()).toEqual([
      'AMIsReady',
      'CapacityReservationsReady',
      'InstanceProfileReady',
      'PlacementGroupReady',
      'Ready',
      'SecurityGroupsReady',
      'SubnetsReady',
      'ValidationSucceeded',
    ])
    expect(conditions.at(-1)?.type).toBe('Ready')
    for (const condition of conditions)
      expect(condition).toMatchObject({ ...isTrue(condition.type), observedGeneration: 1 })
  })

  test('has no reservation condition and makes no reservation call with the gate off', async () => {
    const world = await aNodeClassWorld({ gates: { reservedCapacity: false } })
    await world.create({ capacityReservationSelectorTerms: [{ id: 'cr-1' }] })
    expect(await world.condition('CapacityReservationsReady')).toBeUndefined()
    expect(await world.condition('Ready')).toEqual(isTrue('Ready'))
    expect(world.countOf('ec2:DescribeCapacityReservations')).toBe(0)
  })

  test('keeps quiet while nothing changes', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    const { resourceVersion } = (await world.read()).metadata
    await world.run(600_000)
    expect((await world.read()).metadata.resourceVersion).toBe(resourceVersion)
  })

  test('does not answer another process that orders subnets differently at once: during a handover neither would end', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    const ids = async () => (await world.read()).status?.subnets?.map(({ id }) => id)
    const before = await ids()
    const subnets = (await world.read()).status?.subnets?.toReversed()
    await world.kube.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body: { status: { subnets } } })
    await world.run(5_000)
    expect(await ids()).toEqual(before?.toReversed())
    await world.run(120_000)
    expect(await ids()).toEqual(before)
  })

  test('nor one that knows another image of the alias', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    const ids = async () => (await world.read()).status?.amis?.map(({ id }) => id)
    const before = await ids()
    const amis = (await world.read()).status?.amis?.map((ami) => ({ ...ami, id: 'ami-other' }))
    await world.kube.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body: { status: { amis } } })
    await world.run(5_000)
    expect(await ids()).toEqual(before?.map(() => 'ami-other'))
    await world.run(120_000)
    expect(await ids()).toEqual(before)
  })
})

describe('what is not there', () => {
  test('case 4: no subnet is told, and a tag added later heals it within a minute', async () => {
    const world = await aNodeClassWorld()
    for (const subnet of world.aws.state.subnets) subnet.tags = {}
    await world.create()
    expect(await world.condition('SubnetsReady')).toEqual({
      status: 'False',
      reason: 'SubnetsNotFound',
      message: 'SubnetSelector did not match any Subnets',
    })
    const ready = await world.condition('Ready')
    expect(ready).toMatchObject({ status: 'False', reason: 'UnhealthyDependents' })
    expect(ready?.message).toContain('SubnetsReady=False')
    expect((await world.read()).status).not.toHaveProperty('subnets')
    expect(await world.condition('ValidationSucceeded')).toEqual({
      status: 'False',
      reason: 'DependenciesNotReady',
      message: 'Awaiting AMI, Instance Profile, Security Group, and Subnet resolution',
    })
    for (const subnet of world.aws.state.subnets) subnet.tags = { 'karpenter.sh/discovery': 'demo' }
    await world.run(61_000)
    expect(await world.condition('Ready')).toEqual(isTrue('Ready'))
  })

  test.each([
    [
      'SecurityGroupsReady',
      { securityGroupSelectorTerms: [{ id: 'sg-9' }] },
      'SecurityGroupsNotFound',
      'SecurityGroupSelector did not match any SecurityGroups',
    ],
    [
      'AMIsReady',
      { amiFamily: 'AL2023', amiSelectorTerms: [{ id: 'ami-9' }] },
      'AMINotFound',
      'AMISelector did not match any AMIs',
    ],
    [
      'PlacementGroupReady',
      { placementGroupSelector: { name: 'web' } },
      'PlacementGroupNotFound',
      'Placement group "web" not found',
    ],
  ] as const)('%s says so', async (type, spec, reason, message) => {
    const world = await aNodeClassWorld()
    await world.create(structuredClone(spec) as never)
    expect(await world.condition(type)).toEqual({ status: 'False', reason, message })
  })

  // EC2 has an answer without groups for one that is not available yet, and an error for one that it does not know.
  test.each([
    ['not available', { PlacementGroups: [] }],
    ['unknown', undefined],
  ])(
    'case 20: a group that is %s is not found; removing the selector makes the condition true',
    async (_how, output) => {
      const world = await aNodeClassWorld()
      world.aws.faults.add((call) =>
        call.action === 'DescribePlacementGroups' && output !== undefined ? { kind: 'answer', output } : undefined,
      )
      await world.create({ placementGroupSelector: { id: 'pg-1' } })
      expect(await world.condition('PlacementGroupReady')).toMatchObject({
        reason: 'PlacementGroupNotFound',
        message: 'Placement group "pg-1" not found',
      })
      await world.change({ placementGroupSelector: null }, 2)
      expect(await world.condition('PlacementGroupReady')).toEqual(isTrue('PlacementGroupReady'))
    },
  )

  test('a placement group that cannot be asked for', async () => {
    const world = await aNodeClassWorld()
    world.aws.deny('ec2:DescribePlacementGroups')
    await world.create({ placementGroupSelector: { name: 'web' } })
    expect(await world.condition('PlacementGroupReady')).toEqual({
      status: 'False',
      reason: 'PlacementGroupResolutionFailed',
      message: 'Failed to resolve placement group',
    })
  })

  test('case 15: an alias without any parameter leaves the condition as it was', async () => {
    const world = await aNodeClassWorld()
    world.aws.state.parameters = {}
    await world.create()
    expect(await world.condition('AMIsReady')).toMatchObject({ status: 'Unknown', reason: 'AwaitingReconciliation' })
  })

  test('case 16: an unsupported alias is told and not tried again', async () => {
    const world = await aNodeClassWorld()
    await world.create({ amiSelectorTerms: [{ alias: 'al2@latest' }] })
    expect(await world.condition('AMIsReady')).toMatchObject({ status: 'False', reason: 'UnsupportedAlias' })
    expect((await world.condition('AMIsReady'))?.message).toMatch(
      /^getting AMI queries, AL2 aliases are no longer supported on EKS 1\.33\+/,
    )
    const before = world.calls.length
    await world.run(300_000)
    expect(world.calls.length).toBe(before)
  })

  test('an alias that the cluster was too old for is looked at again once the cluster is upgraded', async () => {
    const world = await aNodeClassWorld({ version: '1.34' })
    await world.create({ amiSelectorTerms: [{ alias: 'windows2025@latest' }] })
    expect(await world.condition('AMIsReady')).toMatchObject({ status: 'False', reason: 'UnsupportedAlias' })
    world.aws.faults.add(({ action }) =>
      action === 'DescribeCluster' ? { kind: 'answer', output: { cluster: { version: '1.35' } } } : undefined,
    )
    publishImages(world.aws.account, 'windows2025', { kubernetesVersion: '1.35', version: 'v20260101' })
    await world.cloud.version.update()
    await world.run(2_000)
    expect(await world.condition('AMIsReady')).toEqual(isTrue('AMIsReady'))
  })

  test('an alias of two versions, which admission takes, is told likewise', async () => {
    const world = await aNodeClassWorld()
    await world.create({ amiSelectorTerms: [{ alias: 'al2023@v1@v2' }] })
    expect(await world.condition('AMIsReady')).toEqual({
      status: 'False',
      reason: 'UnsupportedAlias',
      message: 'getting AMI queries, the alias "al2023@v1@v2" has more than one @',
    })
    expect(world.countOf('ssm:GetParameter')).toBe(0)
    await world.change({ amiSelectorTerms: [{ alias: 'al2023@latest' }] }, 2)
    expect(await world.condition('AMIsReady')).toEqual(isTrue('AMIsReady'))
  })

  const causes: Record<string, { hinder: (world: NodeClassWorld) => void; spec?: object; want: string }> = {
    'an alias of a version that there is not': {
      hinder: ({ aws }) => void (aws.state.parameters = {}),
      want: 'AMIsReady cannot be told, failed to discover any AMIs for alias',
    },
    'a role that there is not': {
      hinder: () => undefined,
      spec: { role: 'nobody' },
      want: 'InstanceProfileReady cannot be told, role not found, NoSuchEntity: ',
    },
    'a permission that is missing': {
      hinder: ({ aws }) => aws.deny('ec2:DescribeSubnets'),
      want: 'SubnetsReady cannot be told, You are not authorized to perform this operation',
    },
    'a placement group that EC2 does not tell of': {
      hinder: ({ aws }) => aws.deny('ec2:DescribePlacementGroups'),
      spec: { placementGroupSelector: { name: 'web' } },
      want: 'PlacementGroupReady cannot be told, resolving placement group, ',
    },
    'a service network that EKS does not tell': {
      hinder: ({ aws }) => aws.deny('eks:DescribeCluster'),
      want: 'ValidationSucceeded cannot be told, detecting cluster CIDR, ',
    },
  }
  test.each(Object.entries(causes))('%s stands in an event: the condition has no word for it', async (_name, cause) => {
    const world = await aNodeClassWorld()
    cause.hinder(world)
    await world.create(cause.spec)
    const told = world.recorder.published.filter(({ reason }) => reason === 'ResolutionFailed')
    expect(told[0]?.message).toContain(cause.want)
    for (const { reason, type, object, message } of told) {
      expect(rowOf({ reason, type, kind: object.kind, message })).toBeDefined()
      expect(message).toBe(told[0]?.message)
    }
  })

  test('what is known for the present generation needs no event when EC2 does not answer now', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    world.aws.deny('ec2:DescribeSubnets')
    await world.run(120_000)
    expect(world.world.logged('Reconciler error')).not.toEqual([])
    expect(world.recorder.published.filter(({ reason }) => reason === 'ResolutionFailed')).toEqual([])
    await world.change({ tags: { team: 'web' } }, 2)
    expect(world.recorder.published.map(({ reason }) => reason)).toContain('ResolutionFailed')
  })

  test('a failing step does not stop the later ones', async () => {
    const world = await aNodeClassWorld()
    world.aws.deny('ec2:DescribeSubnets')
    await world.create()
    expect(await world.condition('SubnetsReady')).toMatchObject({ status: 'Unknown' })
    expect(await world.condition('SecurityGroupsReady')).toEqual(isTrue('SecurityGroupsReady'))
    expect(await world.condition('InstanceProfileReady')).toEqual(isTrue('InstanceProfileReady'))
    expect(await world.condition('ValidationSucceeded')).toMatchObject({
      status: 'Unknown',
      reason: 'DependenciesNotReady',
    })
  })
})

test('case 18: a capacity block is expiring forty minutes before its end, a default reservation never', async () => {
  const world = await aNodeClassWorld()
  const ending = { endAt: world.clock.now() + 39 * 60_000, tags: { a: 'b' } }
  world.aws.state.reservations.push(
    aReservation({ id: 'cr-1', type: 'capacity-block', ...ending }),
    aReservation({ id: 'cr-2', ...ending }),
  )
  await world.create({ capacityReservationSelectorTerms: [{ tags: { a: 'b' } }] })
  const { status } = await world.read()
  expect(status?.capacityReservations).toMatchObject([
    {
      id: 'cr-1',
      reservationType: 'capacity-block',
      state: 'expiring',
      instanceMatchCriteria: 'targeted',
      availabilityZone: 'us-east-1a',
    },
    { id: 'cr-2', reservationType: 'default', state: 'active', interruptible: false },
  ])
  const type = world.cloud.instanceTypes.get(await world.read(), 'm5.large')
  const reserved = type?.offerings.filter((it) => it.reservationCapacity !== undefined)
  expect(
    reserved?.map((it) => [
      [...(it.requirements.get('karpenter.k8s.aws/capacity-reservation-id')?.values ?? [])][0],
      it.available,
    ]),
  ).toEqual([
    ['cr-1', false],
    ['cr-2', true],
  ])
})

describe('instance profiles', () => {
  const noSuchProfile = new AWSError('NoSuchEntityException', 'Instance Profile x cannot be found.', {
    service: 'IAM',
    code: 'NoSuchEntity',
    status: 404,
  })
  test('case 21: a profile is made for the role', async () => {
    const world = await aNodeClassWorld()
    await world.create({ role: 'r1', tags: { team: 'core' } })
    const [created] = world.callsOf('iam:CreateInstanceProfile')
    expect(created?.Path).toBe('/karpenter/us-east-1/demo/class-uid/')
    expect(created?.InstanceProfileName).toMatch(/^demo_\d+$/)
    expect(Object.fromEntries((created?.Tags ?? []).map(({ Key, Value }) => [Key, Value]))).toEqual({
      team: 'core',
      'kubernetes.io/cluster/demo': 'owned',
      'eks:eks-cluster-name': 'demo',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
      'topology.kubernetes.io/region': 'us-east-1',
    })
    expect(world.callsOf('iam:AddRoleToInstanceProfile').map((it) => it.RoleName)).toEqual(['r1'])
    expect((await world.read()).status?.instanceProfile).toBe(created?.InstanceProfileName)
  })

  test('case 22: a changed role gets a new profile, and the old one is protected', async () => {
    const world = await aNodeClassWorld()
    await world.create({ role: 'r1' })
    const old = (await world.read()).status?.instanceProfile ?? ''
    // While it is new, it is protected in any case.
    await world.run(3_601_000)
    expect(world.cloud.instanceProfiles.isProtected(old)).toBe(false)
    await world.change({ role: 'r2' }, 2)
    const now = (await world.read()).status?.instanceProfile ?? ''
    expect(now).not.toBe(old)
    expect(world.cloud.instanceProfiles.isProtected(old)).toBe(true)
    await world.run(3_601_000)
    expect(world.cloud.instanceProfiles.isProtected(old)).toBe(false)
    expect(world.aws.state.instanceProfiles.map((it) => [it.name, it.roles])).toEqual([
      [old, ['r1']],
      [now, ['r2']],
    ])
  })

  test('a profile that the user gives protects the one made for the role before, and needs no protection itself', async () => {
    const world = await aNodeClassWorld()
    await world.create({ role: 'r1' })
    const old = (await world.read()).status?.instanceProfile ?? ''
    await world.run(3_601_000)
    await world.change({ role: null, instanceProfile: 'given' }, 2)
    expect((await world.read()).status?.instanceProfile).toBe('given')
    await world.change({ tags: { team: 'core' } }, 3)
    expect(['given', old].map((name) => world.cloud.instanceProfiles.isProtected(name))).toEqual([false, true])
  })

  test('case 23: the path of a role is not sent', async () => {
    const world = await aNodeClassWorld()
    await world.create({ role: 'path/to/r1' })
    expect(world.callsOf('iam:AddRoleToInstanceProfile').map((it) => it.RoleName)).toEqual(['r1'])
    await world.run(300_000)
    expect(world.countOf('iam:CreateInstanceProfile')).toBe(1)
  })

  test('case 24: a missing role undoes the profile and is not tried again for a minute', async () => {
    const world = await aNodeClassWorld()
    await world.create({ role: 'nobody' })
    expect(world.aws.state.instanceProfiles).toEqual([])
    expect(await world.condition('InstanceProfileReady')).toMatchObject({ status: 'Unknown' })
    expect(world.countOf('iam:CreateInstanceProfile')).toBe(1)
    await world.run(50_000)
    expect(world.countOf('iam:CreateInstanceProfile')).toBe(1)
    world.aws.state.roles.push('nobody')
    await world.run(75_000)
    expect(await world.condition('InstanceProfileReady')).toEqual(isTrue('InstanceProfileReady'))
  })

  test('case 25: a lost status write does not make a second profile', async () => {
    const world = await aNodeClassWorld()
    let refused = 0
    world.kube.fault = ({ operation, resource }) => {
      if (operation !== 'patch' || resource !== 'ec2nodeclasses') return
      // The first patch adds the finalizer, the second writes the status.
      refused += 1
      if (refused === 2) throw new KubeError('Conflict', 409, 'the object has been modified')
    }
    await world.create({ role: 'r1' })
    await world.run(5_000)
    expect(refused).toBeGreaterThan(2)
    expect(world.countOf('iam:CreateInstanceProfile')).toBe(1)
    expect((await world.read()).status?.instanceProfile).toMatch(/^demo_/)
  })

  test.each([
    ['the profile', (): Fault => ({ kind: 'fail', error: noSuchProfile })],
    [
      'its role',
      (): Fault => ({
        kind: 'change',
        by: (output) => ({
          InstanceProfile: { ...(output as { InstanceProfile: object }).InstanceProfile, Roles: [] },
        }),
      }),
    ],
  ])('IAM, which does not show %s at once, makes no second one', async (_what, fault) => {
    const world = await aNodeClassWorld()
    const stop = world.aws.faults.add(({ action }) => (action === 'GetInstanceProfile' ? fault() : undefined))
    world.aws.faults.add(({ action }) =>
      action === 'RunInstances' && world.clock.monotonicMs() < 10_000
        ? { kind: 'fail', error: new AWSError('InvalidParameterValue', 'Invalid IAM Instance Profile name') }
        : undefined,
    )
    await world.create({ role: 'r1' })
    await world.run(20_000)
    stop()
    await world.run(300_000)
    expect(world.countOf('iam:CreateInstanceProfile')).toBe(1)
    expect(await world.condition('ValidationSucceeded')).toEqual(isTrue('ValidationSucceeded'))
  })

  test('case 26: a given profile is used as it is, without any call to IAM, also when the class goes', async () => {
    const world = await aNodeClassWorld()
    const foreign = { name: 'p', path: '/', roles: ['r1'], tags: {}, createdAt: 0 }
    world.aws.state.instanceProfiles.push(foreign)
    await world.create({ role: undefined, instanceProfile: 'p' } as never)
    expect((await world.read()).status?.instanceProfile).toBe('p')
    expect(world.calls.filter((call) => call.name.startsWith('iam:'))).toEqual([])
    await world.kube.delete(ec2NodeClasses, { name: 'default' })
    await world.run(5_000)
    expect(await world.world.exists(ec2NodeClasses, { name: 'default' })).toBe(false)
    expect(world.aws.state.instanceProfiles).toEqual([foreign])
  })
})
