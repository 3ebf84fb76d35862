import { describe, expect, test } from 'vitest'
import { nodeClaimLifecycle, type RegistrationHealth } from '../../../../src/controllers/nodeclaim/index.ts'
import {
  CreateError,
  InstanceNotOwnedError,
  InsufficientCapacityError,
  NodeClassNotReadyError,
} from '../../../../src/cloud/provider.ts'
import { rowOf } from '../../../../src/controllers/event-table.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, conditionOf, unregisteredTaint } from '../../../support/controller-builders.ts'
import { aControllerWorld, type ControllerWorld } from '../../../support/controller-world.ts'

const claimKey = { name: 'c1' }
const nodeKey = { name: 'n1' }

function recordingHealth() {
  const outcomes: string[] = []
  const health: RegistrationHealth = {
    recordSuccess: async (claim) => void outcomes.push(`success ${claim.metadata.name}`),
    recordFailure: async (claim) => void outcomes.push(`failure ${claim.metadata.name}`),
  }
  return { outcomes, health }
}

async function aLifecycleWorld(more: { health?: RegistrationHealth } = {}) {
  const world = aControllerWorld()
  const { outcomes, health } = recordingHealth()
  const controller = nodeClaimLifecycle({ ...world, health: more.health ?? health })
  return { world, outcomes, controller, start: () => world.start(controller) }
}

async function launched(spec: Parameters<typeof aClaim>[1] = {}) {
  const setup = await aLifecycleWorld()
  await setup.world.kube.create(nodeClaims, aClaim('c1', spec))
  await setup.start()
  await setup.world.run(3_000)
  return setup
}

const conditionIn = async (world: ControllerWorld, type: string) =>
  conditionOf(await world.read(nodeClaims, claimKey), type)

describe('launch', () => {
  test('a claim gets the finalizer, an instance, and what the provider knows about it', async () => {
    const { world } = await launched({ metadata: { labels: { 'topology.kubernetes.io/zone': 'chosen' } } })
    const claim = await world.read(nodeClaims, claimKey)
    expect(claim.metadata.finalizers).toEqual(['karpenter.sh/termination'])
    expect(claim.status).toMatchObject({
      providerID: 'aws:///us-west-2a/i-1',
      imageID: 'ami-1',
      capacity: { cpu: '2', memory: '8Gi', pods: '29' },
      allocatable: { cpu: '1930m', memory: '7Gi', pods: '29' },
    })
    expect(claim.metadata.labels).toMatchObject({
      'node.kubernetes.io/instance-type': 'm5.large',
      'topology.kubernetes.io/zone': 'chosen',
    })
    expect(claim.metadata.annotations).toMatchObject({ 'karpenter.k8s.aws/ec2nodeclass-hash': '1' })
    expect(conditionOf(claim, 'Launched')).toBe('True/Launched/')
    expect(conditionOf(claim, 'Registered')).toBe('Unknown/NodeNotFound/Node not registered with cluster')
    expect(conditionOf(claim, 'Ready')).toContain('Unknown/ReconcilingDependents/')
    expect(world.logged('launched nodeclaim')).toMatchObject([
      { 'provider-id': 'aws:///us-west-2a/i-1', 'instance-type': 'm5.large', zone: 'chosen', 'capacity-type': 'spot' },
    ])
    expect(world.cloud.created).toEqual(['c1'])
  })

  test('a status write that fails does not lead to a second launch', async () => {
    const { world, start } = await aLifecycleWorld()
    let failures = 0
    world.kube.fault = ({ operation, resource }) => {
      if (operation !== 'patch' || resource !== 'nodeclaims' || world.cloud.created.length === 0) return
      if (failures++ < 2) throw new KubeError('ServiceUnavailable', 503, 'down')
    }
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(30_000)
    expect(world.cloud.created).toEqual(['c1'])
    expect(await conditionIn(world, 'Launched')).toBe('True/Launched/')
  })

  describe('after a launch whose process died between metadata and status', () => {
    const earlier = {
      'node.kubernetes.io/instance-type': 'c5.4xlarge',
      'topology.kubernetes.io/zone': 'us-west-2b',
      'karpenter.sh/capacity-type': 'reserved',
      'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
    }
    const own = { 'karpenter.sh/nodepool': 'default', 'karpenter.k8s.aws/ec2nodeclass': 'default', team: 'a' }
    const metadata = {
      labels: { ...own, ...earlier },
      annotations: { note: 'kept', 'karpenter.k8s.aws/ec2nodeclass-hash': '0' },
    }
    const ofTheMachine = {
      'node.kubernetes.io/instance-type': 'm5.large',
      'topology.kubernetes.io/zone': 'us-west-2a',
      'karpenter.sh/capacity-type': 'spot',
    }

    test('the claim carries the labels of the machine that it gets, beside its own', async () => {
      const { world } = await launched({ metadata })
      const claim = await world.read(nodeClaims, claimKey)
      expect(claim.status?.providerID).toBe('aws:///us-west-2a/i-1')
      expect(claim.metadata.labels).toEqual({ ...own, ...ofTheMachine })
      expect(claim.metadata.annotations).toEqual({ note: 'kept', 'karpenter.k8s.aws/ec2nodeclass-hash': '1' })
      expect(world.logged('launched nodeclaim')).toMatchObject([{ 'instance-type': 'm5.large', zone: 'us-west-2a' }])
    })

    test('so does its node', async () => {
      const { world } = await launched({ metadata })
      await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint], metadata: { labels: ofTheMachine } }))
      await world.run(3_000)
      const { labels = {} } = (await world.read(nodes, nodeKey)).metadata
      expect(labels).toMatchObject(ofTheMachine)
      expect(labels).not.toHaveProperty(['karpenter.k8s.aws/capacity-reservation-id'])
    })

    test('that holds as well when this process needs several tries to write them', async () => {
      const { world, start } = await aLifecycleWorld()
      let failures = 0
      world.kube.fault = ({ operation, resource }) => {
        if (operation !== 'patch' || resource !== 'nodeclaims' || world.cloud.created.length === 0) return
        if (failures++ < 2) throw new KubeError('ServiceUnavailable', 503, 'down')
      }
      await world.kube.create(nodeClaims, aClaim('c1', { metadata }))
      await start()
      await world.run(30_000)
      expect(world.cloud.created).toEqual(['c1'])
      expect((await world.read(nodeClaims, claimKey)).metadata.labels).toEqual({ ...own, ...ofTheMachine })
    })

    test('what a change of hash version wrote is not taken for a launch', async () => {
      const { world, start } = await aLifecycleWorld()
      const create = world.cloud.create.bind(world.cloud)
      world.cloud.create = async (claim) => {
        const made = await create(claim)
        const annotations = { ...made.annotations, 'karpenter.k8s.aws/instance-profile-name': 'p' }
        return { ...made, annotations }
      }
      await world.kube.create(nodeClaims, aClaim('c1', { metadata }))
      await start()
      await world.run(3_000)
      expect((await world.read(nodeClaims, claimKey)).metadata.labels).toMatchObject(earlier)
    })
  })

  test('labels that the claim had before stand, also when its status is written in a second try', async () => {
    const { world, start } = await aLifecycleWorld()
    let patches = 0
    world.kube.fault = ({ operation, resource }) => {
      if (operation !== 'patch' || resource !== 'nodeclaims' || world.cloud.created.length === 0) return
      // The first is that of the metadata.
      if ([2, 3].includes(++patches)) throw new KubeError('ServiceUnavailable', 503, 'down')
    }
    const labels = { 'topology.kubernetes.io/zone': 'chosen' }
    await world.kube.create(nodeClaims, aClaim('c1', { metadata: { labels } }))
    await start()
    await world.run(30_000)
    const claim = await world.read(nodeClaims, claimKey)
    expect(patches).toBeGreaterThan(3)
    expect(claim.status?.providerID).toBe('aws:///us-west-2a/i-1')
    expect(claim.metadata.labels).toMatchObject(labels)
  })

  test('what an earlier process launched is not launched again from a cache that has not seen it', async () => {
    const { world, start } = await aLifecycleWorld()
    world.cloud.failure = new Error('not now')
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(1_000)
    const tries = world.cloud.created.length
    world.kube.delivers = () => false
    const { status } = aClaim('c1', { status: { providerID: 'aws:///us-west-2a/i-earlier' } })
    await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { status } })
    world.cloud.failure = undefined
    await world.run(60_000)
    expect(world.cloud.created).toHaveLength(tries)
    expect((await world.read(nodeClaims, claimKey)).status?.providerID).toBe('aws:///us-west-2a/i-earlier')
  })

  test('a claim that names its instance is launched, whatever its condition was overwritten with', async () => {
    const status = { providerID: 'aws:///us-west-2a/i-earlier' }
    const { world } = await launched({ status })
    expect(world.cloud.created).toEqual([])
    expect(await conditionIn(world, 'Launched')).toBe('True/Launched/')
    expect((await world.read(nodeClaims, claimKey)).status?.providerID).toBe(status.providerID)
  })

  test('nothing is written again when nothing changes', async () => {
    const { world } = await launched()
    const writes = world.kube.calls.filter(({ operation }) => operation === 'patch').length
    await world.run(60_000)
    expect(world.kube.calls.filter(({ operation }) => operation === 'patch')).toHaveLength(writes)
  })

  test('case 109: without capacity the claim is deleted, with an event, and not tried again', async () => {
    const { world, outcomes, start } = await aLifecycleWorld()
    world.cloud.failure = new InsufficientCapacityError('all requested instance types were unavailable')
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(10_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.cloud.created).toEqual(['c1'])
    expect(world.events('InsufficientCapacityError')).toEqual([
      'NodeClaim c1 event: insufficient capacity, all requested instance types were unavailable',
    ])
    expect(world.logged('failed launching nodeclaim')).toHaveLength(1)
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'insufficient_capacity' })).toBe(1)
    expect(outcomes).toEqual([])
  })

  test('with an unready NodeClass the claim is deleted, without an event', async () => {
    const { world, start } = await aLifecycleWorld()
    world.cloud.failure = new NodeClassNotReadyError('not ready')
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(10_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.events()).toEqual([])
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'nodeclass_not_ready' })).toBe(1)
  })

  test('case 110: an unknown error is retried, and after five minutes the claim is given up', async () => {
    const { world, outcomes, start } = await aLifecycleWorld()
    world.cloud.failure = new Error('x'.repeat(400))
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(60_000)
    expect(await conditionIn(world, 'Launched')).toBe(`Unknown/LaunchFailed/${'x'.repeat(300)}...`)
    expect(world.cloud.created.length).toBeGreaterThan(3)
    await world.run(239_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(true)
    await world.run(62_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'launch_timeout' })).toBe(1)
    expect(outcomes).toEqual(['failure c1'])
    expect(world.logged('terminating due to timeout')[0]).toMatchObject({ timeout: '5m0s', reason: 'launch_timeout' })
  })

  test('a claim that is given up at first sight is judged by what this pass found out, not by what was stored', async () => {
    const seen: (string | undefined)[] = []
    const health: RegistrationHealth = {
      recordSuccess: async () => undefined,
      recordFailure: async (claim) => void seen.push(conditionOf(claim, 'Launched')),
    }
    const { world, start } = await aLifecycleWorld({ health })
    world.cloud.failure = new CreateError('denied', 'Unauthorized', 'User is not authorized')
    await world.kube.create(nodeClaims, aClaim())
    // Nothing runs until after the launch's five minutes.
    await world.run(360_000)
    await start()
    await world.run(3_000)
    expect(seen).toEqual(['Unknown/Unauthorized/User is not authorized'])
  })

  test('the reason that a provider gives becomes the condition', async () => {
    const { world, start } = await aLifecycleWorld()
    world.cloud.failure = new CreateError('denied', 'Unauthorized', 'User is not authorized')
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(2_000)
    expect(await conditionIn(world, 'Launched')).toBe('Unknown/Unauthorized/User is not authorized')
    const failures = world.logged('Reconciler error').map(({ err }) => (err instanceof Error ? err.message : ''))
    expect(failures[0]).toBe('launching nodeclaim, creating nodeclaim, denied')
  })
})

describe('registration', () => {
  test('the node takes over labels, annotations, taints, finalizer and owner, and is opened', async () => {
    const { world, outcomes } = await launched({
      spec: {
        taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'agent', effect: 'NoSchedule' }],
      },
    })
    await world.kube.create(
      nodes,
      aNode('n1', { taints: [unregisteredTaint, { key: 'team', value: 'other', effect: 'NoSchedule' }] }),
    )
    await world.run(3_000)
    const node = await world.read(nodes, nodeKey)
    const claim = await world.read(nodeClaims, claimKey)
    expect(node.metadata.finalizers).toEqual(['karpenter.sh/termination'])
    expect(node.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        name: 'c1',
        uid: claim.metadata.uid,
        blockOwnerDeletion: true,
      },
    ])
    expect(node.metadata.labels).toMatchObject({
      'karpenter.sh/nodepool': 'default',
      'karpenter.sh/registered': 'true',
      'node.kubernetes.io/instance-type': 'm5.large',
    })
    expect(node.spec.taints).toEqual([
      { key: 'team', value: 'other', effect: 'NoSchedule' },
      { key: 'agent', effect: 'NoSchedule' },
    ])
    expect(conditionOf(claim, 'Registered')).toBe('True/Registered/')
    expect(claim.status?.nodeName).toBe('n1')
    expect(outcomes).toEqual(['success c1'])
    expect(world.counts.sum('karpenter_nodes_created_total', { nodepool: 'default', zone: 'us-west-2a' })).toBe(1)
    expect(world.events('UnregisteredTaintMissing')).toEqual([])
  })

  test('case 111: a node without the unregistered taint is registered with a warning', async () => {
    const { world } = await launched()
    await world.kube.create(nodes, aNode())
    await world.run(3_000)
    expect(world.events('UnregisteredTaintMissing')).toEqual([
      'Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes',
    ])
    expect(world.logged('node claim registration error')).toMatchObject([{ taint: 'karpenter.sh/unregistered' }])
    expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
  })

  test.each([
    ['true', []],
    ['True', [{ key: 'team', effect: 'NoSchedule' }]],
  ])('case 112: do-not-sync-taints=%s leaves %j', async (value, taints) => {
    const { world } = await launched({ spec: { taints: [{ key: 'team', effect: 'NoSchedule' }] } })
    const metadata = { labels: { 'karpenter.sh/do-not-sync-taints': value } }
    await world.kube.create(nodes, aNode('n1', { metadata, taints: [unregisteredTaint] }))
    await world.run(3_000)
    expect((await world.read(nodes, nodeKey)).spec.taints).toEqual(taints)
  })

  test('case 113: a startup taint that was removed does not come back', async () => {
    const { world } = await launched({ spec: { startupTaints: [{ key: 'agent', effect: 'NoSchedule' }] } })
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(3_000)
    expect(await conditionIn(world, 'Initialized')).toBe(
      'Unknown/StartupTaintsExist/StartupTaint "agent:NoSchedule" still exists',
    )
    await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { spec: { taints: [] } } })
    await world.run(5_000)
    expect((await world.read(nodes, nodeKey)).spec.taints).toEqual([])
    expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
  })

  test('case 114: two nodes with one provider ID end in the registration timeout', async () => {
    const { world, outcomes } = await launched()
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.kube.create(nodes, aNode('n2', { taints: [unregisteredTaint] }))
    await world.run(60_000)
    expect(await conditionIn(world, 'Registered')).toBe(
      'False/MultipleNodesFound/Invariant violated, matched multiple nodes',
    )
    expect(await conditionIn(world, 'Ready')).toMatch(/^False\/UnhealthyDependents\//)
    await world.run(14 * 60_000 - 2_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(true)
    await world.run(60_000)
    expect((await world.kube.list(nodeClaims)).items.filter((c) => c.metadata.deletionTimestamp === undefined)).toEqual(
      [],
    )
    expect(outcomes).toEqual(['failure c1'])
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'registration_timeout' })).toBe(1)
  })

  test('a claim whose node never joins is given up fifteen minutes after its creation', async () => {
    const { world, outcomes } = await launched()
    await world.run(15 * 60_000 - 5_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(true)
    await world.run(15_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.cloud.instances.size).toBe(0)
    expect(outcomes).toEqual(['failure c1'])
  })

  test('a pending hook keeps the node closed, though it is synced already', async () => {
    const { world } = await launched()
    let clear = false
    world.cloud.registrationHooks.push({
      name: 'PartitionHook',
      check: async () =>
        clear ? { kind: 'clear', labels: { partition: '3' } } : { kind: 'pending', requeueAfterMs: 4_000 },
    })
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(2_000)
    const closed = await world.read(nodes, nodeKey)
    expect(closed.metadata.finalizers).toEqual(['karpenter.sh/termination'])
    expect(closed.spec.taints).toEqual([unregisteredTaint])
    expect(await conditionIn(world, 'Registered')).toBe('Unknown/RegistrationHookPending/PartitionHook')
    clear = true
    await world.run(10_000)
    const open = await world.read(nodes, nodeKey)
    expect(open.spec.taints).toEqual([])
    expect(open.metadata.labels).toMatchObject({ partition: '3', 'karpenter.sh/registered': 'true' })
    expect((await world.read(nodeClaims, claimKey)).metadata.labels).toMatchObject({ partition: '3' })
  })

  test('when the pool changes meanwhile, the outcome is recorded in a later pass', async () => {
    let conflicts = 2
    const successes: string[] = []
    const health: RegistrationHealth = {
      recordSuccess: async (claim) => {
        if (conflicts-- > 0) throw new KubeError('Conflict', 409, 'changed')
        successes.push(claim.metadata.name)
      },
      recordFailure: async () => undefined,
    }
    const { world, start } = await aLifecycleWorld({ health })
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(3_000)
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(20_000)
    expect(successes).toEqual(['c1'])
    expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
  })

  describe('while the status of the pool cannot be written', () => {
    /** A pool's health that refuses until it is told otherwise. */
    async function refusedHealth() {
      const setup = await aLifecycleWorld({
        health: {
          recordSuccess: async (claim) => {
            if (refuses) throw new KubeError('Forbidden', 403, 'denied by policy')
            successes.push(claim.metadata.name)
          },
          recordFailure: async () => undefined,
        },
      })
      let refuses = true
      const successes: string[] = []
      await setup.world.kube.create(nodeClaims, aClaim())
      await setup.start()
      await setup.world.run(3_000)
      await setup.world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
      return { ...setup, successes, accept: () => (refuses = false) }
    }

    test('the claim of an open node is registered all the same, and is not given up', async () => {
      const { world } = await refusedHealth()
      await world.run(3_000)
      expect((await world.read(nodes, nodeKey)).spec.taints).toEqual([])
      expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
      expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
      expect((await world.read(nodeClaims, claimKey)).status?.nodeName).toBe('n1')
      await world.run(20 * 60_000)
      expect(await world.exists(nodeClaims, claimKey)).toBe(true)
      expect(world.cloud.deleted).toEqual([])
      expect(world.counts.sum('karpenter_nodes_created_total')).toBe(1)
      expect(world.logged('registered nodeclaim')).toHaveLength(1)
      expect(world.logged('Reconciler error').length).toBeGreaterThan(3)
    })

    test('the outcome is kept, and counted once when it can be written', async () => {
      const { world, successes, accept } = await refusedHealth()
      await world.run(20 * 60_000)
      accept()
      await world.run(120_000)
      await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } })
      await world.run(5_000)
      expect(successes).toEqual(['c1'])
    })

    test('the claim can be deleted, and tells its outcome once more', async () => {
      const { world, successes, accept } = await refusedHealth()
      await world.run(60_000)
      await world.kube.delete(nodeClaims, claimKey)
      await world.run(1_000)
      accept()
      await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
      await world.run(20_000)
      expect(await world.exists(nodeClaims, claimKey)).toBe(false)
      expect(successes).toEqual(['c1'])
    })

    test('the claim goes though its outcome can be told to nobody', async () => {
      const { world } = await refusedHealth()
      await world.run(60_000)
      await world.kube.delete(nodeClaims, claimKey)
      await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
      await world.run(20_000)
      expect(await world.exists(nodeClaims, claimKey)).toBe(false)
      expect(world.logged('failed recording registration health')).toHaveLength(1)
    })
  })

  test('a claim whose own status cannot be written counts once for its pool', async () => {
    const { world, outcomes } = await launched()
    let failures = 0
    world.kube.fault = ({ operation, resource }) => {
      if (operation !== 'patch' || resource !== 'nodeclaims') return
      if (failures++ < 3) throw new KubeError('ServiceUnavailable', 503, 'down')
    }
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(60_000)
    expect(failures).toBeGreaterThan(3)
    expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
    expect(outcomes).toEqual(['success c1'])
  })
})

describe('initialization', () => {
  test('a ready node with all it was asked for is marked, for good', async () => {
    const { world } = await launched({ spec: { resources: { requests: { cpu: '1', 'nvidia.com/gpu': '0' } } } })
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    expect((await world.read(nodes, nodeKey)).metadata.labels).toMatchObject({ 'karpenter.sh/initialized': 'true' })
    expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
    expect(await conditionIn(world, 'Ready')).toBe('True/Ready/')
    expect(world.logged('initialized nodeclaim')).toHaveLength(1)
    await world.kube.patch(nodes, nodeKey, {
      kind: 'merge',
      body: { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    })
    await world.run(5_000)
    expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
  })

  const cases: Record<
    string,
    { claim?: Parameters<typeof aClaim>[1]; node: Parameters<typeof aNode>[1]; want: string }
  > = {
    'the node is not ready': {
      node: { ready: 'False' },
      want: 'Unknown/NodeNotReady/Node status is NotReady',
    },
    'case 116: a readiness taint is there': {
      node: { taints: [{ key: 'readiness.k8s.io/x', value: 'y', effect: 'NoSchedule' }] },
      want: 'Unknown/KnownEphemeralTaintsExist/KnownEphemeralTaint "readiness.k8s.io/x=y:NoSchedule" still exists',
    },
    'the cloud controller has not seen the node': {
      node: {
        taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }],
      },
      want: 'Unknown/KnownEphemeralTaintsExist/KnownEphemeralTaint "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule" still exists',
    },
    'case 115: the requested GPU is not registered': {
      claim: { spec: { resources: { requests: { 'nvidia.com/gpu': '1' } } } },
      node: {
        status: { allocatable: { cpu: '2', 'nvidia.com/gpu': '0' }, conditions: [{ type: 'Ready', status: 'True' }] },
      },
      want: 'Unknown/ResourceNotRegistered/Resource "nvidia.com/gpu" was requested but not registered',
    },
    'case 115: nobody asked for the GPU': {
      claim: { spec: { resources: { requests: { cpu: '1' } } } },
      node: {
        status: { allocatable: { cpu: '2', 'nvidia.com/gpu': '0' }, conditions: [{ type: 'Ready', status: 'True' }] },
      },
      want: 'True/Initialized/',
    },
  }
  test.each(Object.entries(cases))('%s', async (_name, { claim, node, want }) => {
    const { world } = await launched(claim)
    await world.kube.create(nodes, aNode('n1', node))
    await world.run(5_000)
    expect(await conditionIn(world, 'Initialized')).toBe(want)
  })
})

describe('termination of a claim', () => {
  test('that waits for somebody else only is over for us', async () => {
    const { world, start } = await aLifecycleWorld()
    const status = { providerID: 'aws:///us-west-2a/i-1' }
    const claim = aClaim('c1', { metadata: { finalizers: ['example.com/theirs'] }, status })
    await world.cloud.create(await world.kube.create(nodeClaims, claim))
    await world.kube.delete(nodeClaims, claimKey)
    await start()
    await world.run(10_000)
    expect(world.cloud.deleted).toEqual([])
    expect((await world.read(nodeClaims, claimKey)).metadata.finalizers).toEqual(['example.com/theirs'])
  })

  test('the grace period becomes a time on the claim, once', async () => {
    const { world } = await launched({ spec: { terminationGracePeriod: '5m' } })
    world.cloud.terminationMs = 12_000
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(1_000)
    const claim = await world.read(nodeClaims, claimKey)
    const at = claim.metadata.annotations?.['karpenter.sh/nodeclaim-termination-timestamp']
    expect(Date.parse(at ?? '') - Date.parse(claim.metadata.deletionTimestamp ?? '')).toBe(300_000)
    expect(world.events('TerminationGracePeriodExpiring')).toEqual([`All pods will be deleted by ${at}`])
  })

  test('the instance is asked to end until it is gone, then the claim goes', async () => {
    const { world } = await launched()
    world.cloud.terminationMs = 12_000
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(4_000)
    expect(await conditionIn(world, 'InstanceTerminating')).toBe('True/InstanceTerminating/')
    await world.run(20_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.counts.observed('karpenter_nodeclaims_instance_termination_duration_seconds')).toEqual([15])
    expect(
      world.counts.sum('karpenter_nodeclaims_terminated_total', { nodepool: 'default', capacity_type: 'spot' }),
    ).toBe(1)
    expect(world.logged('deleted nodeclaim')).toHaveLength(1)
  })

  test('a claim that names an instance which is not ours waits, says so, and goes once it is mended', async () => {
    const { world } = await launched()
    const original = world.cloud.delete.bind(world.cloud)
    const error = new InstanceNotOwnedError('i-db', ['karpenter.sh/nodepool'])
    world.cloud.delete = () => Promise.reject(error)
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(60_000)
    expect((await world.read(nodeClaims, claimKey)).metadata.finalizers).toEqual(['karpenter.sh/termination'])
    expect(new Set(world.events('InstanceNotOwned'))).toEqual(new Set([error.message]))
    const event = { reason: 'InstanceNotOwned', type: 'Warning', kind: 'NodeClaim', message: error.message }
    expect(rowOf(event)?.reason).toBe('InstanceNotOwned')
    expect(world.logged('Reconciler error')[0]).toMatchObject({ err: { instanceID: 'i-db' } })
    world.cloud.delete = original
    await world.run(120_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
  })

  test('a registered claim first waits for its nodes, duplicates included', async () => {
    const { world } = await launched()
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    await world.kube.create(nodes, aNode('n2', { metadata: { finalizers: ['hold'] } }))
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(30_000)
    for (const name of ['n1', 'n2']) {
      expect((await world.read(nodes, { name })).metadata.deletionTimestamp).toBeDefined()
    }
    expect(world.cloud.deleted).toEqual([])
    for (const name of ['n1', 'n2']) {
      await world.kube.patch(nodes, { name }, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    }
    await world.run(20_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.cloud.instances.size).toBe(0)
  })

  test('a node that was opened to pods is drained also when its claim could not be told', async () => {
    const { world } = await launched()
    world.kube.fault = ({ operation, resource, name }) => {
      if (operation === 'patch' && resource === 'nodeclaims' && name === 'c1' && isRefusing) {
        throw new KubeError('Forbidden', 403, 'a policy says no')
      }
    }
    let isRefusing = true
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    expect((await world.read(nodes, nodeKey)).metadata.labels?.['karpenter.sh/registered']).toBe('true')
    expect(await conditionIn(world, 'Registered')).not.toMatch(/^True/)
    isRefusing = false
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(20_000)
    expect((await world.read(nodes, nodeKey)).metadata.deletionTimestamp).toBeDefined()
    expect(world.cloud.deleted).toEqual([])
  })

  test('case 133: the node of an unregistered claim is left alone, its instance is not', async () => {
    const { world } = await launched()
    world.cloud.registrationHooks.push({
      name: 'never',
      check: async () => ({ kind: 'pending', requeueAfterMs: 1_000 }),
    })
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(3_000)
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(20_000)
    expect((await world.read(nodes, nodeKey)).metadata.deletionTimestamp).toBeUndefined()
    expect(world.cloud.instances.size).toBe(0)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
  })

  test('a claim that was never launched goes at once', async () => {
    const { world, start } = await aLifecycleWorld()
    world.cloud.failure = new Error('down')
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(2_000)
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(3_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
  })
})

test('claims of another provider are not touched', async () => {
  const { world, start } = await aLifecycleWorld()
  const nodeClassRef = { group: 'other.example', kind: 'OtherClass', name: 'x' }
  await world.kube.create(nodeClaims, aClaim('c1', { spec: { nodeClassRef } }))
  await start()
  await world.run(10_000)
  expect(world.cloud.created).toEqual([])
  expect((await world.read(nodeClaims, claimKey)).metadata.finalizers).toBeUndefined()
})
