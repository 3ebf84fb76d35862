import { describe, expect, test } from 'vitest'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import { aClaim, aNode, aPod, aPool, aWorld, managedLabels, put, readyLabels, type World } from './world.ts'

describe('the change token', () => {
  const deleting = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['stays'] } }
  const changes = {
    'a pod that is bound': async (world: World) => {
      await world.client.bind({ namespace: 'default', name: 'free' }, 'own')
    },
    'a node that appears': (world: World) => put.node(world, aNode('another')),
    'a claim that appears': (world: World) => put.claim(world, aClaim('another')),
    'a pool whose spec changes': (world: World) =>
      world.client.patch(nodePools, { name: 'pool' }, { kind: 'merge', body: { metadata: { generation: 2 } } }),
    'a mark for deletion': async (world: World) => world.state.markForDeletion('own'),
    'a mark that is taken back': async (world: World) => world.state.unmarkForDeletion('marked'),
    'a node that is initialized': (world: World) =>
      world.client.patch(nodes, { name: 'n1' }, { kind: 'merge', body: { metadata: { labels: readyLabels } } }),
    'a node that is being deleted': (world: World) =>
      world.client.patch(nodes, { name: 'n1' }, { kind: 'merge', body: deleting }),
    'a node that goes': (world: World) => world.client.delete(nodes, { name: 'own' }),
    'a claim that is launched': (world: World) =>
      world.client.patch(nodeClaims, { name: 'unlaunched' }, { kind: 'merge', body: { status: { providerID: 'p9' } } }),
    'a claim that is being deleted': (world: World) =>
      world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: deleting }),
    'a claim that goes': (world: World) => world.client.delete(nodeClaims, { name: 'unlaunched' }),
    'a pod that goes': (world: World) =>
      world.client.delete(pods, { namespace: 'default', name: 'runs' }, { gracePeriodSeconds: 0 }),
    'a pod that ends': (world: World) =>
      world.client.patch(
        pods,
        { namespace: 'default', name: 'runs' },
        { kind: 'merge', body: { status: { phase: 'Succeeded' } } },
      ),
    'five minutes without a change': (world: World) => world.clock.run({ forMs: 300_001 }),
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
