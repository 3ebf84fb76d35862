import { describe, expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import {
  aLaunchClaim,
  aNodeClass,
  type AWSWorld,
  aWebPool,
  capacityIn,
  isIn,
  typeIn,
} from '../../../support/aws-world.ts'
import { aLaunchWorld, failFleets, fleetError } from '../../../support/launch-world.ts'

const groupKey = 'karpenter.k8s.aws/placement-group-id'
const partitionKey = 'karpenter.k8s.aws/placement-group-partition'

async function groupWorld(
  strategy: 'partition' | 'spread' | 'cluster',
  partitions?: number,
  types = ['m5.large', 'm6i.large'],
): Promise<AWSWorld> {
  const world = await aLaunchWorld({ types })
  world.aws.state.placementGroups.push({
    id: 'pg-1',
    name: 'web',
    strategy,
    tags: {},
    ...(partitions === undefined ? {} : { partitions }),
  })
  const nodeClass = aNodeClass({ placementGroupSelector: { name: 'web' } })
  await world.drive(world.cloud.placementGroups.resolve(nodeClass))
  world.nodeClasses.set('default', nodeClass)
  return world
}

describe('a partition group', () => {
  test('gives every offering once for each partition', async () => {
    const world = await groupWorld('partition', 3)
    const nodeClass = world.nodeClasses.get('default') ?? aNodeClass()
    const type = world.cloud.instanceTypes.get(nodeClass, 'm5.large')
    expect([...(type?.requirements.get(groupKey)?.values ?? [])]).toEqual(['pg-1'])
    expect([...(type?.requirements.get(partitionKey)?.values ?? [])]).toEqual(['1', '2', '3'])
    const plain = await aLaunchWorld({ types: ['m5.large', 'm6i.large'] })
    const without = plain.cloud.instanceTypes.get(aNodeClass(), 'm5.large')
    expect(type?.offerings).toHaveLength(3 * (without?.offerings.length ?? 0))
  })

  test('launches into the first requested partition and says so', async () => {
    const world = await groupWorld('partition', 3)
    const launched = await world.drive(
      world.cloud.provider.create(aLaunchClaim([isIn(partitionKey, '3', '2'), capacityIn('on-demand')])),
    )
    expect(world.callsOf('ec2:CreateLaunchTemplate')[0]?.LaunchTemplateData?.Placement).toEqual({
      Tenancy: 'default',
      GroupId: 'pg-1',
      PartitionNumber: 2,
    })
    expect(launched.labels).toMatchObject({ [groupKey]: 'pg-1', [partitionKey]: '2' })
  })

  test('is asked for no partition that a claim excludes', async () => {
    const world = await groupWorld('partition', 3)
    const excluded = { key: partitionKey, operator: 'NotIn' as const, values: ['1'] }
    await world.drive(world.cloud.provider.create(aLaunchClaim([excluded, capacityIn('on-demand')])))
    expect(world.callsOf('ec2:CreateLaunchTemplate')[0]?.LaunchTemplateData?.Placement).toEqual({
      Tenancy: 'default',
      GroupId: 'pg-1',
    })
  })

  test('whose partition EC2 chooses holds back registration until it is known', async () => {
    const world = await groupWorld('partition', 3)
    const launched = await world.drive(world.cloud.provider.create(aLaunchClaim([capacityIn('on-demand')])))
    expect(launched.labels[partitionKey]).toBe('')
    const [hook] = world.cloud.provider.registrationHooks
    expect(hook?.name).toBe('PlacementGroupRegistrationHook')
    const claim = aLaunchClaim([], {
      metadata: { labels: launched.labels },
      status: { providerID: launched.providerID },
    })
    const record = world.aws.state.instances[0]
    if (hook === undefined || record === undefined) throw new Error('no launch')
    delete record.partition
    expect(await world.drive(hook.check(claim))).toMatchObject({ kind: 'pending' })
    record.partition = 2
    expect(await world.drive(hook.check(claim))).toEqual({ kind: 'clear', labels: { [partitionKey]: '2' } })
    expect(await world.drive(hook.check(aLaunchClaim()))).toEqual({ kind: 'clear', labels: {} })
  })

  test('learns about capacity for itself alone', async () => {
    const world = await groupWorld('partition', 3)
    failFleets(world, fleetError('InsufficientInstanceCapacity', 'm5.large', 'us-east-1a'))
    await world.failure(world.cloud.provider.create(aLaunchClaim([isIn(partitionKey, '2'), capacityIn('on-demand')])))
    const pool = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand' as const }
    expect(world.cloud.unavailable.isUnavailable(pool, [])).toBe(false)
    expect(world.cloud.unavailable.isUnavailable(pool, [], { groupID: 'pg-1', partition: '2' })).toBe(true)
    expect(world.cloud.unavailable.isUnavailable(pool, [], { groupID: 'pg-1', partition: '1' })).toBe(false)
  })
})

test('a cluster group has no offerings of types that cannot be in one', async () => {
  const world = await groupWorld('cluster', undefined, ['m5.large', 't3.large'])
  const available = world.cloud.instanceTypes
    .list(world.nodeClasses.get('default') ?? aNodeClass())
    .filter(({ offerings }) => offerings.some((offering) => offering.available))
  expect(available.map(({ name }) => name)).toEqual(['m5.large'])
})

test('a spread group that is full in a zone is full for every type there, in that group only', async () => {
  const world = await groupWorld('spread')
  failFleets(
    world,
    fleetError(
      'UnfulfillableCapacity',
      'm5.large',
      'us-east-1a',
      undefined,
      'You have reached the limit of instances in this spread placement group',
    ),
  )
  await world.failure(world.cloud.provider.create(aLaunchClaim([capacityIn('on-demand')])))
  const at = (instanceType: string, zone: string) => ({ instanceType, zone, capacityType: 'on-demand' as const })
  const scope = { groupID: 'pg-1', partition: '' }
  const { unavailable } = world.cloud
  expect(unavailable.isUnavailable(at('m6i.large', 'us-east-1a'), [], scope)).toBe(true)
  expect(unavailable.isUnavailable(at('m6i.large', 'us-east-1b'), [], scope)).toBe(false)
  expect(unavailable.isUnavailable(at('m5.large', 'us-east-1a'), [])).toBe(false)
})

test.each([
  [{ id: 'pg-2' }, { GroupIds: ['pg-2'] }],
  [{ name: 'db' }, { GroupNames: ['db'] }],
])(
  'of several groups the one that the selector %j names, if it is available',
  async (placementGroupSelector, asked) => {
    const world = await groupWorld('cluster')
    world.aws.state.placementGroups.push({ id: 'pg-2', name: 'db', strategy: 'spread', tags: {} })
    world.calls.length = 0
    const group = await world.drive(world.cloud.placementGroups.resolve(aNodeClass({ placementGroupSelector })))
    expect(group).toMatchObject({ id: 'pg-2', name: 'db', strategy: 'spread' })
    expect(world.callsOf('ec2:DescribePlacementGroups')).toEqual([
      { ...asked, Filters: [{ Name: 'state', Values: ['available'] }] },
    ])
  },
)

test('a class without a group needs no right to look for one, neither to launch nor to tell drift', async () => {
  const world = await aLaunchWorld({ types: ['m5.large'] })
  world.nodeClasses.set('default', aNodeClass())
  world.nodePools.set('web', aWebPool())
  world.aws.deny('ec2:DescribePlacementGroups')
  const { providerID, imageID, labels } = await world.drive(world.cloud.provider.create(aLaunchClaim()))
  expect(world.countOf('ec2:CreateFleet')).toBe(1)
  const claim = aLaunchClaim([], { metadata: { labels }, status: { providerID, imageID } })
  expect(await world.drive(world.cloud.provider.isDrifted(claim))).toBeUndefined()
})

describe('a group of which EC2 has told nothing yet, as after a start', () => {
  const nodeClass = aNodeClass({ placementGroupSelector: { name: 'web' } })

  async function freshWorld(): Promise<AWSWorld> {
    const world = await aLaunchWorld({ types: ['m5.large', 'm6i.large'] })
    world.aws.state.placementGroups.push({ id: 'pg-1', name: 'web', strategy: 'cluster', tags: {} })
    world.nodeClasses.set('default', nodeClass)
    return world
  }

  /** Of a machine that an earlier process launched into the group. */
  async function earlierClaim(world: AWSWorld): Promise<NodeClaim> {
    world.nodeClasses.set('default', aNodeClass())
    world.nodePools.set('web', aWebPool())
    const { providerID, imageID, labels } = await world.drive(
      world.cloud.provider.create(aLaunchClaim([typeIn('m5.large'), capacityIn('on-demand')])),
    )
    world.nodeClasses.set('default', nodeClass)
    return aLaunchClaim([], {
      metadata: { labels: { ...labels, [groupKey]: 'pg-1' } },
      status: { providerID, imageID },
    })
  }

  test('is asked for before a launch, which would otherwise end outside of it', async () => {
    const world = await freshWorld()
    const launched = await world.drive(world.cloud.provider.create(aLaunchClaim([capacityIn('on-demand')])))
    expect(world.callsOf('ec2:CreateLaunchTemplate')[0]?.LaunchTemplateData?.Placement?.GroupId).toBe('pg-1')
    expect(launched.labels[groupKey]).toBe('pg-1')
  })

  test('is asked for once by launches that come together', async () => {
    const world = await freshWorld()
    const claims = ['a', 'b', 'c'].map((name) => aLaunchClaim([capacityIn('on-demand')], { metadata: { name } }))
    await world.drive(Promise.all(claims.map((claim) => world.cloud.provider.create(claim))))
    expect(world.countOf('ec2:DescribePlacementGroups')).toBe(1)
  })

  test('holds back launches while EC2 does not tell', async () => {
    const world = await freshWorld()
    world.aws.deny('ec2:DescribePlacementGroups')
    const error = await world.failure(world.cloud.provider.create(aLaunchClaim([capacityIn('on-demand')])))
    expect(error).toMatchObject({
      code: 'CreateError',
      conditionReason: 'PlacementGroupResolutionFailed',
      conditionMessage: 'Failed to resolve placement group',
    })
    expect(world.countOf('ec2:CreateFleet')).toBe(0)
  })

  test('is no place to launch into when it is not there', async () => {
    const world = await freshWorld()
    world.aws.faults.add((call) =>
      call.action === 'DescribePlacementGroups' ? { kind: 'answer', output: { PlacementGroups: [] } } : undefined,
    )
    const error = await world.failure(world.cloud.provider.create(aLaunchClaim([capacityIn('on-demand')])))
    expect(error).toMatchObject({ code: 'NodeClassNotReady', message: 'Placement group "web" not found' })
    expect(world.countOf('ec2:CreateFleet')).toBe(0)
  })

  test('makes no machine in it drift', async () => {
    const world = await freshWorld()
    expect(await world.drive(world.cloud.provider.isDrifted(await earlierClaim(world)))).toBeUndefined()
  })

  test('nor while EC2 does not tell', async () => {
    const world = await freshWorld()
    const claim = await earlierClaim(world)
    world.aws.deny('ec2:DescribePlacementGroups')
    expect((await world.failure(world.cloud.provider.isDrifted(claim))).name).toBe('UnauthorizedOperation')
  })
})
