import { describe, expect, test } from 'vitest'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { csiNodes, nodes } from '../../../src/kube/kinds.ts'
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

  test.each(['c1', 'c2'])(
    'of two claims with one provider ID the one that goes (%s) leaves the other',
    async (gone) => {
      const world = await aWorld()
      for (const name of ['c1', 'c2']) await put.claim(world, aClaim(name, { providerID: 'p1' }))
      await put.node(world, aNode('a', { providerID: 'p1', labels: readyLabels }))
      await world.settle()
      await world.client.delete(nodeClaims, { name: gone })
      await world.settle()
      const left = gone === 'c1' ? 'c2' : 'c1'
      expect(world.state.nodes()).toMatchObject([{ name: 'a', managed: true, nodeClaim: { metadata: { name: left } } }])
    },
  )

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

  describe('a launch whose claim may not be written', () => {
    async function launched() {
      const world = await aWorld()
      await put.claim(world, aClaim('c1'))
      await world.settle()
      expect(world.state.synced()).toBe(false)
      const claim = await world.client.get(nodeClaims, { name: 'c1' })
      world.state.observeLaunch({ ...claim, status: aClaim('c1', { providerID: 'p1' }).status ?? {} })
      return world
    }
    const cpus = ({ state }: Awaited<ReturnType<typeof aWorld>>) =>
      toResourceList(state.nodePoolResources('default'))['cpu']

    test('counts as a node on its way, also when the claim changes and when it is to go', async () => {
      const world = await launched()
      expect(world.state.synced()).toBe(true)
      expect(world.state.unlaunched.isEmpty).toBe(true)
      expect(cpus(world)).toBe('4')
      const metadata = { labels: { team: 'x' }, finalizers: ['karpenter.sh/termination'] }
      await world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { metadata } })
      await world.settle()
      expect(world.state.byClaimName('c1')).toMatchObject({
        key: 'p1',
        labels: { team: 'x' },
        markedForDeletion: false,
      })
      await world.client.delete(nodeClaims, { name: 'c1' })
      await world.settle()
      expect(world.state.node('p1')).toMatchObject({ markedForDeletion: true })
      expect(world.state.synced()).toBe(true)
    })

    test('goes with its claim, and means nothing for another claim of its name', async () => {
      const world = await launched()
      await world.client.delete(nodeClaims, { name: 'c1' })
      await put.claim(world, aClaim('c1'))
      await world.settle()
      expect(world.state.unlaunched.names).toEqual(['c1'])
      expect(world.state.nodes()).toEqual([])
    })

    test('gives way to what the claim says once it may', async () => {
      const world = await launched()
      const status = { providerID: 'p2', capacity: { cpu: '8' } }
      await world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { status } })
      await world.settle()
      expect(world.state.nodes().map(({ key }) => key)).toEqual(['p2'])
      expect(cpus(world)).toBe('8')
    })

    test('that is told of after its claim has gone means nothing', async () => {
      const world = await aWorld()
      world.state.observeLaunch(aClaim('c1', { providerID: 'p1' }))
      expect(world.state.nodes()).toEqual([])
    })
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

test('pools of other NodeClass kinds are left out of snapshots; the others come by name', async () => {
  const world = await aWorld()
  for (const pool of [aPool('b'), aPool('a'), aPool('foreign', { kind: 'GCENodeClass' })]) await put.pool(world, pool)
  await world.settle()
  const snapshot = await world.state.takeSnapshot()
  expect(snapshot.nodePools.map((pool) => pool.metadata.name)).toEqual(['a', 'b'])
  expect([...snapshot.instanceTypes.keys()]).toEqual(['a', 'b'])
})
