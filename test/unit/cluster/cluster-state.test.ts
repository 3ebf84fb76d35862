import { describe, expect, test, vi } from 'vitest'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { csiNodes, daemonSets, nodes, pods } from '../../../src/kube/kinds.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { stateSyncController, type StateSyncOptions } from '../../../src/cluster/state-sync.ts'
import { toResourceList } from '../../../src/model/resources.ts'
import { aClaim, aNode, aPod, aPool, aWorld, managedLabels, put, readyLabels } from './world.ts'

describe('identity', () => {
  test('a node and a claim of one provider ID are one entry', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1', { providerID: 'aws:///a/i-1' }))
    await put.node(world, aNode('n1', { providerID: 'aws:///a/i-1', labels: readyLabels }))
    await world.settle()
    expect(world.state.nodes().map((node) => [node.key, node.name, node.nodeClaim?.metadata.name])).toEqual([
      ['aws:///a/i-1', 'n1', 'c1'],
    ])
  })

  const ignored = {
    'a managed node without provider ID is not tracked': aNode('n', { labels: managedLabels() }),
    'a managed node without instance type and initialized labels is not tracked yet': aNode('n', {
      providerID: 'p',
      labels: { 'karpenter.sh/nodepool': 'default' },
    }),
  }
  test.each(Object.entries(ignored))('%s', async (_name, node) => {
    const world = await aWorld()
    await put.node(world, node)
    await world.settle()
    expect(world.state.nodes()).toEqual([])
    expect(world.state.synced()).toBe(false)
  })

  test('a managed node without the label of its type is tracked once it is initialized', async () => {
    const world = await aWorld()
    const labels = { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/initialized': 'true' }
    await put.node(world, aNode('n', { providerID: 'p', labels }))
    await world.settle()
    expect(world.state.nodes().map(({ key, name }) => [key, name])).toEqual([['p', 'n']])
  })

  test('an unmanaged node goes by its provider ID, also once it has got one', async () => {
    const world = await aWorld()
    await put.node(world, aNode('own', {}))
    await world.settle()
    await world.client.patch(nodes, { name: 'own' }, { kind: 'merge', body: { spec: { providerID: 'p' } } })
    await world.settle()
    expect(world.state.nodes().map(({ key, name }) => [key, name])).toEqual([['p', 'own']])
    await put.claim(world, aClaim('c1', { providerID: 'p' }))
    await world.settle()
    expect(world.state.node('p')).toMatchObject({ managed: true, node: { metadata: { name: 'own' } } })
  })

  test('nodes come by name, whatever their provider IDs', async () => {
    const world = await aWorld()
    for (const [name, providerID] of Object.entries({ b: 'p1', c: 'p2', a: 'p3' })) {
      await put.node(world, aNode(name, { providerID }))
    }
    await world.settle()
    expect(world.state.nodes().map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  test('an unmanaged node without provider ID goes by its name', async () => {
    const world = await aWorld()
    await put.node(world, aNode('own', {}))
    await world.settle()
    expect(world.state.node('own')).toMatchObject({ managed: false, initialized: true, registered: true, nodePool: '' })
  })

  test('a claim whose NodeClass is of another kind is not ours', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c', { kind: 'GCENodeClass' }))
    await world.settle()
    expect(world.state.hasClaim('c')).toBe(false)
    expect(world.state.synced()).toBe(true)
  })

  test('deleting one half keeps the other, deleting both removes the entry', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1', { providerID: 'p1' }))
    await put.node(world, aNode('n1', { providerID: 'p1', labels: readyLabels }))
    await world.settle()
    await world.client.delete(nodes, { name: 'n1' })
    await world.settle()
    expect(world.state.nodes().map((node) => node.name)).toEqual(['c1'])
    await world.client.delete(nodeClaims, { name: 'c1' })
    await world.settle()
    expect(world.state.nodes()).toEqual([])
  })

  test('of two nodes with one provider ID the newer one counts, and the other once that is gone', async () => {
    const world = await aWorld()
    const shown = () => world.state.nodes().map(({ name, pods: running }) => [name, running.map((pod) => pod.name)])
    await put.node(world, aNode('old', { providerID: 'p1', labels: readyLabels }))
    await world.clock.run({ forMs: 60_000 })
    await put.node(world, aNode('new', { providerID: 'p1', labels: readyLabels }))
    await put.pod(world, aPod('runs', { node: 'new' }))
    await world.settle()
    expect(shown()).toEqual([['new', ['runs']]])
    // Its kubelet is silent, which the API server writes on the node.
    const silent = { metadata: { annotations: { silent: 'true' } } }
    await world.client.patch(nodes, { name: 'old' }, { kind: 'merge', body: silent })
    await world.settle()
    expect(shown()).toEqual([['new', ['runs']]])
    await world.client.delete(nodes, { name: 'new' })
    await world.settle()
    expect(shown()).toEqual([['old', []]])
  })

  test('of two nodes with one provider ID the one that goes leaves the other', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1', { providerID: 'p1' }))
    await put.node(world, aNode('a', { providerID: 'p1', labels: readyLabels }))
    await put.node(world, aNode('b', { providerID: 'p1', labels: readyLabels }))
    await put.pod(world, aPod('runs', { node: 'a' }))
    await world.settle()
    await world.client.delete(nodes, { name: 'b' })
    await world.settle()
    expect(world.state.nodes().map(({ name, pods: running }) => [name, running.length])).toEqual([['a', 1]])
  })

  test('a provider ID that changes moves the claim', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1', { providerID: 'p1' }))
    await world.settle()
    await world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { status: { providerID: 'p2' } } })
    await world.settle()
    expect(world.state.nodes().map((node) => node.key)).toEqual(['p2'])
  })
})

describe('which half is authoritative', () => {
  test('until registration the claim names, labels and taints the node', async () => {
    const world = await aWorld()
    await put.claim(
      world,
      aClaim('c1', { providerID: 'p1', taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] }),
    )
    await put.node(
      world,
      aNode('n1', { providerID: 'p1', labels: managedLabels(), taints: [{ key: 'other', effect: 'NoSchedule' }] }),
    )
    await world.settle()
    expect(world.state.node('p1')).toMatchObject({
      name: 'c1',
      hostname: 'c1',
      registered: false,
      labels: { 'karpenter.sh/nodepool': 'default' },
      taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
    })
  })

  test('between registration and initialization ephemeral and startup taints do not count', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1', { providerID: 'p1', startupTaints: [{ key: 'cilium', effect: 'NoExecute' }] }))
    const taints = [
      { key: 'cilium', value: 'x', effect: 'NoExecute' as const },
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' as const },
      { key: 'readiness.k8s.io/gpu', effect: 'NoSchedule' as const },
      { key: 'kept', effect: 'NoSchedule' as const },
    ]
    await put.node(
      world,
      aNode('n1', { providerID: 'p1', labels: managedLabels({ 'karpenter.sh/registered': 'true' }), taints }),
    )
    await world.settle()
    expect(world.state.node('p1')?.taints.map((taint) => taint.key)).toEqual(['kept'])
    await world.client.patch(nodes, { name: 'n1' }, { kind: 'merge', body: { metadata: { labels: readyLabels } } })
    await world.settle()
    expect(world.state.node('p1')?.taints).toHaveLength(4)
  })

  test('resources that the kubelet reports as zero or not at all come from the claim until initialization', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1', { providerID: 'p1' }))
    const status = { capacity: { cpu: '3', memory: '0' }, allocatable: { cpu: '2' } }
    await put.node(
      world,
      aNode('n1', { providerID: 'p1', labels: managedLabels({ 'karpenter.sh/registered': 'true' }), status }),
    )
    await world.settle()
    const amounts = () => {
      const node = world.state.node('p1')
      return node === undefined ? [] : [toResourceList(node.capacity), toResourceList(node.allocatable)]
    }
    expect(amounts()).toEqual([
      { cpu: '3', memory: '8Gi', nodes: '1' },
      { cpu: '2', memory: '7Gi' },
    ])
    await world.client.patch(nodes, { name: 'n1' }, { kind: 'merge', body: { metadata: { labels: readyLabels } } })
    await world.settle()
    expect(amounts()).toEqual([{ cpu: '3', memory: '0', nodes: '1' }, { cpu: '2' }])
  })
})

describe('pods', () => {
  test('bound pods are on their node until they finish, terminating ones included', async () => {
    const world = await aWorld()
    await put.node(world, aNode('own', {}))
    for (const pod of [
      aPod('b', { node: 'own' }),
      aPod('a', { node: 'own' }),
      aPod('done', { node: 'own', phase: 'Succeeded' }),
      aPod('free'),
    ]) {
      await put.pod(world, pod)
    }
    await world.settle()
    const snapshot = world.state.snapshot()
    expect(snapshot.nodes[0]?.pods.map((pod) => pod.name)).toEqual(['a', 'b'])
    expect(snapshot.unboundPods.map((pod) => pod.name)).toEqual(['free'])
    const change = (name: string, body: object) =>
      world.client.patch(pods, { namespace: 'default', name }, { kind: 'merge', body })
    await change('a', { status: { phase: 'Failed' } })
    await change('b', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['leaves'] } })
    await world.settle()
    expect(world.state.snapshot().nodes[0]?.pods.map((pod) => pod.name)).toEqual(['b'])
  })

  test('a name used again on another node moves the usage', async () => {
    const world = await aWorld()
    await put.node(world, aNode('x', {}))
    await put.node(world, aNode('y', {}))
    await put.pod(world, aPod('p', { node: 'x' }))
    await world.settle()
    await world.client.delete(pods, { namespace: 'default', name: 'p' })
    await put.pod(world, aPod('p', { node: 'y' }))
    await world.settle()
    expect(world.state.nodes().map((node) => [node.name, node.pods.length])).toEqual([
      ['x', 0],
      ['y', 1],
    ])
  })

  test('a pod that was bound unseen before it went leaves nothing behind', async () => {
    const world = await aWorld()
    await put.pod(world, aPod('p'))
    await world.settle()
    world.client.delivers = (event) => event.type !== 'MODIFIED'
    await world.client.bind({ namespace: 'default', name: 'p' }, 'own')
    await world.client.delete(pods, { namespace: 'default', name: 'p' })
    await world.settle()
    expect(world.state.snapshot().unboundPods).toEqual([])
  })

  test('a pod whose requests cannot be read is left out and reported once, the others stay', async () => {
    const world = await aWorld()
    await put.pod(world, aPod('bad', { cpu: 'many' }))
    await put.pod(world, aPod('good'))
    await world.settle()
    expect(world.state.snapshot().unboundPods.map((pod) => pod.name)).toEqual(['good'])
    await put.pod(world, aPod('later'))
    await world.settle()
    expect(world.state.snapshot().unboundPods.map((pod) => pod.name)).toEqual(['good', 'later'])
    expect(world.log.lines.map((line) => line.message)).toEqual(['ignoring pod, its resources cannot be read'])
  })

  test('of a DaemonSet the newest pod shows what its pods ask for', async () => {
    const world = await aWorld()
    const set = await world.client.create(daemonSets, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'ds', namespace: 'default' },
      spec: { selector: {}, template: { spec: { containers: [] } } },
    })
    const owner = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds', uid: set.metadata.uid, controller: true }]
    const newest = () => world.state.snapshot().daemonSets.map((info) => info.newestPod?.name)
    await put.pod(world, aPod('old', { owner, cpu: '1' }))
    await world.settle()
    expect(newest()).toEqual(['old'])
    await world.clock.run({ forMs: 2_000 })
    await put.pod(world, aPod('new', { owner, cpu: '2' }))
    await world.settle()
    expect(newest()).toEqual(['new'])
    await put.pod(world, aPod('of-that-second', { owner }))
    await put.pod(world, aPod('not-controlled', { owner: owner.map((one) => ({ ...one, controller: false })) }))
    await world.settle()
    expect(newest()).toEqual(['of-that-second'])
    for (const name of ['new', 'of-that-second']) {
      await world.client.delete(pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
    }
    await world.settle()
    expect(newest()).toEqual(['old'])
  })

  test('unchanged nodes and pods are shared between snapshots', async () => {
    const world = await aWorld()
    await put.node(world, aNode('x', {}))
    await put.node(world, aNode('y', {}))
    await put.pod(world, aPod('p', { node: 'x' }))
    await world.settle()
    const before = world.state.snapshot()
    expect(world.state.snapshot().nodes).toBe(before.nodes)
    await put.pod(world, aPod('q', { node: 'y' }))
    await world.settle()
    const after = world.state.snapshot()
    expect(after.nodes[0]).toBe(before.nodes[0])
    expect(after.nodes[1]).not.toBe(before.nodes[1])
    expect(after.nodes[1]?.pods).toHaveLength(1)
    expect(before.nodes[1]?.pods).toHaveLength(0)
  })
})

describe('deletion marks and nominations', () => {
  test('a node is marked by the queue, by its deleting or terminating claim, or, unmanaged, by itself', async () => {
    const world = await aWorld()
    for (const name of ['queue', 'deleting', 'terminating', 'node-only']) {
      await put.claim(world, {
        ...aClaim(name, { providerID: name }),
        metadata: { ...aClaim(name).metadata, finalizers: ['f'] },
      })
      await put.node(world, {
        ...aNode(`n-${name}`, { providerID: name, labels: readyLabels }),
        metadata: { ...aNode(`n-${name}`, { labels: readyLabels }).metadata, finalizers: ['f'] },
      })
    }
    await put.node(world, { ...aNode('own', {}), metadata: { ...aNode('own').metadata, finalizers: ['f'] } })
    await world.settle()
    world.state.markForDeletion('queue')
    await world.client.delete(nodeClaims, { name: 'deleting' })
    const terminating = [{ type: 'InstanceTerminating', status: 'True', lastTransitionTime: '' }]
    await world.client.patch(
      nodeClaims,
      { name: 'terminating' },
      { kind: 'merge', body: { status: { conditions: terminating } } },
    )
    await world.client.delete(nodes, { name: 'n-node-only' })
    await world.client.delete(nodes, { name: 'own' })
    await world.settle()
    const marked = Object.fromEntries(world.state.nodes().map((node) => [node.name, node.markedForDeletion]))
    expect(marked).toEqual({
      'n-queue': true,
      'n-deleting': true,
      'n-terminating': true,
      'n-node-only': false,
      own: true,
    })
    const before = world.state.plans.basis()
    world.state.unmarkForDeletion('queue', 'own', 'nobody')
    expect(world.state.node('queue')?.markedForDeletion).toBe(false)
    expect(world.state.plans.begin(aPool('p'), before)).toBe('a node that was to go stays')
    expect(world.state.plans.begin(aPool('p'), world.state.plans.basis())).toBeUndefined()
  })

  test('a plan under limits is not carried out when a claim of its pool was on its way to a machine', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c', { pool: 'p' }))
    await world.settle()
    const limited = aPool('p', { limits: { cpu: '48' } })
    expect(world.state.plans.begin(limited, world.state.plans.basis())).toContain('was not launched yet')
    await world.client.patch(
      nodeClaims,
      { name: 'c' },
      { kind: 'merge', body: { status: { providerID: 'aws:///a/i-1', capacity: { cpu: '4' } } } },
    )
    await world.settle()
    expect(world.state.plans.begin(limited, world.state.plans.basis())).toBeUndefined()
  })

  test('case 23: a nomination holds for its window and is extended by the next one', async () => {
    const world = await aWorld()
    await put.node(world, aNode('own', {}))
    await world.settle()
    world.state.nominate('own')
    await world.clock.run({ forMs: 5_000 })
    expect(world.state.isNominated('own')).toBe(true)
    world.state.nominate('own')
    await world.clock.run({ forMs: 19_000 })
    expect(world.state.isNominated('own')).toBe(true)
    expect(world.state.node('own')?.nominatedUntil).toBeGreaterThan(world.clock.now())
    await world.clock.run({ forMs: 1_000 })
    expect(world.state.isNominated('own')).toBe(false)
  })

  test.each([300_000, -300_000])('a nomination lasts as long when the clock is set by %i ms', async (setMs) => {
    const world = await aWorld()
    await put.node(world, aNode('own', {}))
    await world.settle()
    world.state.nominate('own')
    world.clock.jump(setMs)
    await world.clock.run({ forMs: 19_000 })
    expect(world.state.isNominated('own')).toBe(true)
    const {
      now,
      nodes: [node],
    } = world.state.snapshot()
    expect(node?.nominatedUntil).toBe(now + 1_000)
    await world.clock.run({ forMs: 1_000 })
    expect(world.state.isNominated('own')).toBe(false)
  })

  test('pool totals leave out marked nodes and count the nodes', async () => {
    const world = await aWorld()
    for (const name of ['a', 'b', 'c']) await put.claim(world, aClaim(name, { providerID: name }))
    await world.settle()
    world.state.markForDeletion('c')
    expect(toResourceList(world.state.nodePoolResources('default'))).toEqual({
      cpu: '8',
      'ephemeral-storage': '0',
      memory: '16Gi',
      nodes: '2',
      pods: '0',
    })
    expect(toResourceList(world.state.nodePoolResources('other'))).toMatchObject({ nodes: '0' })
    world.state.unmarkForDeletion('c')
    await put.claim(world, aClaim('d', { providerID: 'd' }))
    await world.client.delete(nodeClaims, { name: 'a' })
    await world.settle()
    expect(toResourceList(world.state.nodePoolResources('default'))).toMatchObject({ cpu: '12', nodes: '3' })
  })

  test('pool totals know nothing of claims that are not launched, and of a machine what its node reports', async () => {
    const world = await aWorld()
    const cpus = () => toResourceList(world.state.nodePoolResources('default'))['cpu']
    await put.claim(world, aClaim('unlaunched'))
    await put.claim(world, aClaim('c1', { providerID: 'p1' }))
    await world.settle()
    expect(cpus()).toBe('4')
    await put.node(world, aNode('n1', { providerID: 'p1', labels: readyLabels, status: { capacity: { cpu: '3' } } }))
    await world.settle()
    expect(cpus()).toBe('3')
  })
})

test('how many volumes a node takes counts from when its CSINode says so, as long as that is there', async () => {
  const world = await aWorld()
  await put.node(world, aNode('own', {}))
  await world.settle()
  const limits = () => [...(world.state.byNodeName('own')?.volumeLimits ?? [])]
  expect(limits()).toEqual([])
  const drivers = (count: number) => [{ name: 'ebs.csi.aws.com', nodeID: 'i-1', allocatable: { count } }]
  await world.client.create(csiNodes, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: 'own' },
    spec: { drivers: drivers(25) },
  })
  await world.settle()
  expect(limits()).toEqual([['ebs.csi.aws.com', 25]])
  await world.client.patch(csiNodes, { name: 'own' }, { kind: 'merge', body: { spec: { drivers: drivers(24) } } })
  await world.settle()
  expect(limits()).toEqual([['ebs.csi.aws.com', 24]])
  await world.client.delete(csiNodes, { name: 'own' })
  await world.settle()
  expect(limits()).toEqual([])
})

describe('the synced gate', () => {
  test('a claim without provider ID closes it, at any time', async () => {
    const world = await aWorld()
    expect(world.state.synced()).toBe(true)
    await put.claim(world, aClaim('c1'))
    await world.settle()
    expect(world.state.synced()).toBe(false)
    expect(world.state.unlaunchedClaims).toEqual(['c1'])
    await world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { status: { providerID: 'p1' } } })
    await world.settle()
    expect(world.state.synced()).toBe(true)
  })

  test('after the first success an untracked node does not close it', async () => {
    const world = await aWorld()
    expect(world.state.synced()).toBe(true)
    await put.node(world, aNode('n', { labels: managedLabels() }))
    await world.settle()
    expect(world.state.synced()).toBe(true)
  })

  test('devices that are to be watched open it once they have been listed', async () => {
    const world = await aWorld()
    expect(world.state.synced()).toBe(true)
    world.state.watchDevices()
    expect(world.state.synced()).toBe(false)
    await world.settle()
    expect(world.state.synced()).toBe(true)
  })

  test('a claim that is being replaced is not counted in full while that goes on, whatever else changes about it', async () => {
    const world = await aWorld()
    const claim = aClaim('c1', { providerID: 'p1' })
    await put.claim(world, claim)
    await world.settle()
    const conditionsAre = async (conditions: readonly object[], labels = {}): Promise<object> => {
      const body = { metadata: { labels }, status: { conditions } }
      await world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body })
      await world.settle()
      return world.state.counts.counts('default')
    }
    const going = { type: 'DisruptionReason', status: 'True', reason: 'Drifted', message: 'Drifted' }
    expect(await conditionsAre([going])).toEqual({ active: 0, pendingDisruption: 1, deleting: 0 })
    expect(await conditionsAre([going], { other: 'label' })).toEqual({ active: 0, pendingDisruption: 1, deleting: 0 })
    expect(await conditionsAre([])).toEqual({ active: 1, pendingDisruption: 0, deleting: 0 })
  })

  test('a created claim counts before the watch brings it, and its absence heals', async () => {
    const world = await aWorld()
    world.state.synced()
    world.state.observeNodeClaim({
      ...aClaim('ghost'),
      metadata: { ...aClaim('ghost').metadata, uid: 'u', resourceVersion: '', creationTimestamp: '' },
    })
    expect(world.state.synced()).toBe(false)
    expect(world.state.counts.counts('default').active).toBe(1)
    const reports: boolean[] = []
    await syncFor(world, 35_000, {
      relist: (resource) => world.caches.relist(resource),
      report: ({ synced }) => reports.push(synced),
    })
    expect(world.state.synced()).toBe(true)
    expect(reports).toEqual([false, false, false, false, false, false, false, true])
    expect(world.state.counts.counts('default').active).toBe(0)
    expect(world.log.lines.map((line) => line.message)).toContain(
      'garbage collecting stale unlaunched nodeclaim from cluster state',
    )
  })

  test('only an answer that a claim is not there makes it forgotten', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1'))
    await world.settle()
    let asked = 0
    world.client.fault = ({ operation }) => {
      if (operation !== 'get') return
      asked += 1
      throw new KubeError('InternalError', 500, 'overloaded')
    }
    const controller = stateSyncController({ ...world, relist: () => undefined, report: () => undefined })
    for (let passed = 0; passed <= 60_000; passed += 5_000) {
      const look = controller.reconcile({ log: world.log, signal: new AbortController().signal })
      if (passed < 15_000) await look
      else await expect(look).rejects.toThrow('overloaded')
      await world.clock.run({ forMs: 5_000 })
    }
    expect(asked).toBeGreaterThan(2)
    expect(world.state.hasClaim('c1')).toBe(true)
  })

  test('claims that the API server does not have are listed anew, and after a minute so is everything state is made of', async () => {
    const world = await aWorld()
    const ghost = aClaim('ghost')
    const metadata = { ...ghost.metadata, uid: 'u', resourceVersion: '', creationTimestamp: '' }
    world.state.observeNodeClaim({ ...ghost, metadata })
    const relisted: string[] = []
    const relist: StateSyncOptions['relist'] = ({ plural }) => void relisted.push(plural)
    await syncFor(world, 35_000, { relist })
    // Not found, and not found again.
    expect(relisted).toEqual(['nodeclaims', 'nodeclaims'])
    await put.claim(world, aClaim('slow'))
    await world.settle()
    await syncFor(world, 55_000, { relist })
    expect(relisted).toHaveLength(2)
    await syncFor(world, 125_000, { relist })
    expect(relisted.slice(2)).toEqual(['nodeclaims', 'nodes', 'nodeclaims', 'nodes'])
  })

  test('a wait that is over does not count towards the next one', async () => {
    const world = await aWorld()
    const waits: number[] = []
    const report: StateSyncOptions['report'] = ({ unsyncedSeconds }) => void waits.push(unsyncedSeconds)
    const controller = stateSyncController({ ...world, relist: () => undefined, report })
    const look = async () => {
      await controller.reconcile({ log: world.log, signal: new AbortController().signal })
      await world.clock.run({ forMs: 5_000 })
    }
    for (const name of ['first', 'second']) {
      await put.claim(world, aClaim(name))
      await world.settle()
      for (let times = 0; times < 3; times += 1) await look()
      await world.client.delete(nodeClaims, { name })
      await world.settle()
      await look()
    }
    expect(waits).toEqual([0, 5, 10, 0, 0, 5, 10, 0])
  })

  test('a claim of which the watch told first is not taken back to what it was when it was written', async () => {
    const world = await aWorld()
    const written = await put.claim(world, aClaim('c1'))
    await world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { status: { providerID: 'p1' } } })
    await world.settle()
    world.state.observeNodeClaim(written)
    expect(world.state.unlaunchedClaims).toEqual([])
    expect(world.state.byClaimName('c1')?.key).toBe('p1')
  })

  test('one answer of an API server that is behind makes no claim forgotten', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1'))
    await world.settle()
    let asked = 0
    world.client.fault = ({ operation }) => {
      if (operation !== 'get') return
      asked += 1
      if (asked % 2 === 1) throw new KubeError('NotFound', 404, 'not yet')
    }
    await syncFor(world, 120_000)
    expect(asked).toBeGreaterThanOrEqual(6)
    expect(world.state.hasClaim('c1')).toBe(true)
  })

  test('thousands of claims that nobody launches are looked up in one call, and those of them that are gone are forgotten', async () => {
    const world = await aWorld()
    const own = Array.from({ length: 2_000 }, (_, index) => aClaim(`c${index}`))
    for (const claim of own) await world.client.create(nodeClaims, claim)
    await world.settle()
    for (let index = 0; index < 100; index += 1) {
      const ghost = aClaim(`ghost-${index}`)
      const metadata = { ...ghost.metadata, uid: 'u', resourceVersion: '', creationTimestamp: '' }
      world.state.observeNodeClaim({ ...ghost, metadata })
    }
    const before = world.client.calls.length
    await syncFor(world, 35_000)
    expect(world.state.unlaunchedClaims).toHaveLength(2_000)
    const asked = world.client.calls.slice(before).map(({ operation }) => operation)
    expect(asked).toEqual(['list', 'list'])
  }, 60_000)

  test('a long wait is reported every ten seconds from the thirtieth, with the claims that hold it up', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1'))
    await world.settle()
    await syncFor(world, 50_000)
    const warnings = world.log.lines.filter(
      (line) => line.message === 'cluster is waiting on sync for extended duration',
    )
    expect(warnings.map((line) => line.fields['duration'])).toEqual(['30s', '40s', '50s'])
    expect(warnings.map((line) => line.fields['NodeClaims'])).toEqual(['c1', 'c1', 'c1'])
  })

  test('so are nodes of a pool that have no provider ID yet, which hold up a start', async () => {
    const world = await aWorld()
    for (const name of ['n2', 'n1']) await put.node(world, aNode(name, { labels: managedLabels() }))
    await put.node(world, aNode('fine', { providerID: 'p', labels: managedLabels() }))
    await world.settle()
    await syncFor(world, 30_000)
    const [warning] = world.log.lines.filter(({ level }) => level === 'error')
    expect(warning?.fields).toEqual({ duration: '30s', Nodes: 'n1, n2' })
    for (const name of ['n2', 'n1']) {
      await world.client.patch(nodes, { name }, { kind: 'merge', body: { spec: { providerID: name } } })
    }
    await world.settle()
    expect(world.state.untrackedNodes).toEqual([])
    expect(world.state.synced()).toBe(true)
    await put.node(world, aNode('later', { labels: managedLabels() }))
    await world.settle()
    expect(world.state.untrackedNodes).toEqual([])
  })
})

/** Looks every five seconds, from now until so long after. */
async function syncFor(
  { state, client, clock, log }: Awaited<ReturnType<typeof aWorld>>,
  forMs: number,
  told: Partial<Pick<StateSyncOptions, 'relist' | 'report'>> = {},
): Promise<void> {
  const ignored = { relist: () => undefined, report: () => undefined }
  const controller = stateSyncController({ state, client, clock, ...ignored, ...told })
  for (let passed = 0; passed <= forMs; passed += 5_000) {
    await controller.reconcile({ log, signal: new AbortController().signal })
    await clock.run({ forMs: 5_000 })
  }
}

test('all nodes and pods are parsed in slices, after which a snapshot has nothing left to parse', async () => {
  const world = await aWorld()
  for (let index = 0; index < 15; index += 1) {
    await put.node(world, aNode(`n${index}`))
    for (let pod = 0; pod < 100; pod += 1) await put.pod(world, aPod(`p${index}-${pod}`, { node: `n${index}` }))
  }
  for (let index = 0; index < 600; index += 1) await put.pod(world, aPod(`free-${index}`))
  await world.settle()
  const parse = vi.spyOn(world.state.pods, 'parse')
  const counts: number[] = []
  const reading = world.state.readAll()
  while (reading.next().done !== true) counts.push(parse.mock.calls.length)
  expect(counts).toEqual([500, 1_000, 1_500, 2_000])
  const parsed = world.state.snapshot()
  expect(parsed.nodes).toHaveLength(15)
  expect(world.state.snapshot().nodes[0]?.pods).toBe(parsed.nodes[0]?.pods)
}, 60_000)

describe('the change token', () => {
  const deleting = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['stays'] } }
  const changes = {
    'a pod that is bound': async (world: Awaited<ReturnType<typeof aWorld>>) => {
      await world.client.bind({ namespace: 'default', name: 'free' }, 'own')
    },
    'a node that appears': (world: Awaited<ReturnType<typeof aWorld>>) => put.node(world, aNode('another')),
    'a claim that appears': (world: Awaited<ReturnType<typeof aWorld>>) => put.claim(world, aClaim('another')),
    'a pool whose spec changes': (world: Awaited<ReturnType<typeof aWorld>>) =>
      world.client.patch(nodePools, { name: 'pool' }, { kind: 'merge', body: { metadata: { generation: 2 } } }),
    'a mark for deletion': async (world: Awaited<ReturnType<typeof aWorld>>) => world.state.markForDeletion('own'),
    'a mark that is taken back': async (world: Awaited<ReturnType<typeof aWorld>>) =>
      world.state.unmarkForDeletion('marked'),
    'a node that is initialized': (world: Awaited<ReturnType<typeof aWorld>>) =>
      world.client.patch(nodes, { name: 'n1' }, { kind: 'merge', body: { metadata: { labels: readyLabels } } }),
    'a node that is being deleted': (world: Awaited<ReturnType<typeof aWorld>>) =>
      world.client.patch(nodes, { name: 'n1' }, { kind: 'merge', body: deleting }),
    'a node that goes': (world: Awaited<ReturnType<typeof aWorld>>) => world.client.delete(nodes, { name: 'own' }),
    'a claim that is launched': (world: Awaited<ReturnType<typeof aWorld>>) =>
      world.client.patch(nodeClaims, { name: 'unlaunched' }, { kind: 'merge', body: { status: { providerID: 'p9' } } }),
    'a claim that is being deleted': (world: Awaited<ReturnType<typeof aWorld>>) =>
      world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: deleting }),
    'a claim that goes': (world: Awaited<ReturnType<typeof aWorld>>) =>
      world.client.delete(nodeClaims, { name: 'unlaunched' }),
    'a pod that goes': (world: Awaited<ReturnType<typeof aWorld>>) =>
      world.client.delete(pods, { namespace: 'default', name: 'runs' }, { gracePeriodSeconds: 0 }),
    'a pod that ends': (world: Awaited<ReturnType<typeof aWorld>>) =>
      world.client.patch(
        pods,
        { namespace: 'default', name: 'runs' },
        { kind: 'merge', body: { status: { phase: 'Succeeded' } } },
      ),
    'five minutes without a change': (world: Awaited<ReturnType<typeof aWorld>>) => world.clock.run({ forMs: 300_001 }),
  }
  test.each(Object.entries(changes))('%s changes it', async (_name, change) => {
    const world = await aWorld()
    await put.node(world, aNode('own'))
    await put.node(world, aNode('marked'))
    await put.pod(world, aPod('free'))
    await put.pod(world, aPod('runs', { node: 'own' }))
    await put.pool(world, aPool('pool'))
    await put.claim(world, aClaim('unlaunched'))
    await put.claim(world, aClaim('c1', { providerID: 'p1' }))
    await put.node(world, aNode('n1', { providerID: 'p1', labels: managedLabels() }))
    await world.settle()
    world.state.markForDeletion('marked')
    const before = world.state.changeToken()
    expect(world.state.changeToken()).toBe(before)
    await change(world)
    await world.settle()
    expect(world.state.changeToken()).not.toBe(before)
  })

  test('a pod that is still pending, what a node or a claim tells of itself, and a pool status do not', async () => {
    const world = await aWorld()
    await put.pool(world, aPool('pool'))
    await put.claim(world, aClaim('c1', { providerID: 'p1' }))
    await put.node(world, aNode('n1', { providerID: 'p1', labels: readyLabels }))
    await put.pod(world, aPod('runs', { node: 'n1' }))
    await world.settle()
    const before = world.state.changeToken()
    await put.pod(world, aPod('free'))
    const told = { kind: 'merge' as const, body: { metadata: { annotations: { told: 'something' } } } }
    await world.client.patch(nodes, { name: 'n1' }, told)
    await world.client.patch(nodeClaims, { name: 'c1' }, told)
    await world.client.patch(pods, { namespace: 'default', name: 'runs' }, told)
    await world.settle()
    expect(world.state.changeToken()).toBe(before)
    await world.client.patch(nodePools, { name: 'pool' }, { kind: 'merge', body: { status: { nodes: 1 } } })
    await world.settle()
    expect(world.state.changeToken()).toBe(before)
  })
})

test('after a claim update the pods of its node cost nothing until the next event of the node or its pods', async () => {
  const world = await aWorld()
  await put.claim(world, aClaim('c1', { providerID: 'p1' }))
  await put.node(world, aNode('n1', { providerID: 'p1', labels: readyLabels }))
  await put.pod(world, aPod('a', { node: 'n1' }))
  await world.settle()
  expect(world.state.trackedDisruptionCosts().get('p1')).toBe(2)
  await world.client.patch(
    nodeClaims,
    { name: 'c1' },
    { kind: 'merge', body: { metadata: { annotations: { x: 'y' } } } },
  )
  await world.settle()
  expect(world.state.trackedDisruptionCosts().get('p1')).toBe(1)
  await put.pod(world, aPod('b', { node: 'n1' }))
  await world.settle()
  expect(world.state.trackedDisruptionCosts().get('p1')).toBe(3)
  const relabel = { kind: 'merge' as const, body: { metadata: { labels: { x: 'y' } } } }
  await world.client.patch(nodeClaims, { name: 'c1' }, relabel)
  await world.settle()
  await world.client.patch(nodes, { name: 'n1' }, relabel)
  await world.settle()
  expect(world.state.trackedDisruptionCosts().get('p1')).toBe(3)
  const owner = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds', uid: 'ds', controller: true }]
  await put.pod(world, aPod('of-a-daemon-set', { node: 'n1', owner }))
  await world.settle()
  expect(world.state.trackedDisruptionCosts().get('p1')).toBe(3)
})

test('pools of other NodeClass kinds are left out of snapshots; the others come by name', async () => {
  const world = await aWorld()
  for (const pool of [aPool('b'), aPool('a'), aPool('foreign', { kind: 'GCENodeClass' })]) await put.pool(world, pool)
  await world.settle()
  const snapshot = await world.state.takeSnapshot()
  expect(snapshot.nodePools.map((pool) => pool.metadata.name)).toEqual(['a', 'b'])
  expect([...snapshot.instanceTypes.keys()]).toEqual(['a', 'b'])
})

test('what is remembered of a pod goes with it, whoever decides about it afterwards', async () => {
  const world = await aWorld()
  await put.pod(world, aPod('p'))
  await world.settle()
  world.state.podTimes.decide({ key: 'default/p', outcome: 'placed' }, 1_000)
  expect(world.state.podTimes.get('default/p')).toEqual({ decidedAt: 1_000, schedulableAt: 1_000 })
  await world.client.delete(pods, { namespace: 'default', name: 'p' })
  await world.settle()
  world.state.podTimes.decide({ key: 'default/p', outcome: 'placed' }, 2_000)
  expect(world.state.podTimes.get('default/p')).toEqual({})
})
