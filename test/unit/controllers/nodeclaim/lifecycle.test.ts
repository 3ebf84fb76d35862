import { describe, expect, test } from 'vitest'
import type { RegistrationHealth } from '../../../../src/controllers/nodeclaim/index.ts'
import { CreateError, InsufficientCapacityError, NodeClassNotReadyError } from '../../../../src/cloud/provider.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import { aClaim, aNode, conditionOf, unregisteredTaint } from '../../../support/controller-builders.ts'
import type { ControllerWorld } from '../../../support/controller-world.ts'
import { aLifecycleWorld, claimKey, conditionIn, launched, nodeKey } from '../../../support/lifecycle-world.ts'

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

  test('nor do status writes that fail for ten minutes', async () => {
    const { world, start } = await aLifecycleWorld()
    const until = world.clock.now() + 10 * 60_000
    world.kube.fault = ({ operation, resource }) => {
      const isWritten = operation === 'patch' && resource === 'nodeclaims' && world.cloud.created.length > 0
      if (isWritten && world.clock.now() < until) throw new KubeError('ServiceUnavailable', 503, 'down')
    }
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(12 * 60_000)
    expect(world.cloud.created).toEqual(['c1'])
    expect((await world.read(nodeClaims, claimKey)).status?.providerID).toBe('aws:///us-west-2a/i-1')
  })

  test('finalizers of others stay beside ours, also one that comes at the same moment, and nobody calls that an error', async () => {
    const { world, start } = await aLifecycleWorld()
    const finalizers = ['example.com/theirs']
    await world.kube.create(nodeClaims, aClaim('c1', { metadata: { finalizers } }))
    let isMeanwhile = true
    world.kube.fault = ({ operation, resource }) => {
      if (operation !== 'get' || resource !== 'nodeclaims' || !isMeanwhile) return
      isMeanwhile = false
      const metadata = { finalizers: [...finalizers, 'example.com/late'] }
      void world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata } })
    }
    await start()
    await world.run(10_000)
    const claim = await world.read(nodeClaims, claimKey)
    expect(claim.metadata.finalizers?.toSorted()).toEqual([
      'example.com/late',
      'example.com/theirs',
      'karpenter.sh/termination',
    ])
    expect(world.logged('Reconciler error')).toEqual([])
  })

  test.each([
    ['when its finalizer is set', 'get'],
    ['when its launch is written down', 'create'],
  ] as const)('a claim that somebody takes away %s is no error', async (_when, during) => {
    const { world, start } = await aLifecycleWorld()
    await world.kube.create(nodeClaims, aClaim())
    const takeAway = async () => {
      await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
      await world.kube.delete(nodeClaims, claimKey)
    }
    let isThere = true
    world.kube.fault = ({ operation, resource }) => {
      if (during !== 'get' || operation !== 'get' || resource !== 'nodeclaims' || !isThere) return
      isThere = false
      void world.kube.delete(nodeClaims, claimKey)
    }
    const create = world.cloud.create.bind(world.cloud)
    world.cloud.create = async (claim) => {
      await takeAway()
      return create(claim)
    }
    await start()
    await world.run(10_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.cloud.created).toHaveLength(during === 'get' ? 0 : 1)
    expect(world.logged('Reconciler error')).toEqual([])
  })

  test.each([
    ['status', 'nodeclaims', 'Conflict'],
    ['node', 'nodes', 'Conflict'],
    ['node, which is gone when it is written,', 'nodes', 'NotFound'],
  ] as const)('a %s that loses a race is written in a later pass, without an error', async (_what, resource, code) => {
    const { world } = await launched()
    let refusals = 0
    world.kube.fault = (call) => {
      if (call.operation !== 'patch' || call.resource !== resource) return
      if (refusals++ === 0) throw new KubeError(code, code === 'Conflict' ? 409 : 404, 'lost')
    }
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(20_000)
    expect(refusals).toBeGreaterThan(1)
    expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
    expect((await world.read(nodes, nodeKey)).metadata.labels).toMatchObject({ 'karpenter.sh/registered': 'true' })
    expect(world.logged('Reconciler error')).toEqual([])
  })

  test('what is written is not done again while the watch is slow to show it', async () => {
    const { world, start } = await aLifecycleWorld()
    const watch = world.kube.watch.bind(world.kube)
    world.kube.watch = async function* (resource, options) {
      for await (const event of watch(resource, options)) {
        if (resource.plural === 'nodeclaims') await world.clock.sleep(800)
        yield event
      }
    }
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(5_000)
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(200)
    await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } })
    await world.run(10_000)
    expect(world.counts.sum('karpenter_nodes_created_total')).toBe(1)
    expect(world.logged('registered nodeclaim')).toHaveLength(1)
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

  test('a machine of which the provider has no more to say takes no label from its claim', async () => {
    const { world, start } = await aLifecycleWorld()
    const create = world.cloud.create.bind(world.cloud)
    world.cloud.create = async (claim) => ({ ...(await create(claim)), annotations: {} })
    const labels = { 'topology.kubernetes.io/zone': 'chosen' }
    await world.kube.create(nodeClaims, aClaim('c1', { metadata: { labels } }))
    await start()
    await world.run(3_000)
    expect((await world.read(nodeClaims, claimKey)).metadata.labels).toMatchObject(labels)
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

  /** A launch has failed, and of what becomes of its claim no watch tells. */
  async function anUnwatchedLaunch() {
    const { world, start } = await aLifecycleWorld()
    world.cloud.failure = new Error('not now')
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(1_000)
    world.kube.delivers = () => false
    return { world, tries: world.cloud.created.length }
  }

  test('what an earlier process launched is not launched again from a cache that has not seen it', async () => {
    const { world, tries } = await anUnwatchedLaunch()
    const { status } = aClaim('c1', { status: { providerID: 'aws:///us-west-2a/i-earlier' } })
    await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { status } })
    world.cloud.failure = undefined
    await world.run(60_000)
    expect(world.cloud.created).toHaveLength(tries)
    expect((await world.read(nodeClaims, claimKey)).status?.providerID).toBe('aws:///us-west-2a/i-earlier')
  })

  const takenAway: Record<string, (world: ControllerWorld) => Promise<void>> = {
    'is gone': async ({ kube }) => {
      await kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
      await kube.delete(nodeClaims, claimKey)
    },
    'is another one': async ({ kube }) => {
      await kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
      await kube.delete(nodeClaims, claimKey)
      await kube.create(nodeClaims, aClaim())
    },
    'is on its way out': ({ kube }) => kube.delete(nodeClaims, claimKey),
  }
  test.each(Object.entries(takenAway))(
    'nothing is launched for a claim that %s, though the watch has not told of it',
    async (_what, takeAway) => {
      const { world, tries } = await anUnwatchedLaunch()
      await takeAway(world)
      world.cloud.failure = undefined
      await world.run(60_000)
      expect(world.cloud.created).toHaveLength(tries)
    },
  )

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
    const told = world.recorder.published.filter(({ reason }) => reason === 'InsufficientCapacityError')
    expect(told).toMatchObject([{ type: 'Warning', object: { kind: 'NodeClaim', metadata: { name: 'c1' } } }])
    expect(world.logged('failed launching nodeclaim').map(({ err }) => String(err))).toEqual([
      'Error: insufficient capacity, all requested instance types were unavailable',
    ])
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'insufficient_capacity' })).toBe(1)
    expect(outcomes).toEqual([])
  })

  test.each([
    ['without capacity', new InsufficientCapacityError('none left'), 1_000],
    ['in time', new Error('down'), 6 * 60_000],
  ])(
    'a claim that could not be launched %s, and that somebody has deleted already, is not counted',
    async (_why, failure, afterMs) => {
      const { world, start } = await aLifecycleWorld()
      await world.kube.create(nodeClaims, aClaim())
      world.kube.fault = ({ operation, resource }) => {
        if (operation === 'delete' && resource === 'nodeclaims') throw new KubeError('NotFound', 404, 'gone')
      }
      world.cloud.failure = failure
      await start()
      await world.run(afterMs)
      expect(world.kube.calls.filter(({ operation }) => operation === 'delete').length).toBeGreaterThan(0)
      expect(world.counts.sum('karpenter_nodeclaims_disrupted_total')).toBe(0)
    },
  )

  test('with an unready NodeClass the claim is deleted, without an event', async () => {
    const { world, start } = await aLifecycleWorld()
    world.cloud.failure = new NodeClassNotReadyError('not ready')
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(10_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.events()).toEqual([])
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'nodeclass_not_ready' })).toBe(1)
    expect(world.logged('failed launching nodeclaim').map(({ err }) => String(err))).toEqual([
      'Error: NodeClassRef not ready, not ready',
    ])
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

  test('a claim whose labels may not be written names its instance all the same, and has them once they may', async () => {
    const { world, start } = await aLifecycleWorld()
    let isRefusing = true
    world.kube.keeps = (object) => {
      if (isRefusing && object.metadata.labels?.['node.kubernetes.io/instance-type'] !== undefined) {
        throw new KubeError('Forbidden', 403, 'denied by policy')
      }
      return object
    }
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(60_000)
    expect((await world.read(nodeClaims, claimKey)).status?.providerID).toBe('aws:///us-west-2a/i-1')
    expect(await conditionIn(world, 'Launched')).toBe('True/Launched/')
    expect(world.logged('Reconciler error').length).toBeGreaterThan(1)
    isRefusing = false
    await world.run(120_000)
    const { labels, annotations } = (await world.read(nodeClaims, claimKey)).metadata
    expect(labels).toMatchObject({ 'node.kubernetes.io/instance-type': 'm5.large' })
    expect(annotations).toMatchObject({ 'karpenter.k8s.aws/ec2nodeclass-hash': '1' })
    expect(world.cloud.created).toEqual(['c1'])
  })

  test.each([
    [299, 'x'.repeat(299)],
    [300, `${'x'.repeat(300)}...`],
  ])('an error of %i characters is told as it is, or cut', async (length, message) => {
    const { world, start } = await aLifecycleWorld()
    world.cloud.failure = new Error('x'.repeat(length))
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(2_000)
    expect(await conditionIn(world, 'Launched')).toBe(`Unknown/LaunchFailed/${message}`)
  })

  test('a claim that was made in an hour, by the clock of the API server, is given up all the same', async () => {
    const { world, start } = await aLifecycleWorld()
    world.cloud.failure = new Error('no')
    const creationTimestamp = toTimestamp(world.clock.now() + 3_600_000)
    await world.kube.create(nodeClaims, aClaim('c1', { metadata: { creationTimestamp } }))
    await start()
    await world.run(299_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(true)
    await world.run(62_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
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

  test('a claim whose pool is written by somebody else meanwhile is given up in a later pass, without an error', async () => {
    let conflicts = 1
    const failures: string[] = []
    const health: RegistrationHealth = {
      recordSuccess: async () => undefined,
      recordFailure: async ({ metadata }) => {
        if (conflicts-- > 0) throw new KubeError('Conflict', 409, 'changed')
        failures.push(metadata.name)
      },
    }
    const { world, start } = await aLifecycleWorld({ health })
    await world.kube.create(nodeClaims, aClaim('c1', { status: { providerID: 'aws:///us-west-2a/i-1' } }))
    await start()
    await world.run(16 * 60_000)
    expect([failures, await world.exists(nodeClaims, claimKey)]).toEqual([['c1'], false])
    expect(world.logged('Reconciler error')).toEqual([])
  })

  test('a claim whose pool may not be written is given up all the same, and that is told', async () => {
    const health: RegistrationHealth = {
      recordSuccess: async () => undefined,
      recordFailure: () => Promise.reject(new KubeError('Invalid', 422, 'spec.weight: Invalid value')),
    }
    const { world, start } = await aLifecycleWorld({ health })
    await world.kube.create(nodeClaims, aClaim('c1', { status: { providerID: 'aws:///us-west-2a/i-1' } }))
    await start()
    await world.run(16 * 60_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.logged('Reconciler error')).toMatchObject([{ err: { message: 'spec.weight: Invalid value' } }])
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

  test('a message that a provider gives is cut where it is long', async () => {
    const { world, start } = await aLifecycleWorld()
    world.cloud.failure = new CreateError('denied', 'Unauthorized', 'x'.repeat(400))
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(2_000)
    expect(await conditionIn(world, 'Launched')).toBe(`Unknown/Unauthorized/${'x'.repeat(300)}...`)
  })

  const given: Record<string, { failure: Error | undefined; afterMs: number; want: string }> = {
    'for which there is no capacity': {
      failure: new InsufficientCapacityError('none left'),
      afterMs: 10_000,
      want: 'launches found no capacity: insufficient capacity, none left',
    },
    'whose NodeClass is not ready': {
      failure: new NodeClassNotReadyError('no subnets'),
      afterMs: 10_000,
      want: 'launches failed: no subnets',
    },
    'that are not launched in time': {
      failure: new Error('down'),
      afterMs: 7 * 60_000,
      want: 'launches failed: not within 5m0s: down',
    },
    'whose nodes do not join in time': {
      failure: undefined,
      afterMs: 17 * 60_000,
      want: 'nodes did not register: not within 15m0s: Node not registered with cluster',
    },
  }
  test.each(Object.entries(given))(
    'three claims in a row %s are told to what guards the launches',
    async (_name, each) => {
      const { world, start } = await aLifecycleWorld()
      world.cloud.failure = each.failure
      for (const name of ['c1', 'c2', 'c3']) await world.kube.create(nodeClaims, aClaim(name))
      await start()
      await world.run(each.afterMs)
      expect(world.launches.breakers.whyOpen('default')).toContain(`3 in a row: ${each.want} (`)
    },
  )

  test('a claim that was never launched and is found after a quarter of an hour was late for both, and one failure', async () => {
    const { world, outcomes, start } = await aLifecycleWorld()
    world.cloud.failure = new Error('down')
    await world.kube.create(nodeClaims, aClaim())
    await world.run(20 * 60_000)
    await start()
    await world.run(3_000)
    const labels = ['launch_timeout', 'registration_timeout']
    expect(labels.map((reason) => world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason }))).toEqual([1, 1])
    expect(outcomes).toEqual(['failure c1'])
  })
})

test.each([
  ['another provider', { group: 'other.example', kind: 'OtherClass', name: 'x' }],
  ['the same kind of another group', { group: 'other.example', kind: 'EC2NodeClass', name: 'x' }],
  ['another kind of our group', { group: 'karpenter.k8s.aws', kind: 'OtherClass', name: 'x' }],
])('claims of %s are not touched', async (_whose, nodeClassRef) => {
  const { world, start } = await aLifecycleWorld()
  await world.kube.create(nodeClaims, aClaim('c1', { spec: { nodeClassRef } }))
  await start()
  await world.run(10_000)
  expect(world.cloud.created).toEqual([])
  expect((await world.read(nodeClaims, claimKey)).metadata.finalizers).toBeUndefined()
})
