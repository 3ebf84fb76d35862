import { describe, expect, test, vi } from 'vitest'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { daemonSets, nodes, pods } from '../../../src/kube/kinds.ts'
import { aClaim, aNode, aPod, aWorld, put, readyLabels } from './world.ts'

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
