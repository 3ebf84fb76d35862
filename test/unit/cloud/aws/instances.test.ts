import { recordText } from '../../../../src/api/hash/index.ts'
import { driftMessage } from '../../../../src/model/drift-finding.ts'
import type { Instance } from '@aws-sdk/client-ec2'
import { describe, expect, test } from 'vitest'
import { NodeClaimNotFoundError, ProviderIDError } from '../../../../src/cloud/provider.ts'
import { instanceIDOf, toInstance, toProviderID } from '../../../../src/cloud/aws/instance/ec2-instance.ts'
import { AWSError } from '../../../../src/embedded/aws/errors.ts'
import { aLaunchClaim, aNodeClass, type AWSWorld, aWebPool, zoneIn } from '../../../support/aws-world.ts'
import { aLaunchWorld } from '../../../support/launch-world.ts'
import { aReservation } from '../../../support/reservation-record.ts'

async function running(count = 1, claim: object = {}): Promise<{ world: AWSWorld; ids: string[] }> {
  const world = await aLaunchWorld({ types: ['m5.large'] })
  world.nodeClasses.set('default', aNodeClass())
  world.nodePools.set('web', aWebPool())
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const launched = await world.drive(world.cloud.provider.create(aLaunchClaim([zoneIn('us-east-1a')], claim)))
    ids.push(launched.providerID)
  }
  await world.world.run(60_000)
  world.calls.length = 0
  return { world, ids }
}

describe('a launch that EC2 is slow to answer', () => {
  test('is not an orphan to those who list instances meanwhile', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const { instances, provider } = world.cloud
    world.nodeClasses.set('default', aNodeClass())
    const earlier = await world.drive(provider.create(aLaunchClaim()))
    await world.world.run(60_000)
    await world.drive(instances.list())
    await world.world.run(1_000)
    world.aws.faults.add(({ action }) =>
      action === 'CreateFleet'
        ? { kind: 'change', by: (output) => world.clock.sleep(200_000).then(() => output) }
        : undefined,
    )
    const launching = provider.create(aLaunchClaim())
    await world.world.run(90_000)
    const earlierID = instanceIDOf(earlier.providerID) ?? ''
    const [id = ''] = (await world.drive(instances.list())).map((it) => it.id).filter((each) => each !== earlierID)
    expect([id, earlierID].map((each) => instances.isFreshLaunch(each))).toEqual([true, false])
    expect(instanceIDOf((await world.drive(launching)).providerID)).toBe(id)
    expect(instances.isFreshLaunch(id)).toBe(true)
    await world.world.run(30_000)
    expect(instances.isFreshLaunch(id)).toBe(false)
  })
})

const claimOf = (providerID: string) => aLaunchClaim([], { status: { providerID } })

describe('case 77: instances that end elsewhere', () => {
  test('are not found any more', async () => {
    const { world, ids } = await running()
    const [id = ''] = ids
    world.aws.terminateOutOfBand(instanceIDOf(id) ?? '')
    await world.world.run(600_000)
    expect((await world.failure(world.cloud.instances.get(instanceIDOf(id) ?? '', 'fresh'))).code).toBe(
      'NodeClaimNotFound',
    )
    expect((await world.failure(world.cloud.provider.get(id))).code).toBe('NodeClaimNotFound')
    expect((await world.failure(world.cloud.provider.delete(claimOf(id)))).code).toBe('NodeClaimNotFound')
    expect(world.countOf('ec2:TerminateInstances')).toBe(0)
  })

  test('are found no more once a list has left them out', async () => {
    const { world, ids } = await running(2)
    const [gone = '', other = ''] = ids
    world.aws.terminateOutOfBand(instanceIDOf(gone) ?? '')
    await world.world.run(600_000)
    expect(await world.drive(world.cloud.provider.get(gone))).toHaveProperty('providerID', gone)
    expect((await world.drive(world.cloud.provider.list())).map(({ providerID }) => providerID)).toEqual([other])
    expect((await world.failure(world.cloud.provider.get(gone))).code).toBe('NodeClaimNotFound')
  })

  test('are as the last list showed them', async () => {
    const { world, ids } = await running()
    const id = instanceIDOf(ids[0]) ?? ''
    const state = world.aws.toJSON()
    world.aws.load({ ...state, instances: state.instances.map((it) => ({ ...it, securityGroupIDs: ['sg-other'] })) })
    expect((await world.drive(world.cloud.instances.get(id))).securityGroupIDs).toEqual(['sg-1'])
    await world.drive(world.cloud.provider.list())
    expect((await world.drive(world.cloud.instances.get(id))).securityGroupIDs).toEqual(['sg-other'])
  })

  test('are not ended again while they are shutting down', async () => {
    const { world, ids } = await running()
    const [id = ''] = ids
    await world.drive(world.cloud.provider.delete(claimOf(id)))
    expect(world.countOf('ec2:TerminateInstances')).toBe(1)
    await world.drive(world.cloud.provider.delete(claimOf(id)))
    expect(world.countOf('ec2:TerminateInstances')).toBe(1)
  })

  test.each(['nonsense', 'aws:///us-east-1a/nonsense', 'aws:///us-east-1a/'])(
    'are gone, for a claim whose provider ID %s can be that of none',
    async (providerID) => {
      const { world } = await running()
      const error = await world.failure(world.cloud.provider.delete(claimOf(providerID)))
      expect(error).toBeInstanceOf(NodeClaimNotFoundError)
      expect(world.countOf('ec2:TerminateInstances')).toBe(0)
      // Who only looks is told what is wrong: nobody is to take such a claim's machine for gone.
      expect(await world.failure(world.cloud.provider.get(providerID))).toBeInstanceOf(ProviderIDError)
    },
  )

  test('give their reservation back when the claim goes', async () => {
    const { world } = await running()
    world.aws.state.reservations.push(aReservation({ id: 'cr-1', total: 3 }))
    await world.drive(world.cloud.reservations.list([{ id: 'cr-1' }]))
    const claim = aLaunchClaim([], {
      metadata: { labels: { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' } },
      status: { providerID: 'aws:///us-east-1a/i-gone' },
    })
    await world.failure(world.cloud.provider.delete(claim))
    expect(world.cloud.reservations.remaining('cr-1')).toBe(4)
    // The node's termination asks until it is gone, and then the claim's does.
    await world.failure(world.cloud.provider.delete(claim))
    expect(world.cloud.reservations.remaining('cr-1')).toBe(4)
    await world.failure(
      world.cloud.provider.delete({ ...claim, metadata: { ...claim.metadata, uid: 'another-claim-uid' } }),
    )
    expect(world.cloud.reservations.remaining('cr-1')).toBe(5)
  })
})

describe('instances that are not ours (I21)', () => {
  const cluster = { 'kubernetes.io/cluster/demo': 'owned' }
  const name = { 'eks:eks-cluster-name': 'demo' }
  const pool = { 'karpenter.sh/nodepool': 'web' }

  async function retagged(tags: Record<string, string>) {
    const { world, ids } = await running()
    const state = world.aws.toJSON()
    world.aws.load({ ...state, instances: state.instances.map((it) => ({ ...it, tags })) })
    // What the launch has left in memory is not what EC2 says now.
    world.cloud.instances.clear()
    return { world, providerID: ids[0] ?? '', id: instanceIDOf(ids[0]) ?? '' }
  }

  const foreign: Record<string, [tags: Record<string, string>, missing: readonly string[]]> = {
    'a database': [
      { Name: 'database' },
      ['karpenter.sh/nodepool', 'kubernetes.io/cluster/demo=owned or eks:eks-cluster-name=demo'],
    ],
    'of no pool': [{ ...cluster, ...name }, ['karpenter.sh/nodepool']],
    'of no cluster': [pool, ['kubernetes.io/cluster/demo=owned or eks:eks-cluster-name=demo']],
    'of another cluster': [
      { ...pool, 'kubernetes.io/cluster/other': 'owned', 'eks:eks-cluster-name': 'other' },
      ['kubernetes.io/cluster/demo=owned or eks:eks-cluster-name=demo'],
    ],
    'shared with the cluster': [
      { ...pool, 'kubernetes.io/cluster/demo': 'shared' },
      ['kubernetes.io/cluster/demo=owned or eks:eks-cluster-name=demo'],
    ],
  }
  test.each(Object.entries(foreign))('%s: neither ended nor tagged', async (_name, [tags, missing]) => {
    const { world, providerID, id } = await retagged(tags)
    const refusal = await world.failure(world.cloud.provider.delete(claimOf(providerID)))
    expect(refusal).toMatchObject({ code: 'InstanceNotOwned', instanceID: id, missing })
    expect((await world.failure(world.cloud.instances.createTags(id, { Name: 'n' }))).code).toBe('InstanceNotOwned')
    expect(world.countOf('ec2:TerminateInstances')).toBe(0)
    expect(world.countOf('ec2:CreateTags')).toBe(0)
  })

  const own: Record<string, Record<string, string>> = {
    'as launched': { ...pool, ...cluster, ...name },
    'as older releases launched': { ...pool, ...cluster },
    'by its name alone': { ...pool, ...name },
    'of a claim without a pool': { ...cluster, 'karpenter.sh/nodepool': '' },
  }
  test.each(Object.entries(own))('%s: tagged and ended', async (_name, tags) => {
    const { world, providerID, id } = await retagged(tags)
    await world.drive(world.cloud.instances.createTags(id, { Name: 'n' }))
    await world.drive(world.cloud.provider.delete(claimOf(providerID)))
    expect(world.countOf('ec2:CreateTags')).toBe(1)
    expect(world.countOf('ec2:TerminateInstances')).toBe(1)
  })
})

describe('reading instances', () => {
  test('lists what carries our tags, with labels and capacity of the type', async () => {
    const { world, ids } = await running(2)
    const listed = await world.drive(world.cloud.provider.list())
    expect(listed.map((it) => it.providerID).toSorted()).toEqual(ids.toSorted())
    expect(listed[0]?.labels).toMatchObject({
      'node.kubernetes.io/instance-type': 'm5.large',
      'karpenter.sh/nodepool': 'web',
    })
    expect(listed[0]?.allocatable.get('cpu')?.toString()).toBe('1930m')
    expect(world.callsOf('ec2:DescribeInstances')[0]).toEqual({
      Filters: [
        { Name: 'tag-key', Values: ['karpenter.sh/nodepool'] },
        { Name: 'tag-key', Values: ['karpenter.k8s.aws/ec2nodeclass'] },
        { Name: 'tag:eks:eks-cluster-name', Values: ['demo'] },
        { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] },
      ],
      MaxResults: 1_000,
    })
  })

  test('one that shuts down is told as deleted, one that runs is not', async () => {
    const { world, ids } = await running(2)
    const [ended = '', other = ''] = ids
    await world.drive(world.cloud.provider.delete(claimOf(ended)))
    const listed = await world.drive(world.cloud.provider.list())
    const deleted = listed.filter(({ deletedAt }) => deletedAt !== undefined)
    expect(deleted.map(({ providerID }) => providerID)).toEqual([ended])
    expect(listed.map(({ providerID }) => providerID)).toContain(other)
  })

  test('has EFA where it was launched with such interfaces', async () => {
    const world = await aLaunchWorld({ types: ['p4d.24xlarge'] })
    world.nodeClasses.set('default', aNodeClass())
    world.nodePools.set('web', aWebPool())
    const efa = { spec: { resources: { requests: { 'vpc.amazonaws.com/efa': '2' } } } }
    for (const claim of [aLaunchClaim([], efa), aLaunchClaim()]) await world.drive(world.cloud.provider.create(claim))
    await world.world.run(60_000)
    world.cloud.instances.clear()
    const listed = await world.drive(world.cloud.provider.list())
    const amounts = listed.map(({ capacity }) => capacity.get('vpc.amazonaws.com/efa')?.toString())
    expect(new Set(amounts)).toEqual(new Set(['4', undefined]))
  })

  test("a missing pool leaves the type's part out", async () => {
    const { world } = await running()
    world.nodePools.clear()
    const [listed] = await world.drive(world.cloud.provider.list())
    expect(listed?.capacity.size).toBe(0)
    expect(listed?.labels).toMatchObject({
      'karpenter.sh/nodepool': 'web',
      'topology.kubernetes.io/zone': 'us-east-1a',
    })
  })

  test('a claim of no pool has the label all the same, without a value: so does its instance', async () => {
    const { world, ids } = await running(1, { metadata: { labels: {} } })
    const launched = await world.drive(world.cloud.provider.get(ids[0] ?? ''))
    expect(launched.labels['karpenter.sh/nodepool']).toBe('')
  })

  test('describes are batched, and an id that is gone does not hide the others', async () => {
    const { world, ids } = await running(3)
    const asked = [...ids.map((id) => instanceIDOf(id) ?? ''), 'i-gone']
    const outcomes = await world.drive(Promise.allSettled(asked.map((id) => world.cloud.instances.get(id, 'fresh'))))
    expect(outcomes.map((it) => it.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
    expect(world.callsOf('ec2:DescribeInstances')[0]?.InstanceIds).toHaveLength(4)
    expect(world.callsOf('ec2:DescribeInstances')[0]).not.toHaveProperty('MaxResults')
  })

  test.each([
    ['throttled', 'DescribeInstances', 'RequestLimitExceeded', 3],
    ['throttled', 'TerminateInstances', 'RequestLimitExceeded', 3],
    ['refused', 'DescribeInstances', 'UnauthorizedOperation', 3],
    ['failed', 'DescribeInstances', 'InternalError', 1],
    ['failed', 'TerminateInstances', 'InternalError', 1],
  ] as const)(
    'a %s batch of %s (%s, %i) is not asked for id by id: that would draw on the same bucket for the same answer',
    async (_how, action, code, count) => {
      const { world, ids } = await running(count)
      world.aws.faults.add((call) =>
        call.action === action ? { kind: 'fail', error: new AWSError(code, 'no', { status: 503 }) } : undefined,
      )
      const outcomes = await world.drive(Promise.allSettled(ids.map((id) => world.cloud.provider.delete(claimOf(id)))))
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { name: code } })
      }
      expect(world.countOf(`ec2:${action}`)).toBe(1)
    },
  )

  const unanswered = Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })
  const expired = new AWSError('RequestExpired', 'Request has expired.')
  test.each([
    ['that gets no answer', 'DescribeInstances', unanswered],
    ['that gets no answer', 'TerminateInstances', unanswered],
    ['whose credentials have expired', 'DescribeInstances', expired],
    ['whose credentials have expired', 'TerminateInstances', expired],
  ] as const)(
    'a batch %s (%s) is not asked for id by id: hundreds of calls would fare no better, and keep those after them waiting',
    async (_which, action, error) => {
      const { world, ids } = await running(3)
      world.aws.faults.add((call) => (call.action === action ? { kind: 'fail', error } : undefined))
      const outcomes = await world.drive(Promise.allSettled(ids.map((id) => world.cloud.provider.delete(claimOf(id)))))
      expect(outcomes).toEqual(ids.map(() => ({ status: 'rejected', reason: error })))
      expect(world.countOf(`ec2:${action}`)).toBe(1)
    },
  )

  test('an instance that a policy keeps from being ended keeps those that were to be ended with it only once', async () => {
    const { world, ids } = await running(3)
    const kept = instanceIDOf(ids[1]) ?? ''
    const refusal = new AWSError('UnauthorizedOperation', 'You are not authorized to perform this operation.')
    world.aws.faults.add(({ action, input }) =>
      action === 'TerminateInstances' && JSON.stringify(input).includes(kept)
        ? { kind: 'fail', error: refusal }
        : undefined,
    )
    const end = async () => {
      const ended = ids.map((id) => world.cloud.provider.delete(claimOf(id)))
      return (await world.drive(Promise.allSettled(ended))).map(({ status }) => status)
    }
    expect(await end()).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await end()).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(world.callsOf('ec2:TerminateInstances').map((it) => it.InstanceIds?.length)).toEqual([3, 1, 1, 1])
  })

  test('terminations are batched, and one that fails does not hold up the others', async () => {
    const { world, ids } = await running(3)
    const poison = instanceIDOf(ids[1]) ?? ''
    world.aws.faults.add((call) => {
      const { InstanceIds = [] } = call.input as { InstanceIds?: string[] }
      return call.action === 'TerminateInstances' && InstanceIds.includes(poison)
        ? { kind: 'fail', error: new AWSError('InternalError', 'oops', { status: 500 }) }
        : undefined
    })
    const outcomes = await world.drive(Promise.allSettled(ids.map((id) => world.cloud.provider.delete(claimOf(id)))))
    expect(outcomes.map((it) => it.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(world.callsOf('ec2:TerminateInstances').map((it) => it.InstanceIds?.length)).toEqual([3, 1, 1, 1])
    expect(
      world.counts.sum('karpenter_cloudprovider_instance_termination_failures_total', { zone: 'us-east-1a' }),
    ).toBe(1)
  })
})

describe('what an instance is', () => {
  const base: Instance = {
    InstanceId: 'i-1',
    InstanceType: 'm5.large',
    Placement: { AvailabilityZone: 'us-east-1a', AvailabilityZoneId: 'use1-az1' },
  }
  const kinds: Record<string, [more: Instance, gate: boolean, capacityType: string, reservation: object | undefined]> =
    {
      'a spot request': [{ SpotInstanceRequestId: 'sir-1' }, true, 'spot', undefined],
      'the spot lifecycle alone': [{ InstanceLifecycle: 'spot' }, true, 'spot', undefined],
      'nothing special': [{}, true, 'on-demand', undefined],
      'a reservation it was made for': [
        {
          CapacityReservationId: 'cr-1',
          CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
        },
        true,
        'reserved',
        { id: 'cr-1', type: 'default', interruptible: false },
      ],
      'a reservation that took it in': [
        { CapacityReservationId: 'cr-1', CapacityReservationSpecification: { CapacityReservationPreference: 'open' } },
        true,
        'on-demand',
        undefined,
      ],
      'the gate off': [
        {
          CapacityReservationId: 'cr-1',
          CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
        },
        false,
        'on-demand',
        undefined,
      ],
      'a capacity block': [
        {
          InstanceLifecycle: 'capacity-block',
          CapacityReservationId: 'cr-1',
          CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
        },
        true,
        'reserved',
        { id: 'cr-1', type: 'capacity-block', interruptible: false },
      ],
      'an interruptible reservation': [
        {
          InstanceLifecycle: 'interruptible-capacity-reservation',
          CapacityReservationId: 'cr-1',
          CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
        },
        true,
        'reserved',
        { id: 'cr-1', type: 'default', interruptible: true },
      ],
    }
  test.each(Object.entries(kinds))('%s', (_name, [more, gate, capacityType, reservation]) => {
    expect(toInstance({ ...base, ...more }, gate, 0)).toMatchObject({
      capacityType,
      reservation,
      tenancy: 'default',
      zoneID: 'use1-az1',
    })
  })

  test('EFA interfaces are counted, those for EFA alone among them', () => {
    const kinds = ['interface', 'efa', 'efa-only', undefined] as const
    const NetworkInterfaces = kinds.map((InterfaceType) => (InterfaceType === undefined ? {} : { InterfaceType }))
    expect(toInstance({ ...base, NetworkInterfaces }, true, 0).efaCount).toBe(2)
    expect(toInstance(base, true, 0).efaCount).toBe(0)
  })

  test('provider ids are taken apart and put together', () => {
    expect(instanceIDOf('aws:///us-west-2a/i-0123')).toBe('i-0123')
    expect(instanceIDOf('aws:///i-0123')).toBeUndefined()
    expect(instanceIDOf(undefined)).toBeUndefined()
    expect(instanceIDOf('kind://docker/x')).toBeUndefined()
    expect(toProviderID({ zone: 'us-west-2a', id: 'i-1' })).toBe('aws:///us-west-2a/i-1')
  })
})

describe('case 86: drift', () => {
  async function judged(
    change: (nodeClass: ReturnType<typeof aNodeClass>) => ReturnType<typeof aNodeClass>,
    claimMore: object = {},
  ) {
    const { world, ids } = await running()
    const claim = aLaunchClaim([], {
      metadata: { labels: { 'karpenter.sh/nodepool': 'web', 'node.kubernetes.io/instance-type': 'm5.large' } },
      status: { providerID: ids[0] ?? '', imageID: 'ami-amd' },
      ...claimMore,
    })
    world.nodeClasses.set('default', change(aNodeClass()))
    return { world, claim, finding: () => world.drive(world.cloud.provider.isDrifted(claim)) }
  }
  const withStatus = (status: object) => (nodeClass: ReturnType<typeof aNodeClass>) => ({
    ...nodeClass,
    status: { ...nodeClass.status, ...status },
  })

  const cases: Record<
    string,
    [change: (it: ReturnType<typeof aNodeClass>) => ReturnType<typeof aNodeClass>, message: string | undefined]
  > = {
    nothing: [(it) => it, undefined],
    'other security groups': [
      withStatus({ securityGroups: [{ id: 'sg-2', name: 'web' }] }),
      'SecurityGroupDrift: status.securityGroups: ["sg-1"] -> ["sg-2 (web)"]',
    ],
    'the subnet is not selected': [
      withStatus({ subnets: [{ id: 'subnet-0z', zone: 'us-east-1a' }] }),
      'SubnetDrift: status.subnets: subnet-0a -> one of subnet-0z',
    ],
    'another image for the type': [
      withStatus({
        amis: [{ id: 'ami-new', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] }],
      }),
      'AMIDrift: status.amis: ami-amd (amd of 2026-01-01T00:00:00Z) -> ami-new',
    ],
    'an image for another architecture changes': [
      withStatus({
        amis: [
          { id: 'ami-new', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] },
          { id: 'ami-amd', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] },
        ],
      }),
      undefined,
    ],
    'no image for the architecture any more': [
      withStatus({
        amis: [{ id: 'ami-arm', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] }],
      }),
      'AMIDrift: status.amis: ami-amd (amd of 2026-01-01T00:00:00Z) -> none for m5.large',
    ],
    'a class that is going': [
      (it) => ({ ...it, metadata: { ...it.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      undefined,
    ],
    'a hash without its version on the claim': [
      (it) => ({
        ...it,
        metadata: {
          ...it.metadata,
          annotations: {
            'karpenter.k8s.aws/ec2nodeclass-hash': '1',
            'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v6',
          },
        },
      }),
      undefined,
    ],
  }
  test.each(Object.entries(cases))('%s', async (_name, [change, message]) => {
    const finding = await (await judged(change)).finding()
    expect(finding === undefined ? undefined : driftMessage(finding)).toBe(message)
  })

  const unjudged: Record<string, [status: object, claim: object, message: string]> = {
    'a claim that does not name its image': [{}, { imageID: '' }, 'no imageID in the status of the nodeclaim'],
    'a class without images': [{ amis: [] }, {}, 'no amis exist given constraints'],
    'a class without security groups': [{ securityGroups: [] }, {}, 'no security groups are present in the status'],
    'a class without subnets': [{ subnets: [] }, {}, 'no subnets found'],
  }
  test.each(Object.entries(unjudged))('%s: an error, and no drift', async (_name, [status, claimStatus, message]) => {
    const { world, claim } = await judged(withStatus(status))
    const odd = { ...claim, status: { ...claim.status, ...claimStatus } }
    expect((await world.failure(world.cloud.provider.isDrifted(odd))).message).toBe(message)
  })

  test('the images are named even when the one that runs is gone from EC2, from what the claim kept', async () => {
    const input = { spec: {} }
    const image = { id: 'ami-gone', name: 'al2023-v1', creationDate: '2025-06-01T00:00:00Z' }
    const { finding } = await judged((it) => it, {
      metadata: {
        labels: { 'karpenter.sh/nodepool': 'web', 'node.kubernetes.io/instance-type': 'm5.large' },
        annotations: {
          'karpenter.k8s.aws/ec2nodeclass-hash': '1',
          'joinery.dev/nodeclass-hash-input': recordText({ generation: 1, hash: '1', image, input }),
        },
      },
      status: { providerID: (await running()).ids[0] ?? '', imageID: 'ami-gone' },
    })
    expect((await finding())?.fields).toEqual([
      {
        path: 'status.amis',
        old: 'ami-gone (al2023-v1 of 2025-06-01T00:00:00Z)',
        new: 'ami-amd (amd of 2026-01-01T00:00:00Z)',
      },
    ])
  })

  test('another placement group', async () => {
    const { finding } = await judged((it) => it, {
      metadata: {
        labels: {
          'karpenter.sh/nodepool': 'web',
          'node.kubernetes.io/instance-type': 'm5.large',
          'karpenter.k8s.aws/placement-group-id': 'pg-1',
        },
      },
    })
    expect(await finding()).toEqual({
      reason: 'PlacementGroupDrift',
      fields: [{ path: 'spec.placementGroupSelector', old: 'pg-1', new: undefined }],
    })
  })

  test.each([
    ['no images', withStatus({ amis: [] })],
    ['no security groups', withStatus({ securityGroups: [] })],
    ['no subnets', withStatus({ subnets: [] })],
  ])('%s in the status cannot be judged', async (_name, change) => {
    const { world, claim } = await judged(change)
    await expect(world.drive(world.cloud.provider.isDrifted(claim))).rejects.toThrow()
  })

  test('without a pool there is no drift', async () => {
    const { world, finding } = await judged(withStatus({ securityGroups: [{ id: 'sg-2' }] }))
    world.nodePools.clear()
    expect(await finding()).toBeUndefined()
  })
})
