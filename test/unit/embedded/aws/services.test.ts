import { expect, test } from 'vitest'
import { internalError, throttled } from '../../../../src/embedded/aws/errors.ts'
import { SimulatedAWS } from '../../../../src/embedded/aws/simulated-aws.ts'
import { SeededRandom } from '../../../../src/embedded/random.ts'
import { aFleet, anAccount, aTemplate } from './world.ts'

async function launched(options = {}) {
  const world = anAccount(options)
  await world.ec2.createLaunchTemplate(aTemplate(world.image))
  const fleet = await world.ec2.createFleet(aFleet([['m5.large', 0]], { capacityType: 'spot' }))
  return { ...world, id: fleet.Instances?.[0]?.InstanceIds?.[0] ?? '' }
}

test('an instance runs, shuts down, is terminated and is forgotten', async () => {
  const { clock, ec2, id } = await launched()
  const state = async () =>
    (await ec2.describeInstances({ InstanceIds: [id] })).Reservations?.[0]?.Instances?.[0]?.State?.Name
  expect(await state()).toBe('pending')
  await clock.run({ forMs: 5_000 })
  expect(await state()).toBe('running')
  const answer = await ec2.terminateInstances({ InstanceIds: [id] })
  expect(answer.TerminatingInstances?.[0]).toMatchObject({
    PreviousState: { Name: 'running' },
    CurrentState: { Name: 'shutting-down' },
  })
  await clock.run({ forMs: 20_000 })
  expect(await state()).toBe('terminated')
  await clock.run({ forMs: 3_600_000 })
  await expect(state()).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound' })
})

test('a new instance may be invisible for a while', async () => {
  const { clock, ec2, id } = await launched({ timings: { visibilityMs: 0 } })
  expect((await ec2.describeInstances({ InstanceIds: [id] })).Reservations).toHaveLength(1)
  const late = anAccount({ timings: { visibilityMs: 10_000 } })
  await late.ec2.createLaunchTemplate(aTemplate(late.image))
  await expect(late.ec2.createFleet(aFleet([['m5.large', 0]]))).rejects.toMatchObject({
    name: 'InvalidLaunchTemplateName.NotFoundException',
  })
  await late.clock.run({ forMs: 10_000 })
  await late.ec2.createFleet(aFleet([['m5.large', 0]]))
  expect((await late.ec2.describeInstances({})).Reservations).toEqual([])
  await late.clock.run({ forMs: 10_000 })
  expect((await late.ec2.describeInstances({})).Reservations).toHaveLength(1)
  expect(clock.now()).toBeGreaterThan(0)
})

test('a wall clock that jumps back does not hide an instance that was seen: it is not EC2 whose clock jumps', async () => {
  const { clock, ec2, image } = anAccount({ timings: { visibilityMs: 1_000 } })
  await ec2.createLaunchTemplate(aTemplate(image))
  await clock.run({ forMs: 1_000 })
  const fleet = await ec2.createFleet(aFleet([['m5.large', 0]]))
  await clock.run({ forMs: 1_000 })
  clock.jump(-300_000)
  expect((await ec2.describeInstances({})).Reservations).toHaveLength(1)
  const InstanceIds = fleet.Instances?.[0]?.InstanceIds ?? []
  expect((await ec2.describeInstances({ InstanceIds })).Reservations).toHaveLength(1)
})

test('all instance types come page by page', async () => {
  const { ec2 } = anAccount()
  const filters = [{ Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] }]
  let count = 0
  let token: string | undefined
  do {
    const answer = await ec2.describeInstanceTypes({
      Filters: filters,
      MaxResults: 100,
      ...(token === undefined ? {} : { NextToken: token }),
    })
    count += answer.InstanceTypes?.length ?? 0
    token = answer.NextToken
  } while (token !== undefined)
  expect(count).toBeGreaterThan(600)
})

test('filters understand tags, wildcards and refuse unknown names', async () => {
  const { ec2 } = anAccount()
  const subnets = async (name: string, ...values: string[]) =>
    (await ec2.describeSubnets({ Filters: [{ Name: name, Values: values }] })).Subnets?.map(({ SubnetId }) => SubnetId)
  expect(await subnets('tag:karpenter.sh/discovery', 'demo')).toEqual(['subnet-0', 'subnet-1', 'subnet-2'])
  expect(await subnets('tag:Name', '*1b')).toEqual(['subnet-1'])
  expect(await subnets('tag:Name', '*1b', '*1c')).toEqual(['subnet-1', 'subnet-2'])
  expect(await subnets('tag-key', 'Name')).toHaveLength(3)
  expect(await subnets('tag:Name', 'private')).toEqual([])
  await expect(subnets('colour', 'red')).rejects.toMatchObject({ name: 'InvalidParameterValue' })
})

test('a published image is what the moving SSM parameter names, and the old one stays under its version', async () => {
  const { aws, clock } = anAccount()
  const value = async (name: string) => (await aws.clients.ssm.getParameter({ Name: name })).Parameter?.Value
  const base = '/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/standard'
  const old = await value(`${base}/recommended/image_id`)
  await clock.run({ forMs: 1_000 })
  const [fresh] = aws.publishImage('al2023', { version: 'v20260201' })
  expect(await value(`${base}/recommended/image_id`)).toBe(fresh?.id)
  expect(await value(`${base}/amazon-eks-node-al2023-x86_64-standard-1.33-v20260101/image_id`)).toBe(old)
  await expect(value('/aws/service/nope')).rejects.toMatchObject({ name: 'ParameterNotFound' })
  aws.publishImage('bottlerocket', { version: '1.49.0' })
  expect(await value('/aws/service/bottlerocket/aws-k8s-1.33/arm64/latest/image_id')).toMatch(/^ami-/)
})

test('images are found by owner and name, and deprecated ones only when asked for', async () => {
  const { aws, ec2, image } = anAccount()
  const names = async (input: object) => (await ec2.describeImages(input)).Images?.map(({ Name }) => Name)
  expect(await names({ Owners: ['self'] })).toEqual([])
  expect(await names({ Owners: ['amazon'], Filters: [{ Name: 'name', Values: ['*x86_64-standard*'] }] })).toEqual([
    'amazon-eks-node-al2023-x86_64-standard-1.33-v20260101',
  ])
  aws.deprecateImage(image)
  expect(await names({ Filters: [{ Name: 'image-id', Values: [image] }] })).toEqual([])
  expect(await names({ IncludeDeprecated: true, Filters: [{ Name: 'image-id', Values: [image] }] })).toHaveLength(1)
})

test('user data above 16 KiB is refused', async () => {
  const { ec2, image } = anAccount()
  const userData = Buffer.alloc(16_385, 'x').toString('base64')
  await expect(ec2.createLaunchTemplate(aTemplate(image, { UserData: userData }))).rejects.toMatchObject({
    name: 'InvalidUserData.Malformed',
    message: expect.stringContaining('User data is limited to'),
  })
})

test('a spot warning arrives in the queue and the instance goes two minutes later', async () => {
  const { aws, clock, id } = await launched()
  await clock.run({ forMs: 10_000 })
  aws.createQueue('interruptions')
  const { QueueUrl: url } = await aws.clients.sqs.getQueueUrl({ QueueName: 'interruptions' })
  const received = aws.clients.sqs.receiveMessage({ QueueUrl: url, WaitTimeSeconds: 20, VisibilityTimeout: 20 })
  await clock.run({ forMs: 3_000 })
  aws.interrupt(id, 'spot')
  await clock.settle()
  const message = (await received).Messages?.[0]
  expect(JSON.parse(message?.Body ?? '{}')).toMatchObject({
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    detail: { 'instance-id': id },
  })
  await clock.run({ forMs: 120_000 })
  expect(aws.account.instance(id)?.state).toBe('shutting-down')
})

test('an undeleted message comes again after its visibility time-out, a deleted one never', async () => {
  const { aws, clock } = anAccount()
  aws.createQueue('q')
  const { QueueUrl: url } = await aws.clients.sqs.getQueueUrl({ QueueName: 'q' })
  aws.sendMessage('hello')
  const poll = async () => {
    const answer = aws.clients.sqs.receiveMessage({ QueueUrl: url, WaitTimeSeconds: 20, VisibilityTimeout: 20 })
    await clock.run({ forMs: 20_000 })
    return (await answer).Messages?.[0]
  }
  expect((await poll())?.Body).toBe('hello')
  const again = await poll()
  expect(again?.Body).toBe('hello')
  await aws.clients.sqs.deleteMessage({ QueueUrl: url, ReceiptHandle: again?.ReceiptHandle })
  expect(await poll()).toBeUndefined()
  await expect(aws.clients.sqs.getQueueUrl({ QueueName: 'none' })).rejects.toMatchObject({
    name: 'QueueDoesNotExist',
    Code: 'AWS.SimpleQueueService.NonExistentQueue',
  })
})

test('instance profiles are created, given a role, listed by path and deleted when empty', async () => {
  const { aws } = anAccount()
  const { iam } = aws.clients
  await iam.createInstanceProfile({ InstanceProfileName: 'p', Path: '/karpenter/us-east-1/demo/u/' })
  await expect(iam.addRoleToInstanceProfile({ InstanceProfileName: 'p', RoleName: 'nope' })).rejects.toMatchObject({
    name: 'NoSuchEntityException',
    Code: 'NoSuchEntity',
    message: expect.stringContaining('role'),
  })
  await iam.addRoleToInstanceProfile({ InstanceProfileName: 'p', RoleName: 'node' })
  const listed = await iam.listInstanceProfiles({ PathPrefix: '/karpenter/us-east-1/demo/' })
  expect(listed.InstanceProfiles?.map((profile) => profile.InstanceProfileName)).toEqual(['p'])
  await expect(iam.deleteInstanceProfile({ InstanceProfileName: 'p' })).rejects.toMatchObject({
    name: 'DeleteConflictException',
  })
  await iam.removeRoleFromInstanceProfile({ InstanceProfileName: 'p', RoleName: 'node' })
  await iam.deleteInstanceProfile({ InstanceProfileName: 'p' })
  await expect(iam.getInstanceProfile({ InstanceProfileName: 'p' })).rejects.toMatchObject({
    name: 'NoSuchEntityException',
  })
})

test('prices are read for virtual and for bare-metal types', async () => {
  const { aws } = anAccount()
  const filters = (family: string) => [{ Type: 'TERM_MATCH' as const, Field: 'productFamily', Value: family }]
  const normal = await aws.clients.pricing.getProducts({
    ServiceCode: 'AmazonEC2',
    MaxResults: 100,
    Filters: filters('Compute Instance'),
  })
  expect(normal.PriceList).toHaveLength(100)
  expect(normal.NextToken).toBeDefined()
  const metal = await aws.clients.pricing.getProducts({
    ServiceCode: 'AmazonEC2',
    Filters: filters('Compute Instance (bare metal)'),
  })
  expect(JSON.parse(String(metal.PriceList?.[0])).product.attributes.instanceType).toContain('metal')
})

test('spot prices lie below on-demand prices unless they are set', async () => {
  const { aws, ec2 } = anAccount()
  const price = async () =>
    Number(
      (await ec2.describeSpotPriceHistory({ InstanceTypes: ['m5.large'], AvailabilityZone: 'us-east-1a' }))
        .SpotPriceHistory?.[0]?.SpotPrice,
    )
  expect(await price()).toBeGreaterThan(0.01)
  expect(await price()).toBeLessThan(0.096)
  aws.setSpotPrice('m5.large', 'us-east-1a', 0.5)
  expect(await price()).toBe(0.5)
})

test('a fault fails a call before or after its effect', async () => {
  const { aws, ec2, image } = anAccount()
  const stop = aws.faults.add(({ action }) =>
    action === 'CreateLaunchTemplate' ? { kind: 'fail', error: throttled() } : undefined,
  )
  await expect(ec2.createLaunchTemplate(aTemplate(image))).rejects.toMatchObject({ name: 'RequestLimitExceeded' })
  expect(aws.state.launchTemplates).toEqual([])
  stop()
  aws.faults.add(({ action }) =>
    action === 'CreateLaunchTemplate' ? { kind: 'failAfterEffect', error: internalError() } : undefined,
  )
  await expect(ec2.createLaunchTemplate(aTemplate(image))).rejects.toMatchObject({
    name: 'InternalError',
    $fault: 'server',
  })
  expect(aws.state.launchTemplates).toHaveLength(1)
  expect(aws.faults.count('ec2:CreateLaunchTemplate')).toBe(2)
})

test('a fault may delay a call by the clock', async () => {
  const { aws, clock, ec2 } = anAccount()
  aws.faults.add(() => ({ kind: 'delay', ms: 30_000 }))
  const before = clock.now()
  let at = 0
  void ec2.describeSubnets({}).then(() => {
    at = clock.now()
  })
  await clock.run({ forMs: 60_000 })
  expect(at - before).toBe(30_000)
})

test('the account is saved and loaded, and what was under way continues', async () => {
  const { aws, clock, id } = await launched()
  const saved = JSON.parse(JSON.stringify(aws.toJSON()))
  const other = new SimulatedAWS({
    region: 'us-east-1',
    clock,
    random: new SeededRandom('other'),
    clusterName: 'demo',
    kubernetesVersion: '1.33',
  })
  other.load(saved)
  expect(other.account.instance(id)?.state).toBe('pending')
  await clock.run({ forMs: 5_000 })
  expect(other.account.instance(id)?.state).toBe('running')
})

test('the same seed gives the same ids', async () => {
  expect((await launched()).id).toBe((await launched()).id)
})

test('a failing status check is described until it passes again', async () => {
  const { aws, clock, ec2, id } = await launched()
  await clock.run({ forMs: 5_000 })
  const impaired = async () =>
    (await ec2.describeInstanceStatus({ Filters: [{ Name: 'instance-status.status', Values: ['impaired'] }] }))
      .InstanceStatuses ?? []
  expect(await impaired()).toEqual([])
  aws.setImpaired(id, 'instance', true)
  expect((await impaired())[0]?.InstanceStatus?.Details?.[0]).toMatchObject({
    Status: 'failed',
    ImpairedSince: new Date(clock.now()),
  })
  aws.setImpaired(id, 'instance', false)
  expect(await impaired()).toEqual([])
})

test('the cluster and the caller are described', async () => {
  const { aws } = anAccount()
  expect((await aws.clients.eks.describeCluster({ name: 'demo' })).cluster).toMatchObject({
    version: '1.33',
    kubernetesNetworkConfig: { serviceIpv4Cidr: '172.20.0.0/16' },
  })
  await expect(aws.clients.eks.describeCluster({ name: 'other' })).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  })
  expect((await aws.clients.sts.getCallerIdentity({})).Account).toBe('111122223333')
})
