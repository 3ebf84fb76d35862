import { describe, expect, test } from 'vitest'
import type { NodeClaim, NodePool } from '../../../../src/api/karpenter.ts'
import type { Condition } from '../../../../src/api/kubernetes.ts'
import {
  type NodePoolDeps,
  nodePoolControllers,
  PoolStatusWriter,
  RegistrationHealthTracker,
} from '../../../../src/controllers/nodepool/index.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { createCaches } from '../../../../src/kube/caches.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { startControllers } from '../../../../src/kube/runtime.ts'
import { Quantity } from '../../../../src/model/quantity.ts'
import { FakeKubeClient } from '../../../support/fake-kube-client.ts'
import { fixedRandom } from '../../../support/fixed-random.ts'
import { recordingLogger } from '../../../support/recording-logger.ts'

function world() {
  const clock = new VirtualClock()
  const client = new FakeKubeClient(() => new Date(clock.now()).toISOString())
  const log = recordingLogger()
  const random = fixedRandom()
  const caches = createCaches({ client, clock, random, log })
  const deps: NodePoolDeps = {
    kube: client,
    caches,
    clock,
    statuses: new PoolStatusWriter({ kube: client, clock }),
    cloud: { nodeClassKinds: [{ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' }] },
    nodeClasses: ec2NodeClasses,
    concurrency: 10,
  }
  const settings = { synced: true, nodes: 0, hash: '111', version: 'v3', errors: [] as string[] }
  const amounts = (count: number) =>
    new Map([
      ['nodes', Quantity.of(count)],
      ['cpu', Quantity.of(4 * count)],
    ])
  let held = { nodes: 0, resources: amounts(0) }
  const tracker = new RegistrationHealthTracker(deps)
  const controllers = nodePoolControllers({
    ...deps,
    cluster: {
      synced: () => settings.synced,
      nodePoolResources: () => {
        // The same object for as long as nothing changes, as the cluster state has it.
        if (held.nodes !== settings.nodes) held = { nodes: settings.nodes, resources: amounts(settings.nodes) }
        return held.resources
      },
    },
    hashing: {
      get version() {
        return settings.version
      },
      hashOf: () => settings.hash,
      inputOf: () => ({ made: 'of this' }),
    },
    errorsOf: () => settings.errors,
    registrationHealth: tracker,
  })
  startControllers({ caches, clock, random, log }, controllers)
  caches.start(new AbortController().signal)
  const pool = async (): Promise<NodePool> => client.get(nodePools, { name: 'p' })
  const condition = async (type: string): Promise<Partial<Condition> | undefined> => {
    const found = (await pool()).status?.conditions?.find((one) => one.type === type)
    return found === undefined
      ? undefined
      : { status: found.status, reason: found.reason ?? '', message: found.message ?? '' }
  }
  return { clock, client, log, tracker, settings, pool, condition, pass: (ms = 10_000) => clock.run({ forMs: ms }) }
}

type World = ReturnType<typeof world>

const aPool = (kind = 'EC2NodeClass'): NodePool => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'p', uid: 'pool-uid', generation: 1 } as NodePool['metadata'],
  spec: {
    template: { spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind, name: 'default' }, requirements: [] } },
  },
})

async function aClass({ client }: World, ready?: Partial<Condition>): Promise<void> {
  await client.create(ec2NodeClasses, {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default', generation: 1, finalizers: ['f'] },
    spec: {} as never,
    ...(ready === undefined
      ? {}
      : { status: { conditions: [{ type: 'Ready', lastTransitionTime: '', ...ready } as Condition] } }),
  })
}

function aClaim(name: string, more: Partial<NodeClaim> & { annotations?: Record<string, string> } = {}): NodeClaim {
  const { annotations = {}, ...rest } = more
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name,
      labels: { 'karpenter.sh/nodepool': 'p' },
      annotations,
      ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'p', uid: 'pool-uid' }],
    } as unknown as NodeClaim['metadata'],
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }, requirements: [] },
    ...rest,
  }
}

describe('readiness', () => {
  const cases: Record<string, { prepare: (world: World) => Promise<unknown>; want: object }> = {
    'no NodeClass': {
      prepare: async () => undefined,
      want: { status: 'False', reason: 'NodeClassNotFound', message: 'NodeClass not found on cluster' },
    },
    'a NodeClass that is going': {
      prepare: async (world) => {
        await aClass(world, { status: 'True' })
        await world.client.delete(ec2NodeClasses, { name: 'default' })
      },
      want: { status: 'False', reason: 'NodeClassTerminating', message: 'NodeClass is Terminating' },
    },
    'a NodeClass without a verdict': {
      prepare: (world) => aClass(world),
      want: { status: 'False', reason: 'NodeClassReadinessUnknown', message: 'Node Class Readiness Unknown' },
    },
    'a NodeClass that is not ready hands its reason on': {
      prepare: (world) =>
        aClass(world, { status: 'False', reason: 'UnhealthyDependents', message: 'SubnetsReady=False' }),
      want: { status: 'False', reason: 'UnhealthyDependents', message: 'SubnetsReady=False' },
    },
    'a ready NodeClass': {
      prepare: (world) => aClass(world, { status: 'True' }),
      want: { status: 'True', reason: 'NodeClassReady', message: '' },
    },
  }
  test.each(Object.entries(cases))('%s', async (_name, { prepare, want }) => {
    const w = world()
    await prepare(w)
    await w.client.create(nodePools, aPool())
    await w.pass()
    expect(await w.condition('NodeClassReady')).toEqual(want)
  })

  test('a NodeClass that changes later reaches the pool', async () => {
    const w = world()
    await w.client.create(nodePools, aPool())
    await w.pass()
    await aClass(w, { status: 'True' })
    await w.pass()
    expect(await w.condition('Ready')).toMatchObject({ status: 'True' })
  })

  test('a pool is ready soon after its status may be written, however long that was refused', async () => {
    const w = world()
    w.client.fault = ({ operation, resource }) => {
      if (operation === 'patch' && resource === 'nodepools') throw new KubeError('Forbidden', 403, 'no rights')
    }
    await aClass(w, { status: 'True' })
    await w.client.create(nodePools, aPool())
    await w.pass(3_600_000)
    w.client.fault = () => undefined
    await w.pass(95_000)
    expect(await w.condition('Ready')).toMatchObject({ status: 'True' })
  })

  test('a pool of another provider is left alone', async () => {
    const w = world()
    await w.client.create(nodePools, aPool('GCENodeClass'))
    await w.pass()
    expect(await w.pool()).not.toHaveProperty('status')
    expect((await w.pool()).metadata.annotations).toBeUndefined()
  })
})

test('what admission could not refuse is told in one message, and Ready follows', async () => {
  const w = world()
  w.settings.errors = ['first', 'second']
  await aClass(w, { status: 'True' })
  await w.client.create(nodePools, aPool())
  await w.pass()
  expect(await w.condition('ValidationSucceeded')).toEqual({
    status: 'False',
    reason: 'NodePoolValidationFailed',
    message: 'first; second',
  })
  expect(await w.condition('Ready')).toMatchObject({ status: 'False', reason: 'UnhealthyDependents' })
})

describe('counter', () => {
  test('publishes what the nodes hold every five seconds', async () => {
    const w = world()
    await w.client.create(nodePools, aPool())
    await w.pass(1_000)
    w.settings.nodes = 3
    await w.pass(5_000)
    expect((await w.pool()).status).toMatchObject({ nodes: 3, resources: { nodes: '3', cpu: '12' } })
  })

  test('a thousand nodes are a number in the status, though as a quantity they are written 1k, and are written once', async () => {
    const w = world()
    await w.client.create(nodePools, aPool())
    w.settings.nodes = 1_000
    await w.pass(1_000)
    const { status, metadata } = await w.pool()
    expect(status).toMatchObject({ nodes: 1_000, resources: { nodes: '1k', cpu: '4k' } })
    await w.pass(20_000)
    expect((await w.pool()).metadata.resourceVersion).toBe(metadata.resourceVersion)
  })

  test('does not answer another process that counts differently at once: during a handover neither would end', async () => {
    const w = world()
    await w.client.create(nodePools, aPool())
    w.settings.nodes = 3
    await w.pass(1_000)
    const body = { status: { nodes: 9 } }
    await w.client.patch(nodePools, { name: 'p' }, { kind: 'merge', body })
    await w.pass(1_000)
    expect((await w.pool()).status).toMatchObject({ nodes: 9 })
    await w.pass(5_000)
    expect((await w.pool()).status).toMatchObject({ nodes: 3 })
  })

  test('after a quiet minute it still sees within five seconds what has changed, on either side', async () => {
    const w = world()
    await w.client.create(nodePools, aPool())
    w.settings.nodes = 3
    await w.pass(60_000)
    w.settings.nodes = 4
    await w.pass(6_000)
    expect((await w.pool()).status).toMatchObject({ nodes: 4, resources: { nodes: '4', cpu: '16' } })
    await w.pass(60_000)
    await w.client.patch(nodePools, { name: 'p' }, { kind: 'merge', body: { status: { nodes: 9 } } })
    await w.pass(6_000)
    expect((await w.pool()).status).toMatchObject({ nodes: 4 })
  })

  test('says nothing while cluster state is not synced', async () => {
    const w = world()
    w.settings.synced = false
    await w.client.create(nodePools, aPool())
    await w.pass()
    expect((await w.pool()).status).not.toHaveProperty('nodes')
  })
})

describe('hash', () => {
  const annotations = async ({ client }: World, name: string) =>
    (await client.get(nodeClaims, { name })).metadata.annotations

  test('is written on the pool; claims of the same version keep theirs', async () => {
    const w = world()
    await w.client.create(nodePools, {
      ...aPool(),
      metadata: { ...aPool().metadata, annotations: { 'karpenter.sh/nodepool-hash-version': 'v3' } },
    })
    await w.client.create(
      nodeClaims,
      aClaim('old', { annotations: { 'karpenter.sh/nodepool-hash': '0', 'karpenter.sh/nodepool-hash-version': 'v3' } }),
    )
    await w.pass()
    expect((await w.pool()).metadata.annotations).toEqual({
      'karpenter.sh/nodepool-hash': '111',
      'karpenter.sh/nodepool-hash-version': 'v3',
    })
    expect(await annotations(w, 'old')).toMatchObject({ 'karpenter.sh/nodepool-hash': '0' })
  })

  test('a new version carries claims over, but a drifted one keeps its hash', async () => {
    const w = world()
    const old = { 'karpenter.sh/nodepool-hash': '0', 'karpenter.sh/nodepool-hash-version': 'v2' }
    const drifted = { conditions: [{ type: 'Drifted', status: 'True', lastTransitionTime: '' } as Condition] }
    await w.client.create(nodeClaims, aClaim('fresh', { annotations: old }))
    await w.client.create(nodeClaims, aClaim('drifted', { annotations: old, status: drifted as never }))
    await w.pass()
    await w.client.create(nodePools, { ...aPool(), metadata: { ...aPool().metadata, annotations: old } })
    await w.pass()
    expect(await annotations(w, 'fresh')).toEqual({
      'joinery.dev/nodepool-hash-input': '{"generation":1,"hash":"111","input":{"made":"of this"}}',
      'karpenter.sh/nodepool-hash': '111',
      'karpenter.sh/nodepool-hash-version': 'v3',
    })
    expect(await annotations(w, 'drifted')).toEqual({
      'karpenter.sh/nodepool-hash': '0',
      'karpenter.sh/nodepool-hash-version': 'v3',
    })
  })

  test('unmanaged claims of the pool are not restamped', async () => {
    const w = world()
    const old = { 'karpenter.sh/nodepool-hash': '0', 'karpenter.sh/nodepool-hash-version': 'v2' }
    const unmanaged = aClaim('unmanaged', { annotations: old })
    unmanaged.spec.nodeClassRef.group = ''
    await w.client.create(nodeClaims, unmanaged)
    await w.client.create(nodePools, { ...aPool(), metadata: { ...aPool().metadata, annotations: old } })
    await w.pass()
    expect((await w.pool()).metadata.annotations).toMatchObject({ 'karpenter.sh/nodepool-hash-version': 'v3' })
    expect(await annotations(w, 'unmanaged')).toEqual(old)
  })

  test('claims of the present hash without a record, as another controller leaves them, get one, once', async () => {
    const w = world()
    const present = { 'karpenter.sh/nodepool-hash': '111', 'karpenter.sh/nodepool-hash-version': 'v3' }
    await w.client.create(nodePools, { ...aPool(), metadata: { ...aPool().metadata, annotations: present } })
    await w.client.create(nodeClaims, aClaim('adopted', { annotations: present }))
    await w.client.create(nodeClaims, aClaim('old', { annotations: { ...present, 'karpenter.sh/nodepool-hash': '0' } }))
    await w.pass()
    const adopted = await w.client.get(nodeClaims, { name: 'adopted' })
    expect(adopted.metadata.annotations).toMatchObject({
      'joinery.dev/nodepool-hash-input': '{"generation":1,"hash":"111","input":{"made":"of this"}}',
    })
    expect(await annotations(w, 'old')).not.toHaveProperty('joinery.dev/nodepool-hash-input')
    await w.pass(60_000)
    expect((await w.client.get(nodeClaims, { name: 'adopted' })).metadata.resourceVersion).toBe(
      adopted.metadata.resourceVersion,
    )
  })

  test('records of a large fleet are added a hundred at a time', async () => {
    const w = world()
    const present = { 'karpenter.sh/nodepool-hash': '111', 'karpenter.sh/nodepool-hash-version': 'v3' }
    for (let index = 0; index < 250; index += 1) {
      await w.client.create(nodeClaims, aClaim(`c${index}`, { annotations: present }))
    }
    await w.pass(1_000)
    await w.client.create(nodePools, { ...aPool(), metadata: { ...aPool().metadata, annotations: present } })
    const recorded = async (): Promise<number> => {
      const { items } = await w.client.list(nodeClaims)
      return items.filter(({ metadata }) => metadata.annotations?.['joinery.dev/nodepool-hash-input'] !== undefined)
        .length
    }
    const counts: number[] = []
    for (let seconds = 0; seconds < 8; seconds += 1) {
      await w.pass(1_000)
      counts.push(await recorded())
    }
    expect(counts.at(-1)).toBe(250)
    expect(new Set(counts).size).toBeGreaterThan(1)
  })

  test('the pool is not stamped while a claim could not be', async () => {
    const w = world()
    let broken = true
    w.client.fault = ({ operation, resource }) => {
      if (broken && operation === 'patch' && resource === 'nodeclaims') throw new Error('no')
    }
    await w.client.create(nodeClaims, aClaim('c'))
    await w.client.create(nodePools, aPool())
    await w.pass()
    expect((await w.pool()).metadata.annotations).toBeUndefined()
    broken = false
    await w.pass(60_000)
    expect((await w.pool()).metadata.annotations).toMatchObject({ 'karpenter.sh/nodepool-hash': '111' })
  })
})

describe('registration health', () => {
  async function ready(): Promise<World> {
    const w = world()
    await aClass(w, { status: 'True' })
    await w.client.create(nodePools, aPool())
    await w.pass()
    return w
  }

  test('a pool whose launches nobody has seen is unknown', async () => {
    const w = await ready()
    expect(await w.condition('NodeRegistrationHealthy')).toMatchObject({
      status: 'Unknown',
      reason: 'AwaitingReconciliation',
    })
    expect((await w.pool()).status?.nodeClassObservedGeneration).toBe(1)
  })

  test('case 117: two failures make it unhealthy, and it takes three successes to recover', async () => {
    const w = await ready()
    const seen: (string | undefined)[] = []
    const record = async (outcome: 'recordSuccess' | 'recordFailure') => {
      await w.tracker[outcome](aClaim('c'))
      await w.pass(100)
      seen.push((await w.condition('NodeRegistrationHealthy'))?.status)
    }
    await record('recordFailure')
    await record('recordFailure')
    for (let i = 0; i < 3; i++) await record('recordSuccess')
    expect(seen).toEqual(['Unknown', 'False', 'False', 'False', 'True'])
  })

  test('a failed launch hands its reason on, a launched one failed to register', async () => {
    const w = await ready()
    const failed = {
      conditions: [
        { type: 'Launched', status: 'Unknown', reason: 'LaunchFailed', message: 'no role', lastTransitionTime: '' },
      ],
    }
    for (let i = 0; i < 2; i++) await w.tracker.recordFailure(aClaim('c', { status: failed as never }))
    expect(await w.condition('NodeRegistrationHealthy')).toEqual({
      status: 'False',
      reason: 'LaunchFailed',
      message: 'no role',
    })
    const other = await ready()
    const launched = { conditions: [{ type: 'Launched', status: 'True', lastTransitionTime: '' }] }
    for (let i = 0; i < 2; i++) await other.tracker.recordFailure(aClaim('c', { status: launched as never }))
    expect(await other.condition('NodeRegistrationHealthy')).toEqual({
      status: 'False',
      reason: 'RegistrationFailed',
      message: 'Failed to register node',
    })
  })

  test('case 118: an edited pool is unknown again and its memory is gone', async () => {
    const w = await ready()
    for (let i = 0; i < 2; i++) await w.tracker.recordFailure(aClaim('c'))
    await w.client.patch(nodePools, { name: 'p' }, { kind: 'merge', body: { metadata: { generation: 2 } } })
    await w.pass()
    expect(await w.condition('NodeRegistrationHealthy')).toMatchObject({ status: 'Unknown' })
    await w.tracker.recordFailure(aClaim('c'))
    expect(await w.condition('NodeRegistrationHealthy')).toMatchObject({ status: 'Unknown' })
  })

  test('after a restart the condition refills the memory', async () => {
    const w = await ready()
    for (let i = 0; i < 2; i++) await w.tracker.recordFailure(aClaim('c'))
    w.tracker.clear('pool-uid')
    await w.client.patch(
      nodePools,
      { name: 'p' },
      { kind: 'merge', body: { metadata: { labels: { touched: 'yes' } } } },
    )
    await w.pass()
    expect(w.tracker.bufferOf('pool-uid').health).toBe('unhealthy')
    for (const status of ['False', 'False', 'True']) {
      await w.tracker.recordSuccess(aClaim('c'))
      await w.pass(100)
      expect(await w.condition('NodeRegistrationHealthy')).toMatchObject({ status })
    }
    w.tracker.clear('pool-uid')
    await w.client.patch(
      nodePools,
      { name: 'p' },
      { kind: 'merge', body: { metadata: { labels: { touched: 'again' } } } },
    )
    await w.pass()
    expect(w.tracker.bufferOf('pool-uid').health).toBe('healthy')
  })

  test('claims of a former pool of the same name do not count', async () => {
    const w = await ready()
    const claim = aClaim('c')
    const former = {
      ...claim,
      metadata: {
        ...claim.metadata,
        ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'p', uid: 'former' }],
      },
    }
    for (let i = 0; i < 2; i++) await w.tracker.recordFailure(former)
    expect(await w.condition('NodeRegistrationHealthy')).toMatchObject({ status: 'Unknown' })
  })

  test('a conflict is decided again on what is there now', async () => {
    const w = await ready()
    // The cache has not seen this write yet when the outcome is recorded.
    await w.client.patch(
      nodePools,
      { name: 'p' },
      { kind: 'merge', body: { metadata: { labels: { meanwhile: 'yes' } } } },
    )
    for (let i = 0; i < 3; i++) await w.tracker.recordSuccess(aClaim('c'))
    expect(await w.condition('NodeRegistrationHealthy')).toMatchObject({ status: 'True' })
  })

  test('a pool that goes while its outcome is recorded keeps nobody from going on', async () => {
    const w = await ready()
    await w.tracker.recordFailure(aClaim('c'))
    let conflicts = 0
    w.client.fault = ({ operation, resource }) => {
      if (resource !== 'nodepools') return
      if (operation === 'get') throw new KubeError('NotFound', 404, 'gone')
      conflicts += 1
      throw new KubeError('Conflict', 409, 'changed')
    }
    await w.tracker.recordFailure(aClaim('c'))
    expect(conflicts).toBe(1)
  })
})
