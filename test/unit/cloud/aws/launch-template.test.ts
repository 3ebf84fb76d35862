import { describe, expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import { AWSError, throttled } from '../../../../src/embedded/aws/errors.ts'
import { aLaunchClaim, aNodeClass, type AWSWorld, capacityIn, demoCluster, typeIn } from '../../../support/aws-world.ts'
import { aLaunchWorld, fleetError, refusal } from '../../../support/launch-world.ts'

async function launch(world: AWSWorld, claim: NodeClaim = aLaunchClaim(), nodeClass = aNodeClass()) {
  world.nodeClasses.set('default', nodeClass)
  return world.drive(world.cloud.provider.create(claim))
}

const lastTemplate = (world: AWSWorld) => world.callsOf('ec2:CreateLaunchTemplate').at(-1)
const requesting = (requests: Record<string, string>, ...types: string[]) =>
  aLaunchClaim([typeIn(...types)], { spec: { resources: { requests } } })

describe('a launch template', () => {
  test('says everything a node starts with', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world, aLaunchClaim([capacityIn('spot')]), aNodeClass({ tags: { team: 'core' } }))
    const template = lastTemplate(world)
    const tags = [
      { Key: 'eks:eks-cluster-name', Value: 'demo' },
      { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
      { Key: 'karpenter.sh/nodepool', Value: 'web' },
      { Key: 'kubernetes.io/cluster/demo', Value: 'owned' },
      { Key: 'team', Value: 'core' },
    ]
    expect(template?.LaunchTemplateName).toMatch(/^karpenter\.k8s\.aws\/\d+$/)
    expect(template?.TagSpecifications).toEqual([{ ResourceType: 'launch-template', Tags: tags }])
    const { UserData, ...data } = template?.LaunchTemplateData ?? {}
    expect(data).toEqual({
      ImageId: 'ami-amd',
      IamInstanceProfile: { Name: 'demo_profile' },
      Monitoring: { Enabled: false },
      BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { Encrypted: true, VolumeSize: 20, VolumeType: 'gp3' } }],
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: ['sg-1'] }],
      MetadataOptions: {
        HttpEndpoint: 'enabled',
        HttpProtocolIpv6: 'disabled',
        HttpPutResponseHopLimit: 1,
        HttpTokens: 'required',
        InstanceMetadataTags: 'disabled',
      },
      EnclaveOptions: { Enabled: false },
      Placement: { Tenancy: 'default' },
      CapacityReservationSpecification: { CapacityReservationPreference: 'none' },
      TagSpecifications: [
        { ResourceType: 'network-interface', Tags: tags },
        { ResourceType: 'spot-instances-request', Tags: tags },
      ],
    })
    const userData = Buffer.from(UserData ?? '', 'base64').toString('utf8')
    expect(userData).toContain('maxPods: 29')
    expect(userData).toContain('      clusterDNS:\n      - 172.20.0.10\n')
    expect(userData).toContain(
      '--node-labels="karpenter.k8s.aws/ec2nodeclass=default,karpenter.sh/capacity-type=spot,karpenter.sh/do-not-sync-taints=true,karpenter.sh/nodepool=web"',
    )
    expect(userData).toContain(
      '      registerWithTaints:\n      - effect: NoExecute\n        key: karpenter.sh/unregistered\n',
    )
    expect(world.counts.observed('karpenter_ec2nodeclasses_userdata_bytes', { nodeclass: 'default' })).toEqual([
      Buffer.byteLength(userData),
    ])
  })

  test('case 71: EFA interfaces come when a pod asks for them', async () => {
    const world = await aLaunchWorld({ types: ['p4d.24xlarge'] })
    const launched = await launch(world, requesting({ 'vpc.amazonaws.com/efa': '2' }, 'p4d.24xlarge'))
    const interfaces = lastTemplate(world)?.LaunchTemplateData?.NetworkInterfaces
    expect(interfaces?.map((it) => [it.NetworkCardIndex, it.DeviceIndex, it.InterfaceType])).toEqual([
      [0, 0, 'efa'],
      [1, 1, 'efa'],
      [2, 1, 'efa'],
      [3, 1, 'efa'],
    ])
    expect(launched.capacity.get('vpc.amazonaws.com/efa')?.toString()).toBe('4')
    const plain = await aLaunchWorld({ types: ['p4d.24xlarge'] })
    const without = await launch(plain, requesting({}, 'p4d.24xlarge'))
    expect(without.capacity.has('vpc.amazonaws.com/efa')).toBe(false)
    expect(lastTemplate(plain)?.LaunchTemplateData?.NetworkInterfaces).toEqual([{ DeviceIndex: 0, Groups: ['sg-1'] }])
  })

  test('the first network card of P6-B300 gets a plain interface: it takes no EFA', async () => {
    const world = await aLaunchWorld({ types: ['p6-b300.48xlarge'] })
    const launched = await launch(world, requesting({ 'vpc.amazonaws.com/efa': '16' }, 'p6-b300.48xlarge'))
    const interfaces = lastTemplate(world)?.LaunchTemplateData?.NetworkInterfaces ?? []
    expect(interfaces.map((it) => [it.NetworkCardIndex, it.DeviceIndex, it.InterfaceType])).toEqual([
      [0, 0, 'interface'],
      ...Array.from({ length: 16 }, (_, index) => [index + 1, 1, 'efa']),
    ])
    expect(launched.capacity.get('vpc.amazonaws.com/efa')?.toString()).toBe('16')
  })

  test('case 72: IPv6 clusters get primary IPv6 addresses and IPv6 prefixes', async () => {
    const world = await aLaunchWorld({
      types: ['m5.large'],
      cluster: { ...demoCluster, dnsIP: 'fd00::a', ipFamily: 'IPv6' },
    })
    await launch(world, aLaunchClaim(), aNodeClass({ ipPrefixCount: 2 }))
    expect(lastTemplate(world)?.LaunchTemplateData?.NetworkInterfaces).toEqual([
      { DeviceIndex: 0, Groups: ['sg-1'], PrimaryIpv6: true, Ipv6AddressCount: 1, Ipv6PrefixCount: 2 },
    ])
  })

  test('case 73: volume sizes are rounded up to GiB', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const mapping = {
      deviceName: '/dev/xvda',
      ebs: { volumeSize: '500G', iops: 0, throughput: 125, deleteOnTermination: true },
    }
    await launch(world, aLaunchClaim(), aNodeClass({ blockDeviceMappings: [mapping] }))
    expect(lastTemplate(world)?.LaunchTemplateData?.BlockDeviceMappings).toEqual([
      { DeviceName: '/dev/xvda', Ebs: { DeleteOnTermination: true, Throughput: 125, VolumeSize: 466 } },
    ])
  })

  test('interfaces of the class carry addressing, EFA-only ones none', async () => {
    const world = await aLaunchWorld({ types: ['m6idn.32xlarge'] })
    await launch(
      world,
      aLaunchClaim(),
      aNodeClass({
        associatePublicIPAddress: false,
        ipPrefixCount: 1,
        connectionTracking: { udpTimeout: 45 },
        networkInterfaces: [
          { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
          { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
        ],
      }),
    )
    expect(lastTemplate(world)?.LaunchTemplateData?.NetworkInterfaces).toEqual([
      {
        NetworkCardIndex: 0,
        DeviceIndex: 0,
        InterfaceType: 'interface',
        Groups: ['sg-1'],
        AssociatePublicIpAddress: false,
        Ipv4PrefixCount: 1,
        ConnectionTrackingSpecification: { UdpTimeout: 45 },
      },
      { NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: 'efa-only', Groups: ['sg-1'] },
    ])
  })

  test('enclaves, tenancy, CPU options and a Custom family without devices', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const claim = aLaunchClaim([{ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'In', values: ['dedicated'] }], {
      spec: { resources: { requests: { 'eks.amazonaws.com/nitro-sandbox': '1' } } },
    })
    const failed = await (async () => {
      world.nodeClasses.set('default', aNodeClass())
      return world.failure(world.cloud.provider.create(claim))
    })()
    // No type offers the sandbox as a resource, so nothing fits: the request alone decides about the template.
    expect(failed.code).toBe('InsufficientCapacity')
    await launch(
      world,
      aLaunchClaim(claim.spec.requirements),
      aNodeClass({ amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-amd' }] }),
    )
    const data = lastTemplate(world)?.LaunchTemplateData
    expect(data?.Placement).toEqual({ Tenancy: 'dedicated' })
    expect(data).not.toHaveProperty('BlockDeviceMappings')
    expect(data).not.toHaveProperty('CpuOptions')
    expect(data?.UserData).toBe('')
  })
})

describe('the life of a template', () => {
  test('case 74: equal launches share one; unused it is gone after one to two minutes', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world)
    await launch(world, aLaunchClaim([], { metadata: { name: 'other' } }))
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(1)
    expect(world.countOf('ec2:DescribeLaunchTemplates')).toBe(1)
    await world.world.run(59_000)
    expect(world.countOf('ec2:DeleteLaunchTemplate')).toBe(0)
    await world.world.run(70_000)
    expect(world.countOf('ec2:DeleteLaunchTemplate')).toBe(1)
    expect(world.aws.state.launchTemplates).toEqual([])
  })

  test('the order of taints does not make another template, their values do', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    const a = { key: 'a', value: 'x', effect: 'NoSchedule' as const }
    const b = { key: 'b', effect: 'NoExecute' as const }
    await launch(world, aLaunchClaim([], { spec: { taints: [a, b] } }))
    await launch(world, aLaunchClaim([], { spec: { taints: [b, a] } }))
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(1)
    await launch(world, aLaunchClaim([], { spec: { taints: [{ ...a, value: 'y' }, b] } }))
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(2)
    await launch(
      world,
      aLaunchClaim([], { spec: { taints: [a, b] } }),
      aNodeClass({}, { metadata: { name: 'default', labels: { other: 'label' } } }),
    )
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(2)
  })

  test('the order of nameservers makes another template', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world, aLaunchClaim(), aNodeClass({ kubelet: { clusterDNS: ['10.0.0.10', '10.0.0.11'] } }))
    await launch(world, aLaunchClaim(), aNodeClass({ kubelet: { clusterDNS: ['10.0.0.11', '10.0.0.10'] } }))
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(2)
    const userData = Buffer.from(lastTemplate(world)?.LaunchTemplateData?.UserData ?? '', 'base64').toString('utf8')
    expect(userData).toContain('      clusterDNS:\n      - 10.0.0.11\n      - 10.0.0.10\n')
  })

  test('case 68: a template deleted behind our back is made anew, once', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world)
    world.aws.state.launchTemplates.length = 0
    await launch(world, aLaunchClaim([], { metadata: { name: 'second' } }))
    expect(world.countOf('ec2:CreateFleet')).toBe(3)
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(2)
  })

  test.each(['InvalidLaunchTemplateId.NotFound', 'InvalidLaunchTemplateName.NotFoundException'])(
    'one that is gone is made anew by the next launch when only the errors of a fleet tell so, as %s',
    async (code) => {
      const world = await aLaunchWorld({ types: ['m5.large'] })
      await launch(world)
      world.aws.state.launchTemplates.length = 0
      world.aws.faults.add(({ action }) =>
        action === 'CreateFleet' && world.aws.state.launchTemplates.length === 0
          ? { kind: 'answer', output: { Errors: [fleetError(code, 'm5.large', 'us-east-1a')], Instances: [] } }
          : undefined,
      )
      const again = aLaunchClaim([], { metadata: { name: 'second' } })
      expect(await refusal(world, again)).toMatchObject({ code: 'CreateError' })
      expect(await launch(world, again)).toHaveProperty('providerID')
    },
  )

  test('case 68: a second failure is returned', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    world.aws.faults.add((call) => {
      if (call.action === 'CreateFleet') world.aws.state.launchTemplates.length = 0
      return undefined
    })
    world.nodeClasses.set('default', aNodeClass())
    const error = await world.failure(world.cloud.provider.create(aLaunchClaim()))
    expect(error.conditionMessage).toBe(
      'Launch templates not found when creating fleet request: Instance launch failed',
    )
    expect(world.countOf('ec2:CreateFleet')).toBe(2)
  })

  test.each([
    ['only once', 1],
    ['for as long as the launch takes', Number.POSITIVE_INFINITY],
  ])('one that EC2 says is not there, %s, and yet has is used', async (_how, times) => {
    const earlier = await aLaunchWorld({ types: ['m5.large'] })
    await launch(earlier)
    const world = await aLaunchWorld({ types: ['m5.large'] })
    world.aws.state.launchTemplates = [...earlier.aws.state.launchTemplates]
    let left = times
    world.aws.faults.add(({ action }) => {
      if (action !== 'DescribeLaunchTemplates' || left <= 0) return undefined
      left -= 1
      return { kind: 'fail', error: new AWSError('InvalidLaunchTemplateName.NotFoundException', 'not there') }
    })
    expect(await launch(world)).toHaveProperty('providerID')
    expect(world.aws.state.launchTemplates).toHaveLength(1)
    left = 0
    await launch(world, aLaunchClaim([], { metadata: { name: 'web-def', uid: 'other' } }))
    await world.clock.run({ forMs: 130_000 })
    expect(world.aws.state.launchTemplates).toEqual([])
  })

  test('a new leader takes over what an earlier one left', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world)
    const [left] = world.aws.state.launchTemplates
    if (left === undefined) throw new Error('no template')
    const next = await aLaunchWorld({ types: ['m5.large'] })
    next.aws.state.launchTemplates.push(left, {
      ...left,
      id: 'lt-other',
      name: 'other',
      tags: { 'eks:eks-cluster-name': 'else' },
    })
    await next.drive(next.cloud.lead())
    await next.world.run(130_000)
    expect(next.aws.state.launchTemplates.map((it) => it.id)).toEqual(['lt-other'])
  })

  test("a new leader leaves templates alone that only carry the cluster's name", async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world)
    const [left] = world.aws.state.launchTemplates
    if (left === undefined) throw new Error('no template')
    const next = await aLaunchWorld({ types: ['m5.large'] })
    const tags = { 'eks:eks-cluster-name': 'demo', 'eks:kubernetes-node-pool-name': 'general-purpose' }
    next.aws.state.launchTemplates.push(
      { ...left, id: 'lt-ours' },
      { ...left, id: 'lt-auto-mode', name: 'karpenter.k8s.aws/1234', tags },
      { ...left, id: 'lt-of-people', name: 'bastion' },
    )
    await next.drive(next.cloud.lead())
    await next.world.run(130_000)
    expect(next.aws.state.launchTemplates.map((it) => it.id)).toEqual(['lt-auto-mode', 'lt-of-people'])
  })

  describe('of many that have expired together', () => {
    /** A new leader that deletes what an earlier one left, five a second; last in line is the one that its own launches want. */
    async function afterMany(count: number) {
      const world = await aLaunchWorld({ types: ['m5.large'] })
      await launch(world)
      const [left] = world.aws.state.launchTemplates
      if (left === undefined) throw new Error('no template')
      const next = await aLaunchWorld({ types: ['m5.large'] })
      const others = Array.from({ length: count }, (_, index) => ({
        ...left,
        id: `lt-${index}`,
        name: `${left.name}${index}`,
      }))
      next.aws.state.launchTemplates.push(...others, left)
      next.aws.faults.add(({ action }) => (action === 'DeleteLaunchTemplate' ? { kind: 'delay', ms: 200 } : undefined))
      await next.drive(next.cloud.lead())
      await next.world.run(61_000)
      return { world: next, wanted: left }
    }

    test('launches do not wait for the deletion', async () => {
      const { world } = await afterMany(300)
      const startedAt = world.clock.now()
      await launch(world)
      expect(world.clock.now() - startedAt).toBeLessThan(5_000)
      await world.world.run(180_000)
      expect(world.aws.state.launchTemplates).toEqual([])
    })

    test('one that is wanted again before its turn stays', async () => {
      const { world, wanted } = await afterMany(100)
      await launch(world)
      await world.world.run(50_000)
      expect(world.aws.state.launchTemplates.map(({ id }) => id)).toEqual([wanted.id])
      await launch(world, aLaunchClaim([], { metadata: { name: 'second' } }))
      expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(0)
    })
  })

  test('one that is wanted again while it is deleted is made anew', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world)
    world.aws.faults.add(({ action }) => (action === 'DeleteLaunchTemplate' ? { kind: 'delay', ms: 5_000 } : undefined))
    await world.clock.run({ until: () => world.countOf('ec2:DeleteLaunchTemplate') === 1, withinMs: 130_000 })
    await launch(world, aLaunchClaim([], { metadata: { name: 'second' } }))
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(2)
    expect(world.countOf('ec2:CreateFleet')).toBe(2)
    expect(world.aws.state.launchTemplates).toHaveLength(1)
  })

  test.each(['finds', 'does not get to see'])(
    'one that expires while a launch looks for it stays for this, and goes in time if the launch %s it',
    async (how) => {
      const world = await aLaunchWorld({ types: ['m5.large'] })
      await launch(world)
      await world.world.run(30_000)
      await launch(world, aLaunchClaim([], { metadata: { name: 'second' } }))
      // It expires after one minute more, and what has expired is looked for every minute.
      await world.world.run(75_000)
      const recover = world.aws.faults.add(({ action }) => {
        if (action !== 'DescribeLaunchTemplates') return undefined
        const answer = (output: unknown) => (how === 'finds' ? output : Promise.reject(throttled()))
        return { kind: 'change', by: (output) => world.clock.sleep(30_000).then(() => answer(output)) }
      })
      const third = aLaunchClaim([], { metadata: { name: 'third' } })
      if (how === 'finds') await launch(world, third)
      else await refusal(world, third)
      recover()
      expect(world.countOf('ec2:DeleteLaunchTemplate')).toBe(0)
      expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(1)
      expect(world.countOf('ec2:CreateFleet')).toBe(how === 'finds' ? 3 : 2)
      await world.world.run(130_000)
      expect(world.aws.state.launchTemplates).toEqual([])
    },
  )

  test('only AL2023, which must be told the service network, has EKS asked for it', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world, aLaunchClaim(), aNodeClass({ amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] }))
    expect(world.countOf('eks:DescribeCluster')).toBe(0)
    await launch(world, aLaunchClaim([], { metadata: { name: 'second' } }))
    expect(world.countOf('eks:DescribeCluster')).toBe(1)
  })

  test('a new leader that may not look yet launches all the same, and looks again', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world)
    const next = await aLaunchWorld({ types: ['m5.large'] })
    next.aws.state.launchTemplates.push(...world.aws.state.launchTemplates)
    const recover = next.aws.faults.add(({ action }) =>
      action === 'DescribeLaunchTemplates' ? { kind: 'fail', error: throttled() } : undefined,
    )
    await next.drive(next.cloud.lead())
    await next.world.run(90_000)
    recover()
    expect(next.aws.state.launchTemplates).toHaveLength(1)
    await next.world.run(200_000)
    expect(next.aws.state.launchTemplates).toEqual([])
    next.cloud.stop()
  })

  test('who leads no more neither looks again nor clears away', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world)
    world.cloud.stop()
    await world.world.run(200_000)
    expect(world.aws.state.launchTemplates).toHaveLength(1)

    const next = await aLaunchWorld({ types: ['m5.large'] })
    next.aws.deny('ec2:DescribeLaunchTemplates')
    await next.drive(next.cloud.lead())
    const looks = next.countOf('ec2:DescribeLaunchTemplates')
    next.cloud.stop()
    await next.world.run(200_000)
    expect(next.countOf('ec2:DescribeLaunchTemplates')).toBe(looks)
  })

  test('one that could not be deleted is tried again, unless that is not permitted', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    await launch(world)
    const recover = world.aws.faults.add(({ action }) =>
      action === 'DeleteLaunchTemplate' ? { kind: 'fail', error: throttled() } : undefined,
    )
    await world.world.run(130_000)
    recover()
    expect(world.aws.state.launchTemplates).toHaveLength(1)
    await world.world.run(130_000)
    expect(world.aws.state.launchTemplates).toEqual([])

    const denied = await aLaunchWorld({ types: ['m5.large'] })
    await launch(denied)
    denied.aws.deny('ec2:DeleteLaunchTemplate')
    await denied.world.run(600_000)
    expect(denied.countOf('ec2:DeleteLaunchTemplate')).toBe(1)
  })

  test('one that was refused is not asked for anew by every claim that wants it, and is soon had when it is granted', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    world.nodeClasses.set('default', aNodeClass())
    const grant = world.aws.deny('ec2:CreateLaunchTemplate')
    const attempt = () => world.failure(world.cloud.provider.create(aLaunchClaim()))
    const [first, second] = [await attempt(), await attempt()]
    expect(second).toMatchObject({ conditionReason: 'Unauthorized', message: first.message })
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(1)
    await world.world.run(5_000)
    await attempt()
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(2)
    grant()
    await world.world.run(5_000)
    await launch(world)
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(3)
  })

  test('one that EC2 had no time for is asked for again at once', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    world.nodeClasses.set('default', aNodeClass())
    const recover = world.aws.faults.add(({ action }) =>
      action === 'CreateLaunchTemplate' ? { kind: 'fail', error: throttled() } : undefined,
    )
    await world.failure(world.cloud.provider.create(aLaunchClaim()))
    recover()
    await launch(world)
    expect(world.aws.state.launchTemplates).toHaveLength(1)
  })

  test('what could not be described or is missing is told', async () => {
    const world = await aLaunchWorld({ types: ['m5.large'] })
    world.nodeClasses.set('default', aNodeClass({}, { status: { securityGroups: [] } }))
    expect((await world.failure(world.cloud.provider.create(aLaunchClaim()))).message).toContain('security groups')
    world.nodeClasses.set('default', aNodeClass({}, { status: { amis: [] } }))
    expect((await world.failure(world.cloud.provider.create(aLaunchClaim()))).message).toContain(
      'no amis exist given constraints',
    )
    const amis = aNodeClass().status?.amis?.filter(({ id }) => id === 'ami-arm') ?? []
    world.nodeClasses.set('default', aNodeClass({}, { status: { amis } }))
    expect((await world.failure(world.cloud.provider.create(aLaunchClaim()))).message).toContain(
      'no instance types satisfy requirements of amis ami-arm',
    )
    world.aws.deny('ec2:DescribeLaunchTemplates')
    world.nodeClasses.set('default', aNodeClass())
    const error = await world.failure(world.cloud.provider.create(aLaunchClaim()))
    expect(error).toMatchObject({
      conditionReason: 'Unauthorized',
      conditionMessage:
        'Error getting launch template configs: User is not authorized to perform this operation because no identity-based policy allows it',
    })
  })
})
