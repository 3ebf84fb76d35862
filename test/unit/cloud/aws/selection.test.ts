import { describe, expect, test } from 'vitest'
import { toStatusAMI } from '../../../../src/cloud/aws/ami/choose.ts'
import { AWSError, internalError, throttled } from '../../../../src/embedded/aws/errors.ts'
import { aNodeClass, anAWSWorld, type AWSWorld } from '../../../support/aws-world.ts'
import { aReservation } from '../../../support/reservation-record.ts'

const subnet = (id: string, zone: string, addresses: number, tags: Record<string, string> = { foo: 'bar' }) => ({
  id,
  zone,
  zoneID: `${zone}-id`,
  vpcID: 'vpc-1',
  cidr: '10.0.0.0/24',
  addresses,
  tags,
  public: false,
})

describe('subnets', () => {
  async function listed(world: AWSWorld, terms: object[]) {
    const subnets = await world.drive(world.cloud.subnets.list(aNodeClass({ subnetSelectorTerms: terms })))
    return subnets.map((it) => it.SubnetId)
  }

  test('case 1: most free addresses first, equal ones by id', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.state.subnets = [
      subnet('B', 'us-east-1b', 20),
      subnet('A', 'us-east-1a', 100),
      subnet('C', 'us-east-1c', 50),
      subnet('Ba', 'us-east-1b', 20),
    ]
    expect(await listed(world, [{ tags: { foo: 'bar' } }])).toEqual(['A', 'C', 'B', 'Ba'])
  })

  test('case 2: one call for each term of tags, one for all ids', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.state.subnets = [
      subnet('subnet-1', 'us-east-1a', 1, { foo: 'bar', env: 'x' }),
      subnet('subnet-2', 'us-east-1a', 1),
    ]
    expect(await listed(world, [{ tags: { foo: 'bar', env: 'x' } }, { id: 'subnet-1' }])).toEqual(['subnet-1'])
    expect(world.callsOf('ec2:DescribeSubnets').map((it) => it.Filters)).toEqual([
      [
        { Name: 'tag:env', Values: ['x'] },
        { Name: 'tag:foo', Values: ['bar'] },
      ],
      [{ Name: 'subnet-id', Values: ['subnet-1'] }],
    ])
    expect(world.callsOf('ec2:DescribeSubnets').map((it) => it.MaxResults)).toEqual([500, 500])
  })

  test('case 3: tags of one term are combined with AND, terms with OR', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.state.subnets = [
      subnet('both', 'z', 3, { a: '1', b: '2' }),
      subnet('a', 'z', 2, { a: '1' }),
      subnet('b', 'z', 1, { b: '2' }),
    ]
    expect(await listed(world, [{ tags: { a: '1', b: '2' } }])).toEqual(['both'])
    world.cloud.subnets.clear()
    expect(await listed(world, [{ tags: { a: '1' } }, { tags: { b: '2' } }])).toEqual(['both', 'a', 'b'])
  })

  test('a value of * asks for the key alone', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    await listed(world, [{ tags: { foo: '*' } }])
    expect(world.callsOf('ec2:DescribeSubnets')[0]?.Filters).toEqual([{ Name: 'tag-key', Values: ['foo'] }])
  })
})

test('case 5: security groups by name and by id, in one call each, sorted by id', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  world.aws.state.securityGroups = [
    { id: 'sg-1', name: 'nodes', vpcID: 'vpc-1', tags: {} },
    { id: 'sg-2', name: 'one', vpcID: 'vpc-1', tags: {} },
  ]
  const groups = await world.drive(
    world.cloud.securityGroups.list(aNodeClass({ securityGroupSelectorTerms: [{ name: 'nodes' }, { id: 'sg-2' }] })),
  )
  expect(groups.map((it) => [it.GroupId, it.GroupName])).toEqual([
    ['sg-1', 'nodes'],
    ['sg-2', 'one'],
  ])
  expect(world.callsOf('ec2:DescribeSecurityGroups').map((it) => it.Filters)).toEqual([
    [{ Name: 'group-id', Values: ['sg-2'] }],
    [{ Name: 'group-name', Values: ['nodes'] }],
  ])
})

test('case 6: within a minute the same generation is not asked for again', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const lookAt = async (generation: number) => {
    const nodeClass = aNodeClass({ amiSelectorTerms: [{ id: 'ami-1' }] }, { metadata: { generation } })
    await world.drive(world.cloud.subnets.list(nodeClass))
    await world.drive(world.cloud.securityGroups.list(nodeClass))
    await world.drive(world.cloud.amis.list(nodeClass))
  }
  const counts = () =>
    ['DescribeSubnets', 'DescribeSecurityGroups', 'DescribeImages'].map((action) => world.countOf(`ec2:${action}`))
  await lookAt(1)
  await lookAt(1)
  expect(counts()).toEqual([1, 1, 1])
  await lookAt(2)
  expect(counts()).toEqual([2, 2, 2])
  await world.world.run(61_000)
  await lookAt(2)
  expect(counts()).toEqual([3, 3, 3])
})

describe('images', () => {
  const amis = (world: AWSWorld, terms: object[], uid = 'class-uid') =>
    world.drive(
      world.cloud.amis.list(aNodeClass({ amiSelectorTerms: terms, amiFamily: 'AL2023' }, { metadata: { uid } })),
    )
  const state = { Name: 'state', Values: ['available'] }

  const queries: Record<string, [term: object, owners: string[] | undefined, filters: object[]]> = {
    "case 7: a name is searched among our own and Amazon's images": [
      { name: 'my-*' },
      ['self', 'amazon'],
      [{ Name: 'name', Values: ['my-*'] }, state],
    ],
    'an owner left empty is none given': [
      { name: 'my-*', owner: '' },
      ['self', 'amazon'],
      [{ Name: 'name', Values: ['my-*'] }, state],
    ],
    'case 7: a given owner alone': [
      { name: 'my-*', owner: '123456789012' },
      ['123456789012'],
      [{ Name: 'name', Values: ['my-*'] }, state],
    ],
    'case 7: tags carry no owners': [{ tags: { a: 'b' } }, undefined, [{ Name: 'tag:a', Values: ['b'] }, state]],
    'case 7: only an owner': [{ owner: '123456789012' }, ['123456789012'], [state]],
    'ids carry none': [{ id: 'ami-1' }, undefined, [{ Name: 'image-id', Values: ['ami-1'] }, state]],
  }
  test.each(Object.entries(queries))('%s', async (_name, [term, owners, filters]) => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    await amis(world, [term])
    const [query] = world.callsOf('ec2:DescribeImages')
    expect([query?.Owners, query?.Filters]).toEqual([owners, filters])
    expect(query).toMatchObject({ IncludeDeprecated: true, MaxResults: 1000 })
  })

  test.each([{ tags: {} }, { owner: '' }])('a term that says nothing, %j, takes no image of anybody', async (term) => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    expect(await amis(world, [term])).toEqual([])
    expect(world.countOf('ec2:DescribeImages')).toBe(0)
    expect(world.log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'ignoring an ami selector term that selects nothing' }),
    )
    expect(await amis(world, [term, { name: 'amazon-eks-node-al2023-x86_64-*' }], 'other')).not.toEqual([])
  })

  test('where STS cannot be reached, it is not asked at every look', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.deny('sts:GetCallerIdentity')
    const look = (uid: string) => amis(world, [{ name: 'amazon-eks-node-al2023-x86_64-*' }], uid)
    for (const uid of ['a', 'b', 'c']) expect(await look(uid)).not.toEqual([])
    expect(world.countOf('sts:GetCallerIdentity')).toBe(1)
    await world.clock.run({ forMs: 3_600_000 })
    await look('d')
    expect(world.countOf('sts:GetCallerIdentity')).toBe(2)
  })

  test('an image of an owner that the term does not allow is never used', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.faults.add((call) =>
      call.action === 'DescribeImages'
        ? {
            kind: 'answer',
            output: {
              Images: [{ ImageId: 'ami-evil', Name: 'my-1', Architecture: 'x86_64', OwnerId: '666666666666' }],
            },
          }
        : undefined,
    )
    expect(await amis(world, [{ name: 'my-*' }])).toEqual([])
    expect(world.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'ignoring ami of another owner',
        fields: expect.objectContaining({ 'owner-id': '666666666666' }),
      }),
    )
  })

  test.each([
    ['a wildcard name of another account', { name: 'my-*', owner: '123456789012' }, true],
    ['tags without an owner', { tags: { a: 'b' } }, true],
    ['an exact name of another account', { name: 'my-1', owner: '123456789012' }, false],
    ['tags of our own account', { tags: { a: 'b' }, owner: 'self' }, false],
    ['a wildcard name of our own account', { name: 'my-*', owner: 'self' }, false],
    ["one of Amazon's", { name: 'my-*', owner: 'amazon' }, false],
    ['one without an owner, searched among these two', { name: 'my-*' }, false],
  ])('%s draws a warning: %j → %s', async (_name, term, warned) => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    await amis(world, [term])
    expect(world.log.lines.some((line) => line.level === 'warn' && line.message === 'risky ami selector term')).toBe(
      warned,
    )
  })

  const year = (text: string) => Date.parse(`${text}-01-01T00:00:00Z`)
  test('case 8: an image that is not deprecated wins over a newer one that is', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.addImage({
      name: 'X',
      createdAt: year('2021'),
      deprecatedAt: world.clock.now() - 3_600_000,
      tags: { a: 'b' },
    })
    const y = world.aws.addImage({ name: 'Y', createdAt: year('2020'), tags: { a: 'b' } })
    expect((await amis(world, [{ tags: { a: 'b' } }])).map((it) => it.id)).toEqual([y.id])
  })

  test('case 9: of deprecated ones the newest, and it says so', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const newer = world.aws.addImage({ name: 'X', createdAt: year('2021'), deprecatedAt: 1, tags: { a: 'b' } })
    world.aws.addImage({ name: 'Y', createdAt: year('2020'), deprecatedAt: 1, tags: { a: 'b' } })
    expect((await amis(world, [{ tags: { a: 'b' } }])).map(toStatusAMI)).toMatchObject([
      { id: newer.id, deprecated: true },
    ])
  })

  test('case 10: of equals the larger name', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    for (const name of ['test-2', 'test-3', 'test-1']) {
      world.aws.addImage({ name, createdAt: year('2021'), tags: { a: 'b' } })
    }
    expect((await amis(world, [{ tags: { a: 'b' } }])).map((it) => it.name)).toEqual(['test-3'])
  })

  test("a date of deprecation that is still to come, as all of Amazon's images have one, changes nothing until then", async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const deprecatedAt = world.clock.now() + 120_000
    const newer = world.aws.addImage({ name: 'X', createdAt: year('2021'), deprecatedAt, tags: { a: 'b' } })
    const older = world.aws.addImage({ name: 'Y', createdAt: year('2020'), tags: { a: 'b' } })
    const [before] = await amis(world, [{ tags: { a: 'b' } }])
    expect(before === undefined ? undefined : toStatusAMI(before)).toEqual({
      id: newer.id,
      name: 'X',
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
    })
    await world.world.run(deprecatedAt - world.clock.now())
    expect((await amis(world, [{ tags: { a: 'b' } }])).map((it) => it.id)).toEqual([older.id])
  })

  test('newest first, equal ones by id, for a machine boots the first that fits it; what is of no known date is oldest, what no node can boot left out', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const image = (ImageId: string, Architecture: string, CreationDate?: string) => ({
      ...{ ImageId, Architecture, Name: ImageId },
      ...(CreationDate === undefined ? {} : { CreationDate }),
    })
    const told = (...Images: readonly object[]) =>
      world.aws.faults.add(({ action }) =>
        action === 'DescribeImages' ? { kind: 'answer', output: { Images } } : undefined,
      )
    const ids = async (uid: string) => (await amis(world, [{ tags: { a: 'b' } }], uid)).map((it) => it.id)
    const [older, newer] = ['2025-01-01T00:00:00.000Z', '2025-06-01T00:00:00.000Z']
    let recover = told(
      image('ami-b', 'x86_64', older),
      image('ami-a', 'arm64', newer),
      image('ami-m', 'x86_64_mac', newer),
    )
    expect(await ids('dates')).toEqual(['ami-a', 'ami-b'])
    recover()
    recover = told(image('ami-b', 'x86_64', older), image('ami-a', 'arm64', older))
    expect(await ids('equal')).toEqual(['ami-a', 'ami-b'])
    recover()
    told(image('ami-c', 'x86_64'), image('ami-b', 'x86_64', older), image('ami-d', 'x86_64'), image('ami-a', 'arm64'))
    expect(await ids('undated')).toEqual(['ami-b', 'ami-a'])
  })

  test('case 11: one image for each architecture; tags never become requirements', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.addImage({
      id: 'ami-1',
      name: 'x86',
      tags: { 'kubernetes.io/arch': 'arm64', 'node.kubernetes.io/instance-type': 'm5.large' },
    })
    world.aws.addImage({ id: 'ami-2', name: 'arm', architecture: 'arm64' })
    const found = await amis(world, [{ id: 'ami-1' }, { id: 'ami-2' }])
    expect(found.map((it) => [it.id, it.requirements])).toEqual([
      ['ami-1', [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]],
      ['ami-2', [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }]],
    ])
  })

  test('case 12: the GPU image of AL2 serves GPUs and accelerators, in an entry each', async () => {
    const world = await anAWSWorld({ types: ['m5.large'], version: '1.32' })
    const [x86, arm, gpu] = world.aws.publishImage('al2', { version: 'v20260101' })
    const found = await amis(world, [{ alias: 'al2@latest' }])
    const sets = found.map(
      (it) => `${it.id}: ${it.requirements.map((entry) => `${entry.key.split('/')[1]} ${entry.operator}`).join(', ')}`,
    )
    expect(sets.toSorted()).toEqual(
      [
        `${gpu?.id}: arch In, instance-gpu-count Exists`,
        `${gpu?.id}: arch In, instance-accelerator-count Exists`,
        `${x86?.id}: arch In, instance-gpu-count DoesNotExist, instance-accelerator-count DoesNotExist`,
        `${arm?.id}: arch In, instance-gpu-count DoesNotExist, instance-accelerator-count DoesNotExist`,
      ].toSorted(),
    )
  })

  test('a pinned AL2 release does not go with the recommended one', async () => {
    const world = await anAWSWorld({ types: ['m5.large'], version: '1.32' })
    world.aws.publishImage('al2', { version: 'v20260101' })
    await amis(world, [{ alias: 'al2@v20260101' }])
    const of = (images: string, release: string) =>
      `/aws/service/eks/optimized-ami/1.32/${images}/${release}-1.32-v20260101/image_id`
    expect(new Set(world.callsOf('ssm:GetParameter').map((it) => it.Name))).toEqual(
      new Set([
        of('amazon-linux-2', 'amazon-eks-node'),
        of('amazon-linux-2-arm64', 'amazon-eks-arm64-node'),
        of('amazon-linux-2-gpu', 'amazon-eks-gpu-node'),
      ]),
    )
    expect(world.cloud.ssm.mutableValues()).toEqual([])
  })

  test('case 13: a pinned AL2023 release has its own parameters, kept for a day and never invalidated', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.publishImage('al2023', { version: 'v20250601' })
    await amis(world, [{ alias: 'al2023@v20250601' }])
    expect(world.callsOf('ssm:GetParameter').map((it) => it.Name)).toContain(
      '/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/amazon-eks-node-al2023-x86_64-nvidia-1.33-v20250601/image_id',
    )
    expect(world.countOf('ssm:GetParameter')).toBe(5)
    expect(world.cloud.ssm.mutableValues()).toEqual([])
    await world.world.run(23 * 3_600_000)
    await amis(world, [{ alias: 'al2023@v20250601' }])
    expect(world.countOf('ssm:GetParameter')).toBe(5)
    await world.world.run(2 * 3_600_000)
    await amis(world, [{ alias: 'al2023@v20250601' }])
    expect(world.countOf('ssm:GetParameter')).toBe(10)
  })

  test('case 14: Bottlerocket versions lose their v', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const [x86] = world.aws.publishImage('bottlerocket', { version: '1.20.4' })
    const found = await amis(world, [{ alias: 'bottlerocket@v1.20.4' }])
    expect(world.callsOf('ssm:GetParameter').map((it) => it.Name)).toContain(
      '/aws/service/bottlerocket/aws-k8s-1.33/x86_64/1.20.4/image_id',
    )
    const sets = found
      .filter((it) => it.id === x86?.id)
      .map((it) =>
        it.requirements
          .map((entry) => entry.operator)
          .toSorted()
          .join(),
      )
    expect(sets.toSorted()).toEqual(['DoesNotExist,DoesNotExist,In', 'Exists,In'])
  })

  test('case 15: any one parameter is enough, none is an error', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const path = '/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/arm64/standard/recommended/image_id'
    world.aws.state.parameters = { [path]: world.aws.state.parameters[path] ?? '' }
    expect(await amis(world, [{ alias: 'al2023@latest' }])).toHaveLength(1)
    world.aws.state.parameters = {}
    world.cloud.ssm.clear()
    const error = await world.failure(world.cloud.amis.list(aNodeClass({}, { metadata: { uid: 'other' } })))
    expect(error.message).toBe('failed to discover any AMIs for alias')
  })

  test('a parameter that cannot be read for the moment fails the look: its image would be drift of all nodes that run it', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const path = '/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/arm64/standard/recommended/image_id'
    const refusing = (error: Error) =>
      world.aws.faults.add(({ action, input }) =>
        action === 'GetParameter' && (input as { readonly Name?: string }).Name === path
          ? { kind: 'fail', error }
          : undefined,
      )
    const lookAnew = () => {
      world.cloud.ssm.clear()
      world.cloud.amis.clear()
      return amis(world, [{ alias: 'al2023@latest' }])
    }
    const all = await lookAnew()
    const unanswered = (name: string, more: object = {}) => Object.assign(new Error('no answer'), { name, ...more })
    for (const error of [
      throttled(),
      internalError(),
      unanswered('CallTimeoutError', { code: 'CallTimeout' }),
      unanswered('Error', { code: 'EPROTO', $metadata: { attempts: 3 } }),
      unanswered('CredentialsProviderError'),
      new AWSError('ExpiredTokenException', 'The security token included in the request is expired'),
    ]) {
      const recover = refusing(error)
      await expect(lookAnew()).rejects.toBe(error)
      recover()
    }
    const recover = refusing(new AWSError('AccessDeniedException', 'not authorized to perform: ssm:GetParameter'))
    const others = await lookAnew()
    expect(others.length).toBeGreaterThan(0)
    expect(others.length).toBeLessThan(all.length)
    recover()
    expect(await lookAnew()).toHaveLength(all.length)
  })

  test('case 16: aliases that the cluster is too new or too old for', async () => {
    const list = async (version: string, alias: string) => {
      const world = await anAWSWorld({ types: ['m5.large'], version })
      if (alias === 'windows2025@latest') world.aws.publishImage('windows2025', { version: 'x' })
      return world.drive(world.cloud.amis.list(aNodeClass({ amiSelectorTerms: [{ alias }] })))
    }
    await expect(list('1.33', 'al2@latest')).rejects.toMatchObject({
      code: 'UnsupportedAlias',
      message: expect.stringMatching(
        /^getting AMI queries, AL2 aliases are no longer supported on EKS 1\.33\+ \(see https/,
      ),
    })
    await expect(list('1.34', 'windows2025@latest')).rejects.toMatchObject({
      message: 'getting AMI queries, Windows Server 2025 requires EKS version 1.35 or higher, current version: 1.34',
    })
    expect(await list('1.35', 'windows2025@latest')).toHaveLength(1)
  })

  test("case 17: a parameter of the user's own names the image, for five minutes", async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.addImage({ id: 'ami-1', name: 'own' })
    world.aws.state.parameters['/team/ami'] = 'ami-1'
    expect((await amis(world, [{ ssmParameter: '/team/ami' }])).map((it) => it.id)).toEqual(['ami-1'])
    expect(world.callsOf('ec2:DescribeImages')[0]?.Filters).toEqual([{ Name: 'image-id', Values: ['ami-1'] }, state])
    await world.world.run(299_000)
    await amis(world, [{ ssmParameter: '/team/ami' }])
    expect(world.countOf('ssm:GetParameter')).toBe(1)
    await world.world.run(2_000)
    await amis(world, [{ ssmParameter: '/team/ami' }])
    expect(world.countOf('ssm:GetParameter')).toBe(2)
  })

  test('case 17: a missing or malformed parameter is ignored, a forbidden one is an error', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.state.parameters['/odd'] = 'not-an-image'
    expect(await amis(world, [{ ssmParameter: '/missing' }, { ssmParameter: '/odd' }])).toEqual([])
    expect(world.countOf('ec2:DescribeImages')).toBe(0)
    world.aws.deny('ssm:GetParameter')
    expect(
      (
        await world.failure(
          world.cloud.amis.list(aNodeClass({ amiSelectorTerms: [{ ssmParameter: '/x' }], amiFamily: 'AL2023' })),
        )
      ).name,
    ).toBe('AccessDeniedException')
  })
})

describe('capacity reservations', () => {
  const reservation = (id: string, more: object = {}) => aReservation({ id, tags: { a: 'b' }, ...more })

  test('case 19: what has ended is left out, criteria are a filter, ids go without MaxResults', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const now = world.clock.now()
    world.aws.state.reservations.push(
      reservation('cr-1', { endAt: now - 1_000 }),
      reservation('cr-2', { endAt: now + 1_000, matchCriteria: 'open' }),
    )
    const found = await world.drive(
      world.cloud.reservations.list([{ tags: { a: 'b' } }, { instanceMatchCriteria: 'open' }, { id: 'cr-9' }]),
    )
    expect(found.map((it) => it.CapacityReservationId)).toEqual(['cr-2'])
    const active = { Name: 'state', Values: ['active'] }
    expect(world.callsOf('ec2:DescribeCapacityReservations')).toEqual([
      { Filters: [{ Name: 'tag:a', Values: ['b'] }, active], MaxResults: 1_000 },
      { Filters: [{ Name: 'instance-match-criteria', Values: ['open'] }, active], MaxResults: 1_000 },
      { Filters: [active], CapacityReservationIds: ['cr-9'] },
    ])
    expect(world.cloud.reservations.remaining('cr-2')).toBe(5)
  })
})
