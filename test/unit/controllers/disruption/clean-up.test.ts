import { describe, expect, test } from 'vitest'
import { taintDisrupted } from '../../../../src/api/labels.ts'
import { cleanUpAbandoned } from '../../../../src/controllers/disruption/clean-up.ts'
import { markDisrupted } from '../../../../src/controllers/disruption/marking.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import { aStateNode, aWorld } from '../../../support/disruption-builders.ts'
import { aQueue } from './queue-world.ts'

test('case 106: what a process that died had tainted is given back, but not what is being deleted', async () => {
  const { deps, stored, isTainted, reasonOf } = await aQueue(['a', 'b'])
  for (const each of stored) await markDisrupted(deps, each.node, each.nodeClaim, 'Drifted')
  const world = aWorld({ nodes: [aStateNode('a'), aStateNode('b')] })
  const present = await Promise.all(
    world.nodes.map(async (each) => ({
      ...each,
      node: await deps.kube.get(nodes, { name: each.node?.metadata.name ?? '' }),
      nodeClaim: await deps.kube.get(nodeClaims, { name: each.nodeClaim?.metadata.name ?? '' }),
      // The second one's claim is on its way out.
      markedForDeletion: each.node?.metadata.name === 'b',
    })),
  )
  await cleanUpAbandoned({ ...world, nodes: present }, new Set(), deps)
  expect([await isTainted('a'), await isTainted('b')]).toEqual([false, true])
  expect(await Promise.all(stored.map(reasonOf))).toEqual([undefined, 'True'])
})

describe('of what says of a node that it is disrupted', () => {
  const both = [true, 'True']
  const cases: Record<string, { marks?: 'taint' | 'reason'; more?: Partial<StateNode>; queued?: true; want: unknown }> =
    {
      'a taint alone is taken off': { marks: 'taint', want: [false, undefined] },
      'a reason alone is taken off': { marks: 'reason', want: [false, undefined] },
      'both stay on a node that a command works on': { queued: true, want: both },
      'both stay on a node that is not initialized': { more: { initialized: false }, want: both },
    }
  test.each(Object.entries(cases))('%s', async (_what, { marks, more, queued, want }) => {
    const { world, deps, first, isTainted, reasonOf } = await aQueue()
    await markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
    const { name } = first.nodeClaim.metadata
    if (marks === 'reason')
      await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { spec: { taints: [] } } })
    if (marks === 'taint')
      await world.kube.patch(nodeClaims, { name }, { kind: 'merge', body: { status: { conditions: [] } } })
    const seen = {
      ...first.stateNode,
      node: await world.read(nodes, { name: 'a' }),
      nodeClaim: await world.read(nodeClaims, { name }),
      ...more,
    }
    await cleanUpAbandoned({ ...aWorld({}), nodes: [seen] }, new Set(queued ? [first.providerID] : []), deps)
    expect([await isTainted('a'), await reasonOf(first)]).toEqual(want)
  })

  test('a node that is being deleted keeps why', async () => {
    const { world, deps, first, isTainted, reasonOf } = await aQueue()
    await markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
    await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { metadata: { finalizers: ['ours'] } } })
    await world.kube.delete(nodes, { name: 'a' })
    const node = await world.read(nodes, { name: 'a' })
    const nodeClaim = await world.read(nodeClaims, { name: first.nodeClaim.metadata.name })
    await cleanUpAbandoned({ ...aWorld({}), nodes: [{ ...first.stateNode, node, nodeClaim }] }, new Set(), deps)
    expect([await isTainted('a'), await reasonOf(first)]).toEqual([true, 'True'])
  })
})

test('of nodes that say nothing of the kind nothing is asked', async () => {
  const { world, deps, first } = await aQueue()
  const { length } = world.kube.calls
  await cleanUpAbandoned({ ...aWorld({}), nodes: [first.stateNode] }, new Set(), deps)
  expect(world.kube.calls).toHaveLength(length)
})

test('of several nodes that cannot be given back each is told, once the others are, and none that only lost a race', async () => {
  const { world, deps, stored, isTainted } = await aQueue(['a', 'b', 'c', 'd'])
  for (const each of stored) await markDisrupted(deps, each.node, each.nodeClaim, 'Drifted')
  const present = await Promise.all(
    stored.map(async ({ stateNode, node, nodeClaim }) => ({
      ...stateNode,
      node: await deps.kube.get(nodes, { name: node.metadata.name }),
      nodeClaim: await deps.kube.get(nodeClaims, { name: nodeClaim.metadata.name }),
    })),
  )
  world.kube.fault = ({ operation, resource, name }) => {
    if (operation !== 'patch' || resource !== 'nodes' || name === 'd') return
    throw name === 'a' ? new KubeError('Conflict', 409, 'changed') : new KubeError('Forbidden', 403, `not ${name}`)
  }
  const cleaning = cleanUpAbandoned({ ...aWorld({}), nodes: present }, new Set(), deps)
  const failing = expect(cleaning).rejects.toThrow(/^not b; not c$/)
  await world.run(1_000)
  await failing
  expect(await Promise.all(['a', 'b', 'c', 'd'].map(isTainted))).toEqual([true, true, true, false])
})

test('a race that is lost each time ends the pass, too: the node is tainted, and no budget counts it', async () => {
  const { world, deps, first, isTainted } = await aQueue()
  await markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
  const node = await deps.kube.get(nodes, { name: 'a' })
  world.kube.fault = ({ operation, resource }) => {
    if (operation === 'patch' && resource === 'nodes') throw new KubeError('Conflict', 409, 'changed')
  }
  const cleaning = cleanUpAbandoned({ ...aWorld({}), nodes: [{ ...first.stateNode, node }] }, new Set(), deps)
  const failing = expect(cleaning).rejects.toMatchObject({ code: 'Conflict' })
  await world.run(1_000)
  await failing
  expect(await isTainted('a')).toBe(true)
})

test('a taint that was set just before a process died is found among those of others, which stay', async () => {
  const { world, deps, first } = await aQueue()
  const foreign = { key: 'example.com/maintenance', effect: 'NoSchedule' as const }
  const taints = [foreign, { ...taintDisrupted }]
  await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { spec: { taints } } })
  const node = await deps.kube.get(nodes, { name: 'a' })
  await cleanUpAbandoned({ ...aWorld({}), nodes: [{ ...first.stateNode, node }] }, new Set(), deps)
  expect((await world.read(nodes, { name: 'a' })).spec.taints).toEqual([foreign])
})

test('a node that somebody has begun to delete since it was seen is not given back', async () => {
  const { world, deps, first, isTainted } = await aQueue()
  await markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
  await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { metadata: { finalizers: ['ours'] } } })
  const seen = await deps.kube.get(nodes, { name: 'a' })
  await world.kube.delete(nodes, { name: 'a' })
  await cleanUpAbandoned({ ...aWorld({}), nodes: [{ ...first.stateNode, node: seen }] }, new Set(), deps)
  expect(await isTainted('a')).toBe(true)
})
