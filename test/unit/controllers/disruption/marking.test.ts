import { describe, expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import { taintDisrupted } from '../../../../src/api/labels.ts'
import { clearDisruption, keepTainted, markDisrupted } from '../../../../src/controllers/disruption/marking.ts'
import type { DisruptionDeps } from '../../../../src/controllers/disruption/deps.ts'
import { startCommand } from '../../../../src/controllers/disruption/start-command.ts'
import type { Replacement } from '../../../../src/disruption/command.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aQueue } from './queue-world.ts'

test('what others write while a node and its claim are marked stays, and so do the marks', async () => {
  const { world, deps, first, isTainted, reasonOf } = await aQueue()
  const { name } = first.nodeClaim.metadata
  const taints = [{ key: 'example.com/maintenance', effect: 'NoSchedule' as const }]
  const conditions = [{ type: 'Theirs', status: 'True' as const }]
  const meanwhile: Record<string, () => void> = {
    nodes: () => void world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { spec: { taints } } }),
    nodeclaims: () => void world.kube.patch(nodeClaims, { name }, { kind: 'merge', body: { status: { conditions } } }),
  }
  world.kube.fault = ({ operation, resource }) => {
    if (operation !== 'get') return
    meanwhile[resource]?.()
    delete meanwhile[resource]
  }
  const marking = markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
  await world.run(1_000)
  await marking
  expect([await isTainted('a'), await reasonOf(first)]).toEqual([true, 'True'])
  expect((await world.read(nodes, { name: 'a' })).spec.taints).toContainEqual(taints[0])
  const types = (await world.read(nodeClaims, { name })).status?.conditions?.map(({ type }) => type)
  expect(types).toContain('Theirs')
})

describe('a node or a claim that seems to be gone when it is to be marked', () => {
  const launchNothing = async (): Promise<NodeClaim> => Promise.reject(new Error('no replacement is wanted'))
  const settings = { wellKnownLabels: new Set<string>(), spotToSpot: false }

  test.each(['nodes', 'nodeclaims'])('%s: it is not disrupted, since the answer may be an old one', async (plural) => {
    const { world, deps, queue, command, stored } = await aQueue(['a', 'b'])
    const unseen = new Set([stored[1]?.name, stored[1]?.nodeClaim.metadata.name])
    world.kube.fault = ({ operation, resource, name }) => {
      if (operation === 'get' && resource === plural && unseen.has(name))
        throw new KubeError('NotFound', 404, 'not found')
    }
    const all = { ...deps, launch: launchNothing, settings } as unknown as DisruptionDeps<Replacement>
    await startCommand(command([]), all, {
      queue,
      log: world.log,
      basis: { marksTakenBack: 0, claims: new Map(), launching: new Set() },
    })
    const going = queue.commands.flatMap((each) => each.command.candidates.map(({ name }) => name))
    expect(going).toEqual(['a'])
  })

  test('a taint of ours that is there already, whatever its effect, is replaced by the one', async () => {
    const { world, deps, first } = await aQueue()
    const foreign = { key: 'example.com/maintenance', effect: 'NoSchedule' as const }
    const taints = [taintDisrupted, foreign, { ...taintDisrupted, effect: 'NoExecute' as const }]
    await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { spec: { taints } } })
    await markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
    expect((await world.read(nodes, { name: 'a' })).spec.taints).toEqual([foreign, taintDisrupted])
  })

  test('another node of that name is neither tainted nor taken for the old one', async () => {
    const { world, deps, first } = await aQueue()
    await world.kube.delete(nodes, { name: 'a' })
    await world.kube.create(nodes, { ...first.node, metadata: { ...first.node.metadata, uid: 'another' } })
    await expect(markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')).rejects.toThrow('another one now')
    expect((await world.read(nodes, { name: 'a' })).spec.taints ?? []).toEqual([])
  })

  test('another claim of that name is not told that it goes', async () => {
    const { world, deps, first, reasonOf } = await aQueue()
    const { metadata } = first.nodeClaim
    await world.kube.delete(nodeClaims, { name: metadata.name })
    await world.kube.create(nodeClaims, { ...first.nodeClaim, metadata: { ...metadata, uid: 'another' } })
    await expect(markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')).rejects.toThrow('another one now')
    expect(await reasonOf(first)).toBeUndefined()
  })

  test('taking the marks off again is content with what is gone', async () => {
    const { world, deps, first } = await aQueue()
    await world.kube.delete(nodes, { name: 'a' })
    await expect(clearDisruption(deps, first.node, first.nodeClaim)).resolves.toBeUndefined()
  })
})

test('a taint that somebody has taken off is put back beside theirs, and one that is there is left alone', async () => {
  const { world, deps, first } = await aQueue()
  const theirs = { key: 'example.com/maintenance', effect: 'NoSchedule' as const }
  await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { spec: { taints: [theirs] } } })
  for (const _look of [1, 2]) {
    await keepTainted(deps, first.node)
    expect((await world.read(nodes, { name: 'a' })).spec.taints).toEqual([theirs, taintDisrupted])
  }
})

test('where there is nothing to take off, nothing is written', async () => {
  const { world, deps, first } = await aQueue()
  await clearDisruption(deps, first.node, first.nodeClaim)
  expect(world.kube.calls.filter(({ operation }) => operation === 'patch')).toEqual([])
})
