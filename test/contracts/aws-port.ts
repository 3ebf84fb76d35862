import type * as ec2 from '@aws-sdk/client-ec2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AWSClients } from '../../src/cloud/aws/clients.ts'

/** What a contract run is given: an account that holds nothing but what is named here. */
export interface AWSPortWorld {
  readonly clients: AWSClients
  /** Three subnets and one security group, named `nodes`, carry it. */
  readonly discovery: { readonly Key: string; readonly Value: string }
  readonly clusterName: string
  readonly kubernetesVersion: string
  /** An x86 image, found by this name and by this parameter. */
  readonly image: { readonly id: string; readonly name: string; readonly parameter: string }
  /** An IAM role that exists. */
  readonly role: string
  /** A queue that exists, and how something gets into it. */
  readonly queue: { readonly name: string; send(body: string): Promise<void> }
  /** Lets instances reach their next state. */
  readonly pause: () => Promise<void>
  readonly stop: () => Promise<void>
}

type Case = (world: AWSPortWorld) => Promise<void>

const network: Readonly<Record<string, Case>> = {
  'subnets are found by tag, by tag key and by id': async ({ clients, discovery }) => {
    const byTag = await subnetIDs(clients, [{ Name: `tag:${discovery.Key}`, Values: [discovery.Value] }])
    expect(byTag).toHaveLength(3)
    expect(await subnetIDs(clients, [{ Name: 'tag-key', Values: [discovery.Key] }])).toEqual(byTag)
    expect(await subnetIDs(clients, [{ Name: 'subnet-id', Values: byTag.slice(0, 1) }])).toEqual(byTag.slice(0, 1))
  },
  'filters are joined by and, their values by or': async ({ clients, discovery }) => {
    const [first = '', second = ''] = await subnetIDs(clients, [{ Name: 'tag-key', Values: [discovery.Key] }])
    const tag = { Name: `tag:${discovery.Key}`, Values: [discovery.Value] }
    expect(await subnetIDs(clients, [tag, { Name: 'subnet-id', Values: [first, second] }])).toEqual([first, second])
    expect(await subnetIDs(clients, [tag, { Name: 'tag:nobody', Values: ['has'] }])).toEqual([])
  },
  'a subnet tells its zone, the id of the zone and its free addresses': async ({ clients, discovery }) => {
    const { Subnets = [] } = await clients.ec2.describeSubnets({
      Filters: [{ Name: 'tag-key', Values: [discovery.Key] }],
    })
    for (const subnet of Subnets) {
      expect(subnet.AvailabilityZone).toMatch(/^us-east-1[a-f]$/)
      expect(subnet.AvailabilityZoneId).toMatch(/^use1-az\d$/)
      expect(subnet.AvailableIpAddressCount).toBeGreaterThan(0)
    }
  },
  'security groups are found by name, by id and by tag': async ({ clients, discovery }) => {
    const find = async (Name: string, value: string) =>
      ((await clients.ec2.describeSecurityGroups({ Filters: [{ Name, Values: [value] }] })).SecurityGroups ?? []).map(
        ({ GroupId = '', GroupName }) => [GroupId, GroupName],
      )
    const byName = await find('group-name', 'nodes')
    expect(byName).toEqual([[expect.stringMatching(/^sg-/), 'nodes']])
    expect(await find('group-id', String(byName[0]?.[0]))).toEqual(byName)
    expect(await find(`tag:${discovery.Key}`, discovery.Value)).toEqual(byName)
  },
}

const catalogue: Readonly<Record<string, Case>> = {
  'images are found by id and by a name with a wildcard': async ({ clients, image }) => {
    const find = async (Name: string, value: string) =>
      ((await clients.ec2.describeImages({ Filters: [{ Name, Values: [value] }] })).Images ?? []).map(
        ({ ImageId, Architecture }) => [ImageId, Architecture],
      )
    expect(await find('image-id', image.id)).toEqual([[image.id, 'x86_64']])
    expect(await find('name', `${image.name.slice(0, -2)}*`)).toContainEqual([image.id, 'x86_64'])
    expect(await find('name', 'no-such-image-*')).toEqual([])
  },
  'a parameter leads to an image, and one that is not there is not found': async ({ clients, image }) => {
    expect((await clients.ssm.getParameter({ Name: image.parameter })).Parameter?.Value).toBe(image.id)
    await expect(clients.ssm.getParameter({ Name: '/no/such' })).rejects.toMatchObject({ name: 'ParameterNotFound' })
  },
  'an instance type tells what a node of it has': async ({ clients }) => {
    const { InstanceTypes = [] } = await clients.ec2.describeInstanceTypes({ InstanceTypes: ['m5.large'] })
    expect(InstanceTypes).toHaveLength(1)
    expect(InstanceTypes[0]).toMatchObject({
      InstanceType: 'm5.large',
      Hypervisor: 'nitro',
      BareMetal: false,
      VCpuInfo: { DefaultVCpus: 2, DefaultCores: 1 },
      MemoryInfo: { SizeInMiB: 8192 },
      NetworkInfo: { MaximumNetworkInterfaces: 3, Ipv4AddressesPerInterface: 10 },
      ProcessorInfo: { SupportedArchitectures: expect.arrayContaining(['x86_64']) },
    })
  },
  'types are offered by zone': async ({ clients }) => {
    const { InstanceTypeOfferings = [] } = await clients.ec2.describeInstanceTypeOfferings({
      LocationType: 'availability-zone',
      Filters: [{ Name: 'instance-type', Values: ['m5.large'] }],
    })
    const zones = InstanceTypeOfferings.map(({ Location }) => Location)
    expect(zones).toEqual(expect.arrayContaining(['us-east-1a', 'us-east-1b', 'us-east-1c']))
  },
  'the cluster tells version, endpoint and service network': async ({ clients, clusterName, kubernetesVersion }) => {
    const { cluster } = await clients.eks.describeCluster({ name: clusterName })
    expect(cluster).toMatchObject({
      version: kubernetesVersion,
      endpoint: expect.stringMatching(/^https:\/\//),
      kubernetesNetworkConfig: { serviceIpv4Cidr: '172.20.0.0/16' },
    })
    await expect(clients.eks.describeCluster({ name: 'nobody' })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    })
  },
  'the caller has an account': async ({ clients }) => {
    expect((await clients.sts.getCallerIdentity({})).Account).toMatch(/^\d{12}$/)
  },
}

const profiles: Readonly<Record<string, Case>> = {
  'a profile that is not there is no such entity': async ({ clients: { iam } }) => {
    await expect(iam.getInstanceProfile({ InstanceProfileName: 'nobody' })).rejects.toMatchObject({
      name: 'NoSuchEntityException',
    })
  },
  'a profile is made once, holds a role, and goes only without it': async ({ clients: { iam }, role }) => {
    const name = { InstanceProfileName: 'contract' }
    const wanted = { ...name, Path: '/karpenter/us-east-1/', Tags: [{ Key: 'a', Value: 'b' }] }
    await iam.createInstanceProfile(wanted)
    await expect(iam.createInstanceProfile(wanted)).rejects.toMatchObject({ name: 'EntityAlreadyExistsException' })
    await expect(iam.addRoleToInstanceProfile({ ...name, RoleName: 'nobody' })).rejects.toMatchObject({
      name: 'NoSuchEntityException',
    })
    await iam.addRoleToInstanceProfile({ ...name, RoleName: role })
    const { InstanceProfile } = await iam.getInstanceProfile(name)
    expect(InstanceProfile).toMatchObject({ Path: '/karpenter/us-east-1/', Tags: [{ Key: 'a', Value: 'b' }] })
    expect(InstanceProfile?.Roles?.map(({ RoleName }) => RoleName)).toEqual([role])
    const { InstanceProfiles = [] } = await iam.listInstanceProfiles({ PathPrefix: '/karpenter/' })
    expect(InstanceProfiles.map(({ InstanceProfileName }) => InstanceProfileName)).toContain('contract')
    await expect(iam.deleteInstanceProfile(name)).rejects.toMatchObject({ name: 'DeleteConflictException' })
    await iam.removeRoleFromInstanceProfile({ ...name, RoleName: role })
    await iam.deleteInstanceProfile(name)
    await expect(iam.getInstanceProfile(name)).rejects.toMatchObject({ name: 'NoSuchEntityException' })
  },
}

const fleets: Readonly<Record<string, Case>> = {
  'a launch template is made once, found by name and by tag, and deleted once': async (world) => {
    const { ec2: client } = world.clients
    const LaunchTemplateName = 'contract-once'
    await createTemplate(world, LaunchTemplateName)
    await expect(createTemplate(world, LaunchTemplateName)).rejects.toMatchObject({
      name: 'InvalidLaunchTemplateName.AlreadyExistsException',
    })
    const find = async (input: ec2.DescribeLaunchTemplatesRequest) =>
      ((await client.describeLaunchTemplates(input)).LaunchTemplates ?? []).map(
        (template) => template.LaunchTemplateName,
      )
    expect(await find({ LaunchTemplateNames: [LaunchTemplateName] })).toEqual([LaunchTemplateName])
    expect(await find({ Filters: [{ Name: 'tag:of', Values: [LaunchTemplateName] }] })).toEqual([LaunchTemplateName])
    await client.deleteLaunchTemplate({ LaunchTemplateName })
    await expect(find({ LaunchTemplateNames: [LaunchTemplateName] })).rejects.toMatchObject({
      name: 'InvalidLaunchTemplateName.NotFoundException',
    })
  },
  'a dry run says that it would have been done': async (world) => {
    await createTemplate(world, 'contract-dry')
    const { ec2: client } = world.clients
    await expect(client.createFleet({ ...(await fleet(world, 'contract-dry')), DryRun: true })).rejects.toMatchObject({
      name: 'DryRunOperation',
    })
    await expect(
      client.createLaunchTemplate({ LaunchTemplateName: 'contract-never', LaunchTemplateData: {}, DryRun: true }),
    ).rejects.toMatchObject({ name: 'DryRunOperation' })
  },
  'a fleet launches what was asked for, with its tags, and each instance ends once it is terminated': async (world) => {
    const { ec2: client } = world.clients
    await createTemplate(world, 'contract-fleet')
    const answer = await client.createFleet(await fleet(world, 'contract-fleet', { total: 2 }))
    const launched = (answer.Instances ?? []).flatMap(({ InstanceIds = [] }) => InstanceIds).toSorted()
    expect(launched).toHaveLength(2)
    const find = async () => {
      const { Reservations = [] } = await client.describeInstances({
        Filters: [{ Name: 'tag:contract', Values: ['contract-fleet'] }],
      })
      return Reservations.flatMap(({ Instances = [] }) => Instances)
    }
    await world.pause()
    const running = await find()
    expect(running.map(({ InstanceId = '' }) => InstanceId).toSorted()).toEqual(launched)
    for (const instance of running) {
      expect(instance).toMatchObject({ InstanceType: 'm5.large', ImageId: world.image.id, State: { Name: 'running' } })
      expect(instance.PrivateDnsName).toMatch(/^ip-[\d-]+\.ec2\.internal$/)
    }
    await client.createTags({ Resources: launched, Tags: [{ Key: 'later', Value: 'yes' }] })
    expect((await find()).every(({ Tags = [] }) => Tags.some(({ Key }) => Key === 'later'))).toBe(true)
    const { TerminatingInstances = [] } = await client.terminateInstances({ InstanceIds: launched })
    expect(TerminatingInstances.map(({ CurrentState }) => CurrentState?.Name)).toEqual([
      'shutting-down',
      'shutting-down',
    ])
    await world.pause()
    expect((await find()).map(({ State }) => State?.Name)).toEqual(['terminated', 'terminated'])
  },
  'a launch template nobody knows makes no instance': async (world) => {
    const request = await fleet(world, 'contract-unknown')
    const names: string[] = []
    try {
      const { Errors = [], Instances = [] } = await world.clients.ec2.createFleet(request)
      expect(Instances).toEqual([])
      names.push(...Errors.map(({ ErrorCode = '' }) => ErrorCode))
    } catch (error) {
      names.push(error instanceof Error ? error.name : '')
    }
    // EC2 has been seen to answer either way; the code is the same.
    expect(names[0]).toBe('InvalidLaunchTemplateName.NotFoundException')
  },
  'one instance that nobody knows spoils the whole call': async ({ clients: { ec2: client } }) => {
    const InstanceIds = ['i-0123456789abcdef0']
    const notFound = { name: 'InvalidInstanceID.NotFound' }
    await expect(client.describeInstances({ InstanceIds })).rejects.toMatchObject(notFound)
    await expect(client.terminateInstances({ InstanceIds })).rejects.toMatchObject(notFound)
  },
}

const queues: Readonly<Record<string, Case>> = {
  'a message is received until it is deleted': async ({ clients: { sqs }, queue }) => {
    const { QueueUrl = '' } = await sqs.getQueueUrl({ QueueName: queue.name })
    // EC2 may have told of instances of other cases.
    for (;;) {
      const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 })
      if (Messages.length === 0) break
      for (const { ReceiptHandle = '' } of Messages) await sqs.deleteMessage({ QueueUrl, ReceiptHandle })
    }
    await queue.send('hello')
    const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 20 })
    expect(Messages.map(({ Body }) => Body)).toEqual(['hello'])
    await sqs.deleteMessage({ QueueUrl, ReceiptHandle: Messages[0]?.ReceiptHandle ?? '' })
    expect((await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 })).Messages ?? []).toEqual([])
  },
  'a queue that is not there does not exist': async ({ clients: { sqs } }) => {
    await expect(sqs.getQueueUrl({ QueueName: 'nobody' })).rejects.toMatchObject({ name: 'QueueDoesNotExist' })
  },
}

const groups: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  network,
  'images, types and the cluster': catalogue,
  'instance profiles': profiles,
  fleets,
  queues,
}

/** What every implementation of the AWS port does, as far as moto does it too: the simulation is held to something we did not write. */
export function awsPortContract(name: string, start: () => Promise<AWSPortWorld>): void {
  describe(`the AWS port: ${name}`, () => {
    let world: AWSPortWorld | undefined
    beforeAll(async () => {
      world = await start()
    })
    afterAll(async () => {
      await world?.stop()
    })
    for (const [group, cases] of Object.entries(groups)) {
      describe(group, () => {
        test.each(Object.entries(cases))('%s', async (_name, run) => {
          if (world === undefined) throw new Error('the account was not made')
          await run(world)
        })
      })
    }
  })
}

async function subnetIDs({ ec2: client }: AWSClients, Filters: ec2.Filter[]): Promise<string[]> {
  const { Subnets = [] } = await client.describeSubnets({ Filters })
  return Subnets.map(({ SubnetId = '' }) => SubnetId).toSorted()
}

async function createTemplate({ clients, image }: AWSPortWorld, name: string): Promise<void> {
  await clients.ec2.createLaunchTemplate({
    LaunchTemplateName: name,
    LaunchTemplateData: { ImageId: image.id, UserData: Buffer.from('hello').toString('base64') },
    TagSpecifications: [{ ResourceType: 'launch-template', Tags: [{ Key: 'of', Value: name }] }],
  })
}

async function fleet(
  { clients, discovery, image }: AWSPortWorld,
  LaunchTemplateName: string,
  { total = 1 } = {},
): Promise<ec2.CreateFleetRequest> {
  const [SubnetId = ''] = await subnetIDs(clients, [{ Name: 'tag-key', Values: [discovery.Key] }])
  return {
    Type: 'instant',
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName, Version: '$Latest' },
        Overrides: [{ InstanceType: 'm5.large', SubnetId, ImageId: image.id }],
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: total, DefaultTargetCapacityType: 'on-demand' },
    OnDemandOptions: { AllocationStrategy: 'lowest-price' },
    TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'contract', Value: LaunchTemplateName }] }],
  }
}
