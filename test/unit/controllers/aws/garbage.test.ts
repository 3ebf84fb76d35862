import { describe, expect, test } from 'vitest'
import { instanceGarbageCollector } from '../../../../src/controllers/aws/instance-garbage-collection.ts'
import { profileGarbageCollector } from '../../../../src/controllers/aws/profile-garbage-collection.ts'
import { taggingController } from '../../../../src/controllers/aws/tagging.ts'
import type { EC2Instance } from '../../../../src/cloud/aws/instance/ec2-instance.ts'
import { throttled } from '../../../../src/embedded/aws/errors.ts'
import type { InstanceRecord } from '../../../../src/embedded/aws/state.ts'
import { ec2NodeClasses, nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import type { Caches } from '../../../../src/kube/controller.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aNodeClass, anAWSWorld, type AWSWorld } from '../../../support/aws-world.ts'
import { aClaim, aNode } from '../../../support/controller-builders.ts'
import { aLaunchedInstance } from '../../../support/launched-instance.ts'

const owned = {
  'karpenter.sh/nodepool': 'web',
  'karpenter.k8s.aws/ec2nodeclass': 'default',
  'eks:eks-cluster-name': 'demo',
  'kubernetes.io/cluster/demo': 'owned',
}

function addInstance(world: AWSWorld, id: string, ageMs: number, tags: Record<string, string> = owned): void {
  const record: InstanceRecord = {
    id,
    type: 'm5.large',
    zone: 'us-east-1a',
    zoneID: 'use1-az1',
    subnetID: 'subnet-0a',
    vpcID: 'vpc-1',
    privateIP: '10.0.0.9',
    imageID: 'ami-1',
    architecture: 'x86_64',
    state: 'running',
    since: world.clock.now(),
    launchedAt: world.clock.now() - ageMs,
    tags,
    lifecycle: 'on-demand',
    capacityReservationsOnly: false,
    launchTemplateID: 'lt-1',
    fleetID: 'fleet-1',
    securityGroupIDs: ['sg-1'],
    userData: '',
    tenancy: 'default',
    interfaces: [],
    volumes: [],
    monitoring: false,
    impaired: [],
    events: [],
  }
  const state = world.aws.toJSON()
  world.aws.load({ ...state, instances: [...state.instances, record] })
}

const stateOf = (world: AWSWorld, id: string) => world.aws.state.instances.find((it) => it.id === id)?.state

/** As the launcher tells it. */
function launched(id: string, launchedAt: number): EC2Instance {
  return aLaunchedInstance(id, { launchedAt, tags: owned })
}

describe('case 78: instances that no claim stands for', () => {
  async function collected(prepare: (world: AWSWorld) => Promise<void> | void) {
    const world = await anAWSWorld({ types: ['m5.large'] })
    await prepare(world)
    await world.world.start(instanceGarbageCollector({ ...world, cloud: world.cloud }))
    await world.world.run(1_000)
    return world
  }

  test('are ended after thirty seconds, and their node goes', async () => {
    const world = await collected(async (it) => {
      addInstance(it, 'i-old', 31_000)
      addInstance(it, 'i-young', 20_000)
      await it.kube.create(nodes, aNode('n1', { providerID: 'aws:///us-east-1a/i-old', ready: 'Unknown' }))
    })
    expect(stateOf(world, 'i-old')).toBe('shutting-down')
    expect(stateOf(world, 'i-young')).toBe('running')
    expect(await world.world.exists(nodes, { name: 'n1' })).toBe(false)
    expect(world.world.logged('Reconciler error')).toEqual([])
  })

  test('are left alone when they do not carry our tags, or a claim names them', async () => {
    const { 'karpenter.sh/nodepool': _pool, ...without } = owned
    const world = await collected(async (it) => {
      addInstance(it, 'i-untagged', 100_000, without)
      addInstance(it, 'i-other', 100_000, { ...owned, 'eks:eks-cluster-name': 'other' })
      addInstance(it, 'i-claimed', 100_000)
      await it.kube.create(nodeClaims, aClaim('c1', { status: { providerID: 'aws:///us-east-1a/i-claimed' } }))
    })
    expect(['i-untagged', 'i-other', 'i-claimed'].map((id) => stateOf(world, id))).toEqual([
      'running',
      'running',
      'running',
    ])
  })

  test('are looked at a second time, half a minute later, before a node goes that is Ready', async () => {
    const world = await collected(async (it) => {
      await it.world.run(100_000)
      addInstance(it, 'i-old', 31_000)
      await it.kube.create(nodes, aNode('n1', { providerID: 'aws:///us-east-1a/i-old' }))
    })
    await world.world.run(28_000)
    expect(stateOf(world, 'i-old')).toBe('running')
    await world.world.run(2_000)
    expect(stateOf(world, 'i-old')).toBe('shutting-down')
    expect(await world.world.exists(nodes, { name: 'n1' })).toBe(false)
  })

  test('are left to the claim that they name while it is shown without an instance: what answers may be behind', async () => {
    const tags = { ...owned, 'karpenter.sh/nodeclaim': 'c1' }
    const world = await collected(async (it) => {
      addInstance(it, 'i-1', 100_000, tags)
      await it.kube.create(nodeClaims, aClaim('c1', { status: { providerID: '' } }))
    })
    expect(stateOf(world, 'i-1')).toBe('running')
    await world.kube.delete(nodeClaims, { name: 'c1' })
    await world.world.run(10_000)
    expect(stateOf(world, 'i-1')).toBe('shutting-down')
  })

  test('are left to the claim that their Node names while it is shown without an instance', async () => {
    const providerID = 'aws:///us-east-1a/i-1'
    const node = aNode('n1', { providerID, ready: 'Unknown' })
    const owner = { kind: 'NodeClaim', apiVersion: 'karpenter.sh/v1', name: 'c1', uid: 'u1' }
    const world = await collected(async (it) => {
      addInstance(it, 'i-1', 100_000)
      await it.kube.create(nodes, { ...node, metadata: { ...node.metadata, ownerReferences: [owner] } })
      await it.kube.create(nodeClaims, aClaim('c1', { status: { providerID: '' } }))
    })
    expect(stateOf(world, 'i-1')).toBe('running')
    await world.kube.delete(nodeClaims, { name: 'c1' })
    await world.world.run(10_000)
    expect(stateOf(world, 'i-1')).toBe('shutting-down')
  })

  test.each([
    ['by the tag', { ...owned, 'karpenter.sh/nodeclaim': 'c1' }, undefined],
    ['by the node', owned, { kind: 'NodeClaim', apiVersion: 'karpenter.sh/v1', name: 'c1', uid: 'u1' }],
    ['by a list', owned, undefined],
  ])('are left alone when the cache has not seen their claim yet, which is found %s', async (_how, tags, owner) => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    addInstance(world, 'i-behind', 100_000, tags)
    addInstance(world, 'i-orphan', 100_000, tags)
    const providerID = 'aws:///us-east-1a/i-behind'
    const node = aNode('n1', { providerID })
    const metadata = { ...node.metadata, ...(owner === undefined ? {} : { ownerReferences: [owner] }) }
    await world.kube.create(nodes, { ...node, metadata })
    await world.kube.create(nodeClaims, aClaim('c1', { status: { providerID } }))
    const behind: Caches = {
      ...world.caches,
      of: (resource) => {
        const cache = world.caches.of(resource)
        return resource.plural === 'nodeclaims' ? { ...cache, list: () => [] } : cache
      },
    }
    await world.world.start(instanceGarbageCollector({ ...world, caches: behind }))
    // Longer than it is held back for its Node, which is Ready.
    await world.world.run(60_000)
    expect(stateOf(world, 'i-behind')).toBe('running')
    expect(stateOf(world, 'i-orphan')).toBe('terminated')
  })

  test('are left alone while nobody can say whether a claim names them', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    addInstance(world, 'i-old', 100_000, { ...owned, 'karpenter.sh/nodeclaim': 'c1' })
    world.kube.fault = ({ operation }) => {
      if (operation === 'get') throw new KubeError('Timeout', 504, 'timeout')
    }
    await world.world.start(instanceGarbageCollector(world))
    await world.world.run(1_000)
    expect(stateOf(world, 'i-old')).toBe('running')
  })

  test('a node stays when ending its instance failed', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    addInstance(world, 'i-old', 31_000)
    await world.kube.create(nodes, aNode('n1', { providerID: 'aws:///us-east-1a/i-old', ready: 'False' }))
    const giveBack = world.aws.deny('ec2:TerminateInstances')
    await world.world.start(instanceGarbageCollector(world))
    await world.world.run(1_000)
    expect(await world.world.exists(nodes, { name: 'n1' })).toBe(true)
    giveBack()
    await world.world.run(60_000)
    expect(await world.world.exists(nodes, { name: 'n1' })).toBe(false)
  })

  test('a clock that jumps does not make a launch of our own an orphan', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    addInstance(world, 'i-1', 0)
    world.cloud.instances.remember(launched('i-1', world.clock.now()), { name: 'c1', uid: 'c1' })
    world.clock.jump(300_000)
    await world.world.start(instanceGarbageCollector(world))
    await world.world.run(5_000)
    expect(stateOf(world, 'i-1')).toBe('running')
  })

  test('are none of ours that wait for their claim to be written, until the claim is gone', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    addInstance(world, 'i-1', 0)
    world.cloud.instances.remember(launched('i-1', world.clock.now()), { name: 'c1', uid: 'c1' })
    await world.kube.create(nodeClaims, aClaim('c1'))
    await world.world.start(instanceGarbageCollector(world))
    await world.world.run(600_000)
    expect(stateOf(world, 'i-1')).toBe('running')
    await world.kube.delete(nodeClaims, { name: 'c1' })
    await world.world.run(300_000)
    expect(stateOf(world, 'i-1')).toBe('terminated')
  })

  test('are those whose claim has not been written for an hour', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    addInstance(world, 'i-1', 0)
    world.cloud.instances.remember(launched('i-1', world.clock.now()), { name: 'c1', uid: 'c1' })
    await world.kube.create(nodeClaims, aClaim('c1'))
    await world.world.start(instanceGarbageCollector(world))
    await world.world.run(3_500_000)
    expect(stateOf(world, 'i-1')).toBe('running')
    await world.world.run(500_000)
    expect(stateOf(world, 'i-1')).toBe('terminated')
  })

  test('are looked for every ten seconds at first, every two minutes later', async () => {
    const world = await collected(() => undefined)
    await world.world.run(199_500)
    expect(world.countOf('ec2:DescribeInstances')).toBe(21)
    await world.world.run(240_000)
    expect(world.countOf('ec2:DescribeInstances')).toBe(23)
  })
})

describe('case 87: instance profiles', () => {
  const profile = (name: string, path = '/karpenter/us-east-1/demo/uid/') => ({
    name,
    path,
    roles: ['r1'],
    tags: {},
    createdAt: 0,
  })

  test('that nobody needs are deleted, foreign, protected and used ones are not', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.state.instanceProfiles.push(
      profile('unused'),
      profile('protected'),
      profile('in-status'),
      profile('in-spec'),
      profile('on-claim'),
      profile('foreign', '/karpenter/us-east-1/other/uid/'),
      profile('elsewhere', '/'),
    )
    world.cloud.instanceProfiles.protect('protected')
    await world.kube.create(ec2NodeClasses, aNodeClass({}, { status: { instanceProfile: 'in-status' } }))
    const unread = { metadata: { name: 'unread', uid: 'unread' }, status: {} }
    await world.kube.create(ec2NodeClasses, aNodeClass({ instanceProfile: 'in-spec' }, unread))
    await world.kube.create(
      nodeClaims,
      aClaim('c1', { metadata: { annotations: { 'karpenter.k8s.aws/instance-profile-name': 'on-claim' } } }),
    )
    await world.world.start(profileGarbageCollector({ ...world, clients: world.aws.clients }))
    await world.world.run(1_000)
    const left = () => world.aws.state.instanceProfiles.map((it) => it.name)
    expect(left()).toEqual(['protected', 'in-status', 'in-spec', 'on-claim', 'foreign', 'elsewhere'])
    await world.world.run(3_601_000)
    expect(left()).toEqual(['in-status', 'in-spec', 'on-claim', 'foreign', 'elsewhere'])
  })

  test('one that cannot be deleted keeps no others waiting, and is tried again', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.state.instanceProfiles.push(profile('a-held'), profile('b'))
    let tries = 0
    world.aws.faults.add(({ action, input }) => {
      if (
        action !== 'DeleteInstanceProfile' ||
        (input as { InstanceProfileName?: string }).InstanceProfileName !== 'a-held'
      )
        return undefined
      tries += 1
      return { kind: 'fail', error: new Error('somebody holds it') }
    })
    await world.world.start(profileGarbageCollector({ ...world, clients: world.aws.clients }))
    await world.world.run(1_000)
    expect(world.aws.state.instanceProfiles.map(({ name }) => name)).toEqual(['a-held'])
    const before = tries
    await world.world.run(60_000)
    expect(tries).toBeGreaterThan(before)
  })

  test('that are made just now stay, also before their role is in them', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.faults.add(({ action }) =>
      action === 'AddRoleToInstanceProfile' ? { kind: 'delay', ms: 5_000 } : undefined,
    )
    const made = world.cloud.instanceProfiles.ensure(aNodeClass({}, { status: {} }))
    await world.world.run(1_000)
    await world.world.start(profileGarbageCollector({ ...world, clients: world.aws.clients }))
    await world.world.run(10_000)
    expect(world.aws.state.instanceProfiles).toMatchObject([{ name: await made }])
  })
})

describe('case 85: tagging', () => {
  async function tagged(
    providerID: string,
    tags: Record<string, string> = owned,
    prepare: (world: AWSWorld) => void = () => undefined,
  ) {
    const world = await anAWSWorld({ types: ['m5.large'] })
    addInstance(world, 'i-1', 0, tags)
    prepare(world)
    await world.kube.create(nodeClaims, aClaim('c1', { status: { providerID, nodeName: 'node-1' } }))
    await world.world.start(taggingController(world))
    await world.world.run(5_000)
    return world
  }
  const annotations = async (world: AWSWorld) => (await world.kube.get(nodeClaims, { name: 'c1' })).metadata.annotations

  test('adds what is missing, once', async () => {
    const world = await tagged('aws:///us-east-1a/i-1')
    expect(world.callsOf('ec2:CreateTags')).toEqual([
      {
        Resources: ['i-1'],
        Tags: [
          { Key: 'Name', Value: 'node-1' },
          { Key: 'karpenter.sh/nodeclaim', Value: 'c1' },
        ],
      },
    ])
    expect(await annotations(world)).toEqual({
      'karpenter.k8s.aws/tagged': 'true',
      'compatibility.karpenter.k8s.aws/cluster-name-tagged': 'true',
    })
  })

  test("does not overwrite a name of the user's", async () => {
    const world = await tagged('aws:///us-east-1a/i-1', { ...owned, Name: 'mine' })
    expect(world.callsOf('ec2:CreateTags')[0]?.Tags).toEqual([{ Key: 'karpenter.sh/nodeclaim', Value: 'c1' }])
  })

  test('makes no call when nothing is missing or the provider id makes no sense', async () => {
    const complete = await tagged('aws:///us-east-1a/i-1', { ...owned, Name: 'n', 'karpenter.sh/nodeclaim': 'c1' })
    expect(complete.countOf('ec2:CreateTags')).toBe(0)
    expect(await annotations(complete)).toMatchObject({ 'karpenter.k8s.aws/tagged': 'true' })
    const odd = await tagged('nonsense')
    expect(odd.calls).toEqual([])
    expect(await annotations(odd)).toBeUndefined()
  })

  test('leaves an instance alone that is not ours', async () => {
    const world = await tagged('aws:///us-east-1a/i-1', { Name: 'database' })
    expect(world.countOf('ec2:CreateTags')).toBe(0)
    expect(await annotations(world)).toBeUndefined()
    expect(world.world.logged('Reconciler error')[0]).toMatchObject({ err: { code: 'InstanceNotOwned' } })
  })

  test('is tried again when EC2 has no time for it', async () => {
    let left = 1
    const world = await tagged('aws:///us-east-1a/i-1', owned, (it) => {
      it.aws.faults.add(({ action }) => {
        if (action !== 'CreateTags' || left === 0) return undefined
        left -= 1
        return { kind: 'fail', error: throttled() }
      })
    })
    expect(world.countOf('ec2:CreateTags')).toBe(2)
    expect(await annotations(world)).toMatchObject({ 'karpenter.k8s.aws/tagged': 'true' })
  })

  test('ignores an instance that is gone', async () => {
    const world = await tagged('aws:///us-east-1a/i-gone')
    expect(world.countOf('ec2:CreateTags')).toBe(0)
    expect(world.log.lines.filter((line) => line.message === 'Reconciler error')).toEqual([])
  })
})
