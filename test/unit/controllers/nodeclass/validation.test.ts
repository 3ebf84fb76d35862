import { describe, expect, test } from 'vitest'
import { AWSError } from '../../../../src/embedded/aws/errors.ts'
import { ec2NodeClasses, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { aWebPool } from '../../../support/aws-world.ts'
import { aNodeClassWorld, type NodeClassWorld } from '../../../support/node-class-world.ts'

const condition = (world: NodeClassWorld) => world.condition('ValidationSucceeded')
const isValid = { status: 'True', reason: 'ValidationSucceeded', message: '' }
const invalid = (reason: string, message?: string) => ({
  status: 'False',
  reason,
  ...(message === undefined ? {} : { message }),
})

/** The nth call of the action, and all later ones up to `times`, fail so. */
function failCalls(world: NodeClassWorld, action: string, error: Error, times = Number.POSITIVE_INFINITY): void {
  let left = times
  world.aws.faults.add((call) => {
    if (call.action !== action || left <= 0) return undefined
    left -= 1
    return { kind: 'fail', error }
  })
}

const unauthorized = (action: string) =>
  new AWSError('UnauthorizedOperation', `You are not authorized to perform: ${action}`, { status: 403 })

describe('dry runs', () => {
  test('a class is tried with a real template and two dry runs', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    expect(await condition(world)).toEqual(isValid)
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(1)
    const [fleet] = world.callsOf('ec2:CreateFleet')
    expect(fleet).toMatchObject({
      DryRun: true,
      Type: 'instant',
      OnDemandOptions: { AllocationStrategy: 'lowest-price' },
    })
    expect(fleet?.LaunchTemplateConfigs?.[0]?.Overrides).toEqual([
      { InstanceType: 'm5.large', SubnetId: 'subnet-0a' },
      { InstanceType: 'm5.large', SubnetId: 'subnet-0b' },
      { InstanceType: 'm5.large', SubnetId: 'subnet-0c' },
    ])
    const [run] = world.callsOf('ec2:RunInstances')
    expect(run).toMatchObject({
      DryRun: true,
      MinCount: 1,
      MaxCount: 1,
      InstanceType: 'm5.large',
      NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: 'subnet-0a' }],
      LaunchTemplate: {
        LaunchTemplateName: fleet?.LaunchTemplateConfigs?.[0]?.LaunchTemplateSpecification?.LaunchTemplateName,
        Version: '$Latest',
      },
    })
    expect(run?.TagSpecifications?.map((it) => it.ResourceType)).toEqual(['instance', 'volume', 'network-interface'])
    expect(world.aws.state.instances).toEqual([])
  })

  test.each([
    ['CreateFleet', 'CreateFleetAuthCheckFailed'],
    ['CreateLaunchTemplate', 'CreateLaunchTemplateAuthCheckFailed'],
    ['RunInstances', 'RunInstancesAuthCheckFailed'],
  ])('case 27: a refusal of %s is told, kept, and looked at again after a flush', async (action, reason) => {
    const world = await aNodeClassWorld()
    failCalls(world, action, unauthorized(`ec2:${action}`), action === 'RunInstances' ? 3 : 1)
    await world.create()
    const refused = invalid(
      reason,
      `Controller isn't authorized to call ec2:${action}: User is not authorized to perform this operation because no identity-based policy allows it`,
    )
    expect(await condition(world)).toEqual(refused)
    const calls = world.countOf(`ec2:${action}`)
    await world.run(601_000)
    expect(world.countOf(`ec2:${action}`)).toBe(calls)
    expect(await condition(world)).toEqual(refused)
    world.controller.flush()
    await world.run(601_000)
    expect(await condition(world)).toEqual(isValid)
  })

  test('interfaces of the class are tried, each in the subnet', async () => {
    const world = await aNodeClassWorld()
    const interfaces = [0, 1].map((deviceIndex) => ({
      networkCardIndex: 0,
      deviceIndex,
      interfaceType: 'interface' as const,
    }))
    await world.create({ networkInterfaces: interfaces })
    expect(world.callsOf('ec2:RunInstances')[0]?.NetworkInterfaces).toEqual(
      [0, 1].map((DeviceIndex) => ({
        NetworkCardIndex: 0,
        DeviceIndex,
        InterfaceType: 'interface',
        SubnetId: 'subnet-0a',
      })),
    )
  })

  test('who may not look for the template is told so as one who may not make it', async () => {
    const world = await aNodeClassWorld()
    failCalls(world, 'DescribeLaunchTemplates', unauthorized('ec2:DescribeLaunchTemplates'))
    await world.create()
    expect(await condition(world)).toEqual(
      invalid(
        'CreateLaunchTemplateAuthCheckFailed',
        "Controller isn't authorized to call ec2:CreateLaunchTemplate: User is not authorized to perform this operation because no identity-based policy allows it",
      ),
    )
  })

  test('nothing is tried while it is not known what the class depends on', async () => {
    const world = await aNodeClassWorld()
    failCalls(world, 'CreateInstanceProfile', new AWSError('AccessDenied', 'not authorized', { status: 403 }))
    await world.create()
    expect(await condition(world)).toEqual({
      status: 'Unknown',
      reason: 'DependenciesNotReady',
      message: 'Awaiting AMI, Instance Profile, Security Group, and Subnet resolution',
    })
    expect(world.calls.filter(({ name }) => /:(CreateFleet|CreateLaunchTemplate|RunInstances)/.test(name))).toEqual([])
  })

  test('case 28: one subnet in which it works is enough', async () => {
    const world = await aNodeClassWorld()
    failCalls(world, 'RunInstances', new AWSError('InternalError', 'oops', { status: 500 }), 1)
    await world.create()
    expect(await condition(world)).toEqual(isValid)
    expect(world.countOf('ec2:RunInstances')).toBe(2)
  })

  const noProfile = new AWSError(
    'InvalidParameterValue',
    'Value (p) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name',
  )
  test('case 29: a profile that EC2 does not see yet is waited for', async () => {
    const world = await aNodeClassWorld()
    failCalls(world, 'RunInstances', noProfile, 3)
    await world.create()
    expect((await condition(world))?.status).not.toBe('False')
    await world.run(5_000)
    expect(await condition(world)).toEqual(isValid)
  })

  test('a profile that somebody deleted is made anew, and no subnet asked twice for it', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    expect(await condition(world)).toEqual(isValid)
    // By then IAM has been asked for it.
    await world.run(120_000)
    world.aws.state.instanceProfiles.splice(0)
    world.controller.flush()
    const before = world.countOf('ec2:RunInstances')
    await world.run(601_000)
    expect(world.aws.state.instanceProfiles).toHaveLength(1)
    expect(await condition(world)).toEqual(isValid)
    expect(world.countOf('ec2:RunInstances') - before).toBe(2)
  })

  test('an image that is gone is no matter of subnets: one of them is asked each time', async () => {
    const world = await aNodeClassWorld()
    failCalls(world, 'RunInstances', new AWSError('InvalidAMIID.NotFound', 'The image id does not exist'), 3)
    await world.create()
    await world.run(5_000)
    expect(await condition(world)).toEqual(isValid)
    // Each try asks for a fleet first.
    expect(world.countOf('ec2:CreateFleet')).toBe(4)
    expect(world.countOf('ec2:RunInstances')).toBe(4)
  })

  test('case 29: unless the user gave it', async () => {
    const world = await aNodeClassWorld()
    failCalls(world, 'RunInstances', noProfile)
    await world.create({ role: undefined, instanceProfile: 'p' } as never)
    expect(await condition(world)).toEqual(invalid('InstanceProfileNotFound', 'Instance profile "p" not found'))
  })

  test('user data that EC2 finds too large', async () => {
    const world = await aNodeClassWorld()
    failCalls(
      world,
      'CreateLaunchTemplate',
      new AWSError('InvalidUserData.Malformed', 'User data is limited to 16384 bytes'),
    )
    await world.create()
    expect(await condition(world)).toEqual(
      invalid(
        'UserDataSizeLimitExceeded',
        'ec2:CreateLaunchTemplate rejected the rendered user data as too large: Rendered user data exceeds the EC2 user data size limit',
      ),
    )
  })

  test.each([
    ['with what the family adds to it', '#'.repeat(16_300)],
    ['by itself, which EC2 is not asked about', '#'.repeat(20_000)],
  ])('user data that is too large %s', async (_how, userData) => {
    const world = await aNodeClassWorld()
    await world.create({ userData } as never)
    expect(await condition(world)).toMatchObject({ status: 'False', reason: 'UserDataSizeLimitExceeded' })
  })

  test.each([
    [
      'al2023@latest',
      { userData: 'Content-Type: text/plain\n\nhi' },
      'parsing MIME user data, the document is not multipart',
    ],
    ['bottlerocket@latest', { userData: '[settings' }, 'invalid UserData, '],
  ])(
    'user data that %s cannot be merged with is told, and tried again once it is changed',
    async (alias, spec, why) => {
      const world = await aNodeClassWorld()
      world.aws.publishImage('bottlerocket', { version: '1.50.0' })
      await world.create({ amiSelectorTerms: [{ alias }], ...spec })
      const found = await condition(world)
      expect(found).toMatchObject(invalid('InvalidUserData'))
      expect(found?.message).toContain(why)
      await world.run(601_000)
      expect(await condition(world)).toEqual(found)
      await world.change({ userData: '' }, 2)
      expect(await condition(world)).toEqual(isValid)
    },
  )

  test('throttling and server faults are tried again without a word', async () => {
    const world = await aNodeClassWorld()
    failCalls(world, 'CreateFleet', new AWSError('RequestLimitExceeded', 'slow down', { status: 503 }), 2)
    await world.create()
    await world.run(10_000)
    expect(await condition(world)).toEqual(isValid)
  })

  test.each(['CreateFleet', 'RunInstances'])(
    'a template that %s finds deleted is made anew at once',
    async (action) => {
      const world = await aNodeClassWorld()
      await world.create()
      let isThere = true
      world.aws.faults.add((call) => {
        if (call.action === action && isThere) world.aws.state.launchTemplates.splice(0)
        if (call.action === action) isThere = false
        return undefined
      })
      await world.change({}, 2, { annotations: { note: 'x' } })
      expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(2)
      const { conditions = [] } = (await world.read()).status ?? {}
      expect(conditions.find(({ type }) => type === 'ValidationSucceeded')).toMatchObject({
        status: 'True',
        observedGeneration: 2,
      })
    },
  )

  test('a throttled dry run is not asked for in the next subnet: all of them draw on one small bucket', async () => {
    const world = await aNodeClassWorld()
    failCalls(world, 'RunInstances', new AWSError('RequestLimitExceeded', 'slow down', { status: 503 }), 2)
    await world.create()
    await world.run(5_000)
    expect(await condition(world)).toEqual(isValid)
    const subnets = world.callsOf('ec2:RunInstances').map((run) => run.NetworkInterfaces?.[0]?.SubnetId)
    expect(subnets).toEqual(['subnet-0a', 'subnet-0a', 'subnet-0a'])
  })

  test('case 30: a new annotation is looked at anew', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    const before = world.countOf('ec2:CreateFleet')
    await world.change({}, 1, { annotations: { note: 'x' } })
    expect(world.countOf('ec2:CreateFleet')).toBe(before + 1)
    await world.run(601_000)
    expect(world.countOf('ec2:CreateFleet')).toBe(before + 1)
  })

  test('case 31: switched off, nothing is written to EC2', async () => {
    const world = await aNodeClassWorld({ settings: { disableDryRun: true } })
    await world.create()
    expect(await condition(world)).toEqual(isValid)
    expect(world.calls.filter(({ name }) => /:(Create(Fleet|LaunchTemplate)|RunInstances)/.test(name))).toEqual([])
  })

  test('a pool that allows only dedicated tenancy is tried with it', async () => {
    const world = await aNodeClassWorld()
    await world.kube.create(
      nodePools,
      aWebPool([{ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'In', values: ['dedicated'] }]),
    )
    await world.create()
    expect(world.callsOf('ec2:CreateLaunchTemplate')[0]?.LaunchTemplateData?.Placement?.Tenancy).toBe('dedicated')
  })

  test('the type tried is one that a pool of the class would launch', async () => {
    const world = await aNodeClassWorld()
    await world.kube.create(nodePools, aWebPool([{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }]))
    await world.create()
    expect(world.callsOf('ec2:RunInstances')[0]?.InstanceType).toBe('m6g.large')
  })

  test.each([
    ['that a pool would launch first', 'us-east-1d', ['c3.large', 'm5.large'], [aWebPool()], 'm5.large'],
    ['of modest size', 'us-east-1e', ['m5.large', 't2.large'], [], 't2.large'],
  ])('a type %s is not tried where EC2 does not offer it', async (_which, zone, types, pools, tried) => {
    const world = await aNodeClassWorld({ types })
    const zoneID = world.aws.account.region.zones.find(({ name }) => name === zone)?.id ?? ''
    world.aws.state.subnets = world.aws.state.subnets.slice(0, 1).map((subnet) => ({ ...subnet, zone, zoneID }))
    world.aws.faults.add(({ action, input }) => {
      if (action !== 'RunInstances') return undefined
      const { InstanceType = '' } = input as { InstanceType?: string }
      if (world.cloud.catalogue.zonesByType.get(InstanceType)?.has(zone) === true) return undefined
      const message = `Your requested instance type (${InstanceType}) is not supported in your requested Availability Zone`
      return { kind: 'fail', error: new AWSError('Unsupported', message) }
    })
    for (const pool of pools) await world.kube.create(nodePools, pool)
    await world.create()
    expect(world.callsOf('ec2:RunInstances').map(({ InstanceType }) => InstanceType)).toEqual([tried])
    expect(await condition(world)).toEqual(isValid)
  })

  test('a subnet in whose zone the type is not offered says nothing of the class', async () => {
    const world = await aNodeClassWorld({ types: ['c3.large'] })
    const [first] = world.aws.state.subnets
    world.aws.state.subnets = ['us-east-1d', 'us-east-1a'].flatMap((zone, index) => {
      const zoneID = world.aws.account.region.zones.find(({ name }) => name === zone)?.id ?? ''
      return first === undefined ? [] : [{ ...first, id: `subnet-${index}`, zone, zoneID }]
    })
    failCalls(world, 'RunInstances', unauthorized('ec2:RunInstances'))
    await world.create()
    expect(await condition(world)).toMatchObject({ reason: 'RunInstancesAuthCheckFailed' })
    const subnets = world.callsOf('ec2:RunInstances').map((run) => run.NetworkInterfaces?.[0]?.SubnetId)
    expect(subnets).toEqual(['subnet-1'])
  })
})

describe('what is wrong before EC2 is asked', () => {
  test('case 32: AL2023 needs the service network', async () => {
    const world = await aNodeClassWorld()
    world.aws.deny('eks:DescribeCluster')
    await world.create()
    expect(await condition(world)).toEqual(invalid('ClusterCIDRResolutionFailed', 'Failed to detect the cluster CIDR'))
    const al2 = await aNodeClassWorld({ version: '1.32' })
    al2.aws.publishImage('al2', { version: 'v20260101' })
    al2.aws.deny('eks:DescribeCluster')
    const before = al2.countOf('eks:DescribeCluster')
    await al2.create({ amiSelectorTerms: [{ alias: 'al2@latest' }] })
    expect(await condition(al2)).toEqual(isValid)
    expect(al2.countOf('eks:DescribeCluster')).toBe(before)
  })

  test('case 33: tags that ownership rests on', async () => {
    const world = await aNodeClassWorld()
    await world.create({ tags: { 'kubernetes.io/cluster/x': 'owned' } })
    expect(await condition(world)).toEqual(
      invalid('TagValidationFailed', 'tags failed validation requirements, "kubernetes.io/cluster/x"'),
    )
  })

  test('a volume size without a number, which admission takes', async () => {
    const world = await aNodeClassWorld()
    const device = (volumeSize: string) => ({
      blockDeviceMappings: [
        { deviceName: '/dev/xvda', ebs: { volumeSize: '20Gi' } },
        { deviceName: '/dev/xvdb', ebs: { volumeSize } },
      ],
    })
    await world.create(device('Ti'))
    const message = 'spec.blockDeviceMappings[1].ebs.volumeSize: "Ti" is a unit without a number'
    expect(await condition(world)).toEqual(invalid('InvalidBlockDeviceMappings', message))
    await world.change(device('1Ti'), 2)
    expect(await condition(world)).toEqual(isValid)
  })

  test('case 34: a soft threshold without its grace period', async () => {
    const world = await aNodeClassWorld()
    await world.create({ kubelet: { evictionSoft: { 'memory.available': '5%' } } })
    const found = await condition(world)
    expect(found).toMatchObject(invalid('InvalidKubeletConfiguration'))
    expect(found?.message).toContain('spec.kubelet.evictionSoft[memory.available]')
  })

  test('case 35: a field that the family would drop', async () => {
    const world = await aNodeClassWorld()
    world.aws.publishImage('bottlerocket', { version: '1.50.0' })
    await world.create({ amiSelectorTerms: [{ alias: 'bottlerocket@latest' }], kubelet: { registryPullQPS: 20 } })
    expect(await condition(world)).toEqual(
      invalid(
        'UnsupportedKubeletConfiguration',
        'spec.kubelet has fields not applied by the Bottlerocket AMI family that would be silently dropped: registryPullQPS',
      ),
    )
    const al2023 = await aNodeClassWorld()
    await al2023.create({ kubelet: { registryPullQPS: 20 } })
    expect(await condition(al2023)).toEqual(isValid)
    const userData = Buffer.from(
      al2023.callsOf('ec2:CreateLaunchTemplate')[0]?.LaunchTemplateData?.UserData ?? '',
      'base64',
    ).toString('utf8')
    expect(userData).toContain('registryPullQPS: 20')
  })

  test('case 36: expressions with the gate off, and on', async () => {
    const kubelet = { maxPods: 'min(110, max_pods)' }
    const off = await aNodeClassWorld()
    await off.create({ kubelet })
    expect(await condition(off)).toEqual(
      invalid(
        'KubeletExpressionsDisabled',
        'spec.kubelet contains a CEL expression, but the NodeClassCEL feature gate is disabled',
      ),
    )
    const on = await aNodeClassWorld({ gates: { nodeClassCEL: true } })
    await on.create({ kubelet })
    expect(await condition(on)).toEqual(isValid)
    const userData = Buffer.from(
      on.callsOf('ec2:CreateLaunchTemplate')[0]?.LaunchTemplateData?.UserData ?? '',
      'base64',
    ).toString('utf8')
    expect(userData).toContain('maxPods: 29')
  })

  test.each([
    [{ maxPods: 'instance_type' }, 'KubeletExpressionInvalid'],
    [{ maxPods: 'nope + 1' }, 'KubeletExpressionInvalid'],
    [{ maxPods: 'vcpus - 100' }, 'KubeletExpressionEvaluationFailed'],
    [{ kubeReserved: { cpu: 'vcpus / 0' } }, 'KubeletExpressionEvaluationFailed'],
  ])('%j is %s', async (kubelet, reason) => {
    const world = await aNodeClassWorld({ gates: { nodeClassCEL: true } })
    await world.create({ kubelet: { ...kubelet } })
    expect(await condition(world)).toMatchObject(invalid(reason))
    const before = world.calls.length
    await world.run(120_000)
    expect(world.calls.length).toBe(before)
  })
})

test('a class that is gone is forgotten', async () => {
  const world = await aNodeClassWorld()
  await world.create()
  await world.kube.delete(ec2NodeClasses, { name: 'default' })
  await world.run(5_000)
  expect(await world.world.exists(ec2NodeClasses, { name: 'default' })).toBe(false)
})
