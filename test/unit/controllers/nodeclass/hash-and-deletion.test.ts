import { describe, expect, test } from 'vitest'
import type { EC2NodeClassSpec } from '../../../../src/api/karpenter.ts'
import { nodeClassHashController } from '../../../../src/controllers/nodeclass/hash.ts'
import { legacyProfileName } from '../../../../src/cloud/aws/instance-profile/instance-profile-names.ts'
import { AWSError } from '../../../../src/embedded/aws/errors.ts'
import { ec2NodeClasses, nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { aLaunchClaim, aNodeClass, anAWSWorld } from '../../../support/aws-world.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { aNodeClassWorld } from '../../../support/node-class-world.ts'

const hashKey = 'karpenter.k8s.aws/ec2nodeclass-hash'
const versionKey = 'karpenter.k8s.aws/ec2nodeclass-hash-version'

describe('case 37: the hash', () => {
  test('follows the resolved family, not how it is written, and not the order of tags', async () => {
    const { cloud } = await anAWSWorld({ types: ['m5.large'] })
    const base = cloud.hash.of(aNodeClass({ tags: { a: '1', b: '2' } }))
    expect(cloud.hash.of(aNodeClass({ amiFamily: 'AL2023', tags: { b: '2', a: '1' } }))).toBe(base)
    expect(cloud.hash.of(aNodeClass({ tags: { a: '1', b: '2' }, userData: 'x' }))).not.toBe(base)
  })

  test('that differs is drift of every claim', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    const annotations = { [hashKey]: '2', [versionKey]: 'v6' }
    world.nodeClasses.set('default', aNodeClass({}, { metadata: { annotations } }))
    world.nodePools.set('web', { ...(await import('../../../support/aws-world.ts')).aWebPool() })
    const claim = aLaunchClaim([], { metadata: { annotations: { ...annotations, [hashKey]: '1' } } })
    expect(await world.drive(world.cloud.provider.isDrifted(claim))).toMatchObject({ reason: 'NodeClassDrift' })
  })
})

test('case 38: a new hash version reaches every claim, the hash only those that have not drifted', async () => {
  const world = await anAWSWorld({ types: ['m5.large'] })
  const old = { [hashKey]: 'old', [versionKey]: 'v5' }
  await world.kube.create(ec2NodeClasses, aNodeClass({}, { metadata: { annotations: old } }))
  await world.kube.create(nodeClaims, aClaim('c1', { metadata: { annotations: old } }))
  await world.kube.create(
    nodeClaims,
    aClaim('c2', {
      metadata: { annotations: old },
      status: { conditions: [{ type: 'Drifted', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    }),
  )
  await world.world.start(nodeClassHashController({ kube: world.kube, caches: world.caches, cloud: world.cloud }))
  await world.world.run(2_000)
  const nodeClass = await world.kube.get(ec2NodeClasses, { name: 'default' })
  const annotationsOf = async (name: string) => (await world.kube.get(nodeClaims, { name })).metadata.annotations
  const present = world.cloud.hash.of(nodeClass)
  expect(nodeClass.metadata.annotations).toEqual({ [hashKey]: present, [versionKey]: 'v6' })
  expect(await annotationsOf('c1')).toEqual({
    [hashKey]: present,
    [versionKey]: 'v6',
    'joinery.dev/nodeclass-hash-input': expect.stringContaining(`"hash":"${present}"`),
  })
  expect(await annotationsOf('c2')).toEqual({ [hashKey]: 'old', [versionKey]: 'v6' })
})

describe('case 39: a class that is deleted', () => {
  const key = { name: 'default' }

  async function deleting(claims: number) {
    const world = await aNodeClassWorld()
    await world.create()
    for (let index = 1; index <= claims; index += 1) await world.kube.create(nodeClaims, aClaim(`c${index}`))
    await world.run(1_000)
    await world.kube.delete(ec2NodeClasses, key)
    await world.run(1_000)
    return world
  }

  test('waits for its claims and names five of them', async () => {
    const world = await deleting(7)
    expect(await world.world.exists(ec2NodeClasses, key)).toBe(true)
    expect(world.recorder.published).toMatchObject([
      {
        type: 'Normal',
        reason: 'WaitingOnNodeClaimTermination',
        message: 'Waiting on NodeClaim termination for c1, c2, c3, c4, c5 and 2 other(s)',
      },
    ])
  })

  test("takes its profiles and templates with it once they are gone, and nobody else's", async () => {
    const world = await deleting(1)
    world.aws.state.launchTemplates.push({
      id: 'lt-other',
      name: 'other',
      createdAt: 0,
      tags: { 'eks:eks-cluster-name': 'demo', 'karpenter.k8s.aws/ec2nodeclass': 'else' },
      data: {},
    })
    const foreign = { name: 'foreign', path: '/karpenter/us-east-1/other/', roles: [], tags: {}, createdAt: 0 }
    world.aws.state.instanceProfiles.push(foreign)
    await world.kube.delete(nodeClaims, { name: 'c1' })
    await world.run(5_000)
    expect(await world.world.exists(ec2NodeClasses, key)).toBe(false)
    expect(world.aws.state.launchTemplates.map((it) => it.id)).toEqual(['lt-other'])
    expect(world.aws.state.instanceProfiles).toEqual([foreign])
  })

  test('leaves a profile that another class launches with', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    const shared = (await world.read()).status?.instanceProfile
    const names = () => world.aws.state.instanceProfiles.map(({ name }) => name)
    expect(names()).toEqual([shared])
    const other = aNodeClass({ role: undefined, instanceProfile: shared } as never, {
      metadata: { name: 'other', uid: 'other' },
    })
    await world.kube.create(ec2NodeClasses, other)
    await world.kube.delete(ec2NodeClasses, key)
    await world.run(5_000)
    expect(await world.world.exists(ec2NodeClasses, key)).toBe(false)
    expect(names()).toEqual([shared])
  })

  describe('and the profile that an early release named after it', () => {
    const name = legacyProfileName('demo', 'us-east-1', 'default') ?? ''
    const owned = { 'kubernetes.io/cluster/demo': 'owned' }

    async function left(
      tags: Record<string, string>,
      of: { spec?: Partial<EC2NodeClassSpec>; claim?: object; other?: Partial<EC2NodeClassSpec> } = {},
    ) {
      const world = await aNodeClassWorld()
      world.aws.state.instanceProfiles.push({ name, path: '/', roles: ['node-role'], tags, createdAt: 0 })
      await world.create(of.spec)
      if (of.claim !== undefined) await world.kube.create(nodeClaims, aClaim('c1', of.claim))
      if (of.other !== undefined) {
        await world.kube.create(ec2NodeClasses, aNodeClass(of.other, { metadata: { name: 'other', uid: 'other' } }))
      }
      await world.kube.delete(ec2NodeClasses, key)
      await world.run(5_000)
      expect(await world.world.exists(ec2NodeClasses, key)).toBe(false)
      return world.aws.state.instanceProfiles.map((profile) => profile.name)
    }

    test('which goes with it, whatever other tags it has', async () => {
      expect(await left({ ...owned, team: 'core' })).toEqual([])
    })

    test.each<[why: string, tags: Record<string, string>]>([
      ['has no tags', {}],
      ['is only shared with the cluster', { 'kubernetes.io/cluster/demo': 'shared' }],
      ["is another cluster's", { 'kubernetes.io/cluster/other': 'owned' }],
    ])('which stays if it %s: somebody else has made it', async (_why, tags) => {
      expect(await left(tags)).toEqual([name])
    })

    test('which stays while the class, another one or a claim of another one names it', async () => {
      const given = { role: undefined, instanceProfile: name } as never
      expect(await left(owned, { spec: given })).toEqual([name])
      expect(await left(owned, { other: given })).toEqual([name])
      const claim = {
        metadata: { annotations: { 'karpenter.k8s.aws/instance-profile-name': name } },
        spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'other' } },
      }
      expect(await left(owned, { claim })).toEqual([name])
    })
  })

  test('stays while a template cannot be deleted', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    const stop = world.aws.faults.add((call) =>
      call.action === 'DeleteLaunchTemplate'
        ? { kind: 'fail', error: new AWSError('UnauthorizedOperation', 'no') }
        : undefined,
    )
    await world.kube.delete(ec2NodeClasses, key)
    await world.run(5_000)
    expect((await world.read()).metadata.finalizers).toEqual(['karpenter.k8s.aws/termination'])
    stop()
    await world.run(60_000)
    expect(await world.world.exists(ec2NodeClasses, key)).toBe(false)
  })

  test('in an isolated VPC leaves IAM alone', async () => {
    const world = await aNodeClassWorld({ settings: { isolatedVPC: true } })
    await world.create({ role: undefined, instanceProfile: 'p' } as never)
    await world.kube.delete(ec2NodeClasses, key)
    await world.run(5_000)
    expect(await world.world.exists(ec2NodeClasses, key)).toBe(false)
    expect(world.countOf('iam:ListInstanceProfiles')).toBe(0)
  })
})
