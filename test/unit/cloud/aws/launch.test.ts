import { describe, expect, test } from 'vitest'
import { usableOfferings } from '../../../../src/cloud/aws/instance/filters.ts'
import { InsufficientCapacityError } from '../../../../src/cloud/provider.ts'
import { AWSError } from '../../../../src/embedded/aws/errors.ts'
import type { InstanceType } from '../../../../src/model/instance-type.ts'
import { offeringCapacityType } from '../../../../src/model/offering-price.ts'
import { addResources, toResources } from '../../../../src/model/resources.ts'
import { noRequirements } from '../../../../src/model/requirements.ts'
import {
  aLaunchClaim,
  aNodeClass,
  type AWSWorld,
  capacityIn,
  isIn,
  typeIn,
  zoneIn,
  zones,
} from '../../../support/aws-world.ts'
import {
  aLaunchWorld,
  failFleets,
  fleetError,
  launch,
  overridesOf,
  quoteSpot,
  refusal,
} from '../../../support/launch-world.ts'

const typesOf = (world: AWSWorld) => [
  ...new Set(overridesOf(world.callsOf('ec2:CreateFleet').at(-1)).map((it) => it.type ?? '')),
]

const missedIn: Record<string, (world: AWSWorld) => unknown> = {
  'in the errors of a fleet': () => undefined,
  'in its answer to the call': (world) =>
    world.aws.faults.add(({ action }) =>
      action === 'CreateFleet'
        ? { kind: 'fail', error: new AWSError('InvalidParameterValue', 'Invalid IAM Instance Profile name') }
        : undefined,
    ),
}
test.each(Object.entries(missedIn))(
  'a profile that EC2 misses %s is asked of IAM anew, and made again when somebody has deleted it',
  async (_where, arrange) => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    arrange(world)
    const made = await world.drive(world.cloud.instanceProfiles.ensure(aNodeClass()))
    const nodeClass = aNodeClass({}, { status: { ...aNodeClass().status, instanceProfile: made } })
    world.aws.state.instanceProfiles.splice(0)
    const known = await world.drive(world.cloud.instanceProfiles.ensure(nodeClass))
    expect(known).toBe(made)
    await refusal(world, aLaunchClaim(), nodeClass)
    const again = await world.drive(world.cloud.instanceProfiles.ensure(nodeClass))
    expect(world.aws.state.instanceProfiles.map(({ name }) => name)).toEqual([again])
  },
)

describe('what a launch asks for', () => {
  test('case 55: a flexible claim goes to spot, with every available pool and its price', async () => {
    const world = await aLaunchWorld({ types: ['m5.large', 'm6i.large', 'm6a.large'] })
    for (const type of ['m5.large', 'm6i.large', 'm6a.large']) {
      for (const zone of zones) world.aws.setSpotPrice(type, zone, type === 'm6a.large' ? 0.03 : 0.04)
    }
    await world.drive(world.cloud.pricing.updateSpot())
    await launch(world, aLaunchClaim([capacityIn('spot', 'on-demand')]))
    const request = world.callsOf('ec2:CreateFleet')[0]
    expect(request?.TargetCapacitySpecification).toEqual({ TotalTargetCapacity: 1, DefaultTargetCapacityType: 'spot' })
    expect(request?.SpotOptions).toEqual({ AllocationStrategy: 'price-capacity-optimized' })
    expect(overridesOf(request)).toHaveLength(9)
    expect(overridesOf(request)[0]).toEqual({ type: 'm6a.large', zone: 'us-east-1a', subnet: 'subnet-0a', price: 0.03 })
    expect(request?.TagSpecifications?.map((it) => it.ResourceType)).toEqual(['instance', 'volume', 'fleet'])
    for (const { Tags } of request?.TagSpecifications ?? []) {
      expect(Tags).toEqual([
        { Key: 'eks:eks-cluster-name', Value: 'demo' },
        { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
        { Key: 'karpenter.sh/nodepool', Value: 'web' },
        { Key: 'kubernetes.io/cluster/demo', Value: 'owned' },
      ])
    }
  })

  test('case 56: one type, on demand, in each zone', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const launched = await launch(world, aLaunchClaim([typeIn('m5.large'), capacityIn('on-demand')]))
    const request = world.callsOf('ec2:CreateFleet')[0]
    expect(request?.Type).toBe('instant')
    expect(request?.OnDemandOptions).toEqual({ AllocationStrategy: 'lowest-price' })
    expect(overridesOf(request)).toEqual(
      ['a', 'b', 'c'].map((letter) => ({
        type: 'm5.large',
        zone: `us-east-1${letter}`,
        subnet: `subnet-0${letter}`,
        price: 0.096,
      })),
    )
    expect(launched.labels).toMatchObject({
      'node.kubernetes.io/instance-type': 'm5.large',
      'karpenter.sh/capacity-type': 'on-demand',
      'karpenter.sh/nodepool': 'web',
      'kubernetes.io/os': 'linux',
      'karpenter.k8s.aws/instance-tenancy': 'default',
    })
    expect(launched.labels).not.toHaveProperty('karpenter.k8s.aws/capacity-reservation-id')
    expect(launched.imageID).toBe('ami-amd')
    expect(Object.keys(launched.annotations).toSorted()).toEqual([
      'joinery.dev/nodeclass-hash-input',
      'karpenter.k8s.aws/ec2nodeclass-hash',
      'karpenter.k8s.aws/ec2nodeclass-hash-version',
      'karpenter.k8s.aws/instance-profile-name',
    ])
    expect([...launched.capacity.keys()].toSorted()).toEqual([
      'cpu',
      'ephemeral-storage',
      'memory',
      'pods',
      'vpc.amazonaws.com/pod-eni',
    ])
  })

  test.each([
    ['on-demand', 'prioritized'],
    ['spot', 'capacity-optimized-prioritized'],
  ])('case 57: overlaid prices are obeyed on %s', async (capacityType, strategy) => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const claim = aLaunchClaim([capacityIn(capacityType)], {
      metadata: { annotations: { 'karpenter.sh/price-overlay-applied': 'true' } },
    })
    await launch(world, claim)
    const request = world.callsOf('ec2:CreateFleet')[0]
    expect((request?.OnDemandOptions ?? request?.SpotOptions)?.AllocationStrategy).toBe(strategy)
  })

  test.each([
    ['with the feature the overlays of its pool hold', true, 'web', 0.01, true],
    ['without it they do not', false, 'web', 0.096, false],
    ['those of another pool do not', true, 'other', 0.096, false],
  ])('overlays: %s', async (_name, nodeOverlay, overlaid, price, hasHardware) => {
    const applyOverlays = (pool: string, types: readonly InstanceType[]) =>
      types.map((type) =>
        pool === overlaid
          ? {
              ...type,
              capacity: addResources(type.capacity, toResources({ 'example.com/card': '2' })),
              offerings: type.offerings.map((offering) => ({ ...offering, price: 0.01 })),
            }
          : type,
      )
    const world = await aLaunchWorld({ types: ['m5.large'], gates: { nodeOverlay }, more: { applyOverlays } })
    const launched = await launch(world, aLaunchClaim([typeIn('m5.large'), capacityIn('on-demand')]))
    expect(overridesOf(world.callsOf('ec2:CreateFleet')[0])[0]?.price).toBe(price)
    expect(launched.capacity.has('example.com/card')).toBe(hasHardware)
  })

  test('case 58: at most the 60 cheapest types are sent', async () => {
    const { catalogue } = await import('../../../../src/embedded/aws/catalogue.ts')
    const names = [...catalogue().keys()]
      .filter((name) => /^[cmr][5-7]/.test(name) && !name.includes('metal'))
      .slice(0, 200)
    const world = await aLaunchWorld({ types: names })
    await launch(world, aLaunchClaim([capacityIn('on-demand')]))
    const cheapest = (list: readonly string[]) =>
      list.map((name) => world.cloud.pricing.onDemandPrice(name) ?? 0).toSorted((a, b) => a - b)
    expect(typesOf(world)).toHaveLength(60)
    expect(cheapest(typesOf(world))).toEqual(cheapest(names).slice(0, 60))
  })

  const fifty = { ...typeIn('m5.large', 'm5.xlarge', 'm6i.large'), minValues: 3 }
  test('case 58: minValues that the sent types cannot meet end a strict launch', async () => {
    const world = await aLaunchWorld({ types: ['m5.large', 'm6i.large'] })
    const error = await refusal(world, aLaunchClaim([fifty]))
    expect(error.code).toBe('InsufficientCapacity')
    expect(error.message).toMatch(/^truncating instance types based on the passed-in requirements, /)
    const lenient = await aLaunchWorld({ types: ['m5.large', 'm6i.large'], more: { minValuesPolicy: 'BestEffort' } })
    await launch(lenient, aLaunchClaim([fifty]))
    expect(typesOf(lenient).toSorted()).toEqual(['m5.large', 'm6i.large'])
  })

  test('case 59: exotic machines are only for those who can use nothing else', async () => {
    const types = ['m5.metal', 'g4dn.8xlarge', 'm5.large']
    const all = await aLaunchWorld({ types })
    await launch(all)
    expect(typesOf(all)).toEqual(['m5.large'])
    const gpu = await aLaunchWorld({ types })
    gpu.aws.addImage({ id: 'ami-gpu', name: 'gpu' })
    await launch(gpu, aLaunchClaim([typeIn('g4dn.8xlarge')]))
    expect(typesOf(gpu)).toEqual(['g4dn.8xlarge'])
    const wide = await aLaunchWorld({ types })
    await launch(wide, aLaunchClaim([{ ...typeIn(...types), minValues: 3 }]))
    expect(typesOf(wide).toSorted()).toEqual(types.toSorted())
  })

  test('case 60: spot dearer than the cheapest on-demand is not asked for', async () => {
    const world = await aLaunchWorld({ types: ['m5.large', 'm5.xlarge'] })
    await quoteSpot(world, [
      ['m5.large', 'us-east-1a', '0.05'],
      ['m5.large', 'us-east-1b', '0.2'],
      ['m5.xlarge', 'us-east-1a', '0.096'],
      ['m5.xlarge', 'us-east-1b', '0.097'],
    ])
    await launch(world, aLaunchClaim([capacityIn('spot', 'on-demand')]))
    expect(overridesOf(world.callsOf('ec2:CreateFleet')[0]).map(({ type, zone }) => `${type}/${zone}`)).toEqual([
      'm5.large/us-east-1a',
      'm5.xlarge/us-east-1a',
    ])
  })

  test('a claim that could go to spot and goes on demand with few types is hinted at', async () => {
    const hint = (count: number) =>
      `at least 5 instance types are recommended when flexible to spot but requesting on-demand, the current provisioning request only has ${count} instance type options`
    const types = ['m5.large', 'm5a.large', 'm6i.large', 'm6a.large', 'm7i.large']
    const hintsOf = async (count: number, ...capacity: string[]) => {
      const world = await aLaunchWorld({ types: types.slice(0, count) })
      world.cloud.unavailable.markCapacityType('spot')
      await launch(world, aLaunchClaim([capacityIn(...capacity)]))
      return world.world.logged(hint(count)).length
    }
    expect(await hintsOf(4, 'spot', 'on-demand')).toBe(1)
    expect(await hintsOf(5, 'spot', 'on-demand')).toBe(0)
    expect(await hintsOf(4, 'on-demand')).toBe(0)
  })

  test('the context is sent unless minValues were relaxed', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world, aLaunchClaim(), aNodeClass({ context: 'ctx' }))
    await launch(
      world,
      aLaunchClaim([], { metadata: { annotations: { 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' } } }),
      aNodeClass({ context: 'ctx' }),
    )
    expect(world.callsOf('ec2:CreateFleet').map((request) => request.Context)).toEqual(['ctx', undefined])
  })

  test("labels that no type carries are the pool's own business; an unknown type ends in insufficient capacity", async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world, aLaunchClaim([isIn('team', 'core')]))
    const error = await refusal(world, aLaunchClaim([typeIn('m9.nano')]))
    expect(error.message).toBe('all requested instance types were unavailable during launch')
  })
})

describe('subnets', () => {
  const oneZone = (free: [x: number, y: number]) => [
    { id: 'subnet-x', addresses: free[0] },
    { id: 'subnet-y', addresses: free[1] },
  ]

  async function worldWith(free: [number, number]) {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const [first] = world.aws.state.subnets
    if (first === undefined) throw new Error('no subnet')
    world.aws.state.subnets = oneZone(free).map((more) => ({ ...first, ...more }))
    const subnets = await world.drive(world.cloud.subnets.list(aNodeClass()))
    const status = { subnets: subnets.map((it) => ({ id: it.SubnetId ?? '', zone: it.AvailabilityZone ?? '' })) }
    return { world, nodeClass: aNodeClass({ kubelet: { maxPods: 1 } }, { status }) }
  }

  test('case 61: the subnet with most free addresses is used', async () => {
    const { world, nodeClass } = await worldWith([10, 100])
    await launch(world, aLaunchClaim(), nodeClass)
    expect(overridesOf(world.callsOf('ec2:CreateFleet')[0]).map((it) => it.subnet)).toEqual(['subnet-y'])
  })

  test('case 62: launches under way count before EC2 is asked again', async () => {
    const { world, nodeClass } = await worldWith([10, 11])
    const status = { ...nodeClass.status, subnets: (nodeClass.status?.subnets ?? []).toReversed() }
    const reversed = { ...nodeClass, status }
    await launch(world, aLaunchClaim(), reversed)
    await launch(world, aLaunchClaim([], { metadata: { name: 'second' } }), reversed)
    const picked = world.callsOf('ec2:CreateFleet').map((request) => overridesOf(request)[0]?.subnet)
    expect(picked).toEqual(['subnet-y', 'subnet-x'])
    expect(world.countOf('ec2:DescribeSubnets')).toBe(1)
  })

  test('without subnets there is no launch', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const error = await refusal(world, aLaunchClaim(), aNodeClass({}, { status: { subnets: [] } }))
    expect(error).toMatchObject({ code: 'CreateError', conditionReason: 'InstanceTypeResolutionFailed' })
  })
})

describe('what a launch learns', () => {
  const spotOnly = aLaunchClaim([capacityIn('spot')])
  const isMarked = (world: AWSWorld, instanceType: string, zone: string, capacityType: 'spot' | 'on-demand') =>
    world.cloud.unavailable.isUnavailable({ instanceType, zone, capacityType }, [])

  test('case 63: no capacity in a pool marks that pool alone', async () => {
    const world = await aLaunchWorld({ types: ['m5.xlarge'] })
    failFleets(world, fleetError('InsufficientInstanceCapacity', 'm5.xlarge', 'us-east-1a'))
    const error = await refusal(world, spotOnly)
    expect(error.code).toBe('InsufficientCapacity')
    expect(error.message).toContain('InsufficientInstanceCapacity')
    expect(isMarked(world, 'm5.xlarge', 'us-east-1a', 'spot')).toBe(true)
    expect(isMarked(world, 'm5.xlarge', 'us-east-1a', 'on-demand')).toBe(false)
    expect(isMarked(world, 'm5.xlarge', 'us-east-1b', 'spot')).toBe(false)
    expect(
      world.counts.sum('karpenter_cloudprovider_instance_launch_failures_total', {
        reason: 'InsufficientInstanceCapacity',
        zone: 'us-east-1a',
        zone_id: 'use1-az1',
        capacity_type: 'spot',
      }),
    ).toBe(1)
  })

  test('a launch that finds capacity ends a shortage: the next one is new, and the pool rests no longer than at first', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const claim = aLaunchClaim([capacityIn('spot'), zoneIn('us-east-1a')])
    const fail = async () => {
      const stop = failFleets(world, fleetError('InsufficientInstanceCapacity', 'm5.large', 'us-east-1a'))
      expect((await refusal(world, claim)).code).toBe('InsufficientCapacity')
      stop()
    }
    await fail()
    await world.world.run(200_000)
    await launch(world, claim)
    await fail()
    await world.world.run(200_000)
    expect(isMarked(world, 'm5.large', 'us-east-1a', 'spot')).toBe(false)
  })

  test('case 64: a partial success returns the instance and still marks', async () => {
    const world = await aLaunchWorld({ types: ['m5.large', 'm6i.large'] })
    world.aws.setCapacity({ type: 'm6i.large' }, 0)
    world.aws.faults.add((call) =>
      call.action === 'CreateFleet'
        ? {
            kind: 'answer',
            output: {
              FleetId: 'fleet-1',
              Instances: [
                {
                  InstanceIds: ['i-1'],
                  InstanceType: 'm5.large',
                  LaunchTemplateAndOverrides: {
                    Overrides: { AvailabilityZone: 'us-east-1b', SubnetId: 'subnet-0b', ImageId: 'ami-amd' },
                  },
                },
              ],
              Errors: [fleetError('InsufficientInstanceCapacity', 'm6i.large', 'us-east-1a')],
            },
          }
        : undefined,
    )
    const launched = await launch(world, aLaunchClaim([capacityIn('on-demand')]))
    expect(launched.providerID).toBe('aws:///us-east-1b/i-1')
    expect(isMarked(world, 'm6i.large', 'us-east-1a', 'on-demand')).toBe(true)
  })

  test('case 65: without the spot service-linked role spot is off for all, and the claim says why', async () => {
    const world = await aLaunchWorld({ types: ['m5.large', 'm6i.large'] })
    failFleets(world, fleetError('AuthFailure.ServiceLinkedRoleCreationNotPermitted', 'm5.large', 'us-east-1a'))
    expect((await refusal(world, spotOnly)).code).toBe('InsufficientCapacity')
    const offered = world.cloud.instanceTypes
      .list(aNodeClass())
      .flatMap((type) => usableOfferings(type, noRequirements))
    expect(new Set(offered.map(offeringCapacityType))).toEqual(new Set(['on-demand']))
    expect(world.recorder.published).toMatchObject([
      {
        object: { kind: 'NodeClaim', metadata: { name: 'web-abc' } },
        type: 'Warning',
        reason: '',
        message:
          'Attempted to launch a spot instance but failed due to "AuthFailure.ServiceLinkedRoleCreationNotPermitted"',
      },
    ])
  })

  test('where a zone has no spot of a type, the next launch is on demand', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const message =
      'Your requested instance type (m5.large) is not supported in your requested Availability Zone (us-east-1a).'
    const stop = failFleets(
      world,
      fleetError('InvalidFleetConfiguration', 'm5.large', 'us-east-1a', 'subnet-0a', message),
    )
    world.nodeClasses.set('default', aNodeClass())
    const claim = aLaunchClaim([capacityIn('spot', 'on-demand'), zoneIn('us-east-1a')])
    expect(await world.failure(world.cloud.provider.create(claim))).toBeInstanceOf(InsufficientCapacityError)
    stop()
    const { labels } = await world.drive(world.cloud.provider.create(claim))
    expect(labels['karpenter.sh/capacity-type']).toBe('on-demand')
  })

  test('case 66: a full fleet quota counts as no capacity', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    failFleets(world, fleetError('MaxFleetCountExceeded', 'm5.large', 'us-east-1a'))
    expect((await refusal(world, spotOnly)).code).toBe('InsufficientCapacity')
    expect(isMarked(world, 'm5.large', 'us-east-1a', 'spot')).toBe(true)
  })

  test('case 67: throttling teaches nothing about capacity', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    failFleets(world, fleetError('RequestLimitExceeded', 'm5.large', 'us-east-1a'))
    const error = await refusal(world, spotOnly)
    expect(error).toMatchObject({
      code: 'CreateError',
      conditionReason: 'RequestLimitExceeded',
      conditionMessage: 'Request limit exceeded',
    })
    expect(isMarked(world, 'm5.large', 'us-east-1a', 'spot')).toBe(false)
  })

  test('a subnet without addresses is marked, and its count is zero', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    world.cloud.subnets.addresses.observe('subnet-0a', 100)
    failFleets(world, fleetError('InsufficientFreeAddressesInSubnet', 'm5.large', 'us-east-1a', 'subnet-0a'))
    await refusal(world, spotOnly)
    expect(world.cloud.subnets.addresses.available('subnet-0a')).toBe(0)
    expect(
      world.cloud.unavailable.isUnavailable({ instanceType: 'm6i.large', zone: 'us-east-1a', capacityType: 'spot' }, [
        'subnet-0a',
      ]),
    ).toBe(true)
  })

  test('errors that do not say where they happened are survived', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    failFleets(world, fleetError('InsufficientInstanceCapacity'))
    expect((await refusal(world, spotOnly)).code).toBe('InsufficientCapacity')
  })

  test('no instance and no error is a failed launch', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    failFleets(world)
    expect(await refusal(world, spotOnly)).toMatchObject({
      code: 'CreateError',
      conditionReason: 'LaunchFailed',
      conditionMessage: 'Instance launch failed',
    })
  })

  test('a call that is refused becomes reason and message of the condition', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    world.aws.deny('ec2:CreateFleet')
    expect(await refusal(world, spotOnly)).toMatchObject({
      conditionReason: 'Unauthorized',
      conditionMessage:
        'Error creating fleet request: User is not authorized to perform this operation because no identity-based policy allows it',
    })
  })
})

describe('readiness', () => {
  test('case 76: a status that lags behind the spec launches nothing', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const error = await refusal(world, aLaunchClaim(), aNodeClass({}, { metadata: { generation: 2 } }))
    expect(error).toMatchObject({
      code: 'NodeClassNotReady',
      message: 'nodeclass status has not been reconciled against the latest spec',
    })
    expect(world.calls).toEqual([])
  })

  test.each([
    ['False', { code: 'NodeClassNotReady', message: 'AMIsReady=False' }],
    [
      'Unknown',
      {
        code: 'CreateError',
        conditionReason: 'NodeClassReadinessUnknown',
        conditionMessage: 'NodeClass is in Ready=Unknown',
      },
    ],
  ] as const)('Ready=%s', async (status, want) => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const condition = {
      type: 'Ready',
      status,
      reason: 'x',
      message: 'AMIsReady=False',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
    }
    expect(await refusal(world, aLaunchClaim(), aNodeClass({}, { status: { conditions: [condition] } }))).toMatchObject(
      want,
    )
  })

  test.each([
    ['missing', undefined],
    ['deleting', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ])('a %s class is insufficient capacity, with an event', async (_name, metadata) => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    if (metadata !== undefined) world.nodeClasses.set('default', aNodeClass({}, { metadata }))
    expect((await world.failure(world.cloud.provider.create(aLaunchClaim()))).code).toBe('InsufficientCapacity')
    expect(world.recorder.published).toMatchObject([{ reason: '', message: 'Failed resolving NodeClass' }])
  })

  test('case 33: tags that ownership rests on cannot be taken', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const error = await refusal(world, aLaunchClaim(), aNodeClass({ tags: { 'kubernetes.io/cluster/x': 'y' } }))
    expect(error.code).toBe('NodeClassNotReady')
  })
})

describe('batching', () => {
  test('case 75: equal requests within the window share one call', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    world.nodeClasses.set('default', aNodeClass())
    const claims = Array.from({ length: 5 }, (_, index) =>
      aLaunchClaim([zoneIn('us-east-1a')], { metadata: { name: `c${index}` } }),
    )
    const launched = await world.drive(Promise.all(claims.map((claim) => world.cloud.provider.create(claim))))
    expect(world.callsOf('ec2:CreateFleet').map((it) => it.TargetCapacitySpecification?.TotalTargetCapacity)).toEqual([
      5,
    ])
    expect(new Set(launched.map((it) => it.providerID)).size).toBe(5)
    expect(world.counts.observed('karpenter_cloudprovider_batcher_batch_size', { batcher: 'create_fleet' })).toEqual([
      5,
    ])
  })

  test('case 75: callers beyond the instances that came get the errors', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    world.nodeClasses.set('default', aNodeClass())
    world.aws.setCapacity({}, 3)
    const claims = Array.from({ length: 5 }, (_, index) =>
      aLaunchClaim([zoneIn('us-east-1a')], { metadata: { name: `c${index}` } }),
    )
    const outcomes = await world.drive(Promise.allSettled(claims.map((claim) => world.cloud.provider.create(claim))))
    expect(outcomes.map((it) => it.status).toSorted()).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(world.countOf('ec2:CreateFleet')).toBe(1)
  })
})
