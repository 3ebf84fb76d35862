import { describe, expect, test } from 'vitest'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { conditionOf, trueCondition } from '../../../support/controller-builders.ts'
import { aFleet, key, told } from '../../../support/rollout-status-world.ts'

const minute = 60_000

describe('an EC2NodeClass', () => {
  test('tells images in use from images wanted, and waits for the last old one', async () => {
    const fleet = await aFleet()
    const { world } = fleet
    await world.kube.patch(ec2NodeClasses, key, {
      kind: 'merge',
      body: { status: { amis: [{ id: 'ami-2', requirements: [] }] } },
    })
    await world.run(2_000)
    expect((await fleet.nodeClass()).status).toMatchObject({
      currentImages: ['ami-1'],
      targetImages: ['ami-2'],
      nodes: 2,
      driftedNodes: 2,
      amis: [{ id: 'ami-2' }],
    })
    expect(conditionOf(await fleet.nodeClass(), 'Reconciling')).toMatch(/^True.*2 AMIDrift/)
    expect(await told(fleet, 'Reconciling')).toMatch(/^True.*2 AMIDrift/)
    for (const name of ['a', 'b']) await world.kube.delete(nodeClaims, { name })
    await world.run(2_000)
    expect(conditionOf(await fleet.nodeClass(), 'Reconciling')).toMatch(/^False/)
    expect((await fleet.nodeClass()).status).toMatchObject({ currentImages: [], driftedNodes: 0 })
  })

  test('tells of an annotation that cannot be read, of its hash, and of no change that is over', async () => {
    const fleet = await aFleet()
    const { world } = fleet
    const over = { type: 'PlannedChange', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }
    await world.kube.patch(ec2NodeClasses, key, {
      kind: 'merge',
      body: { metadata: { annotations: { 'joinery.dev/restart-at': 'tomorrow' } }, status: { conditions: [over] } },
    })
    await world.run(2_000)
    const nodeClass = await fleet.nodeClass()
    expect(conditionOf(nodeClass, 'Stalled')).toMatch(/^True\/InvalidAnnotation\/.*restart-at/)
    expect(nodeClass.status?.conditions?.map(({ type }) => type)).not.toContain('PlannedChange')
    expect(nodeClass.status).toMatchObject({ currentHash: '10', targetHash: '10' })
  })

  test('an edit counts as looked at once its images have been found', async () => {
    const fleet = await aFleet()
    const { world } = fleet
    const found = async (amis: string[], observedGeneration: number) =>
      world.kube.patch(ec2NodeClasses, key, {
        kind: 'merge',
        body: {
          status: {
            amis: amis.map((id) => ({ id, requirements: [] })),
            conditions: [{ ...trueCondition('AMIsReady'), observedGeneration }],
          },
        },
      })
    const seen = async () => {
      const { status } = await fleet.nodeClass()
      const reconciling = status?.conditions?.find(({ type }) => type === 'Reconciling')
      return [status?.observedGeneration, reconciling?.observedGeneration, reconciling?.status]
    }
    await found(['ami-1'], 1)
    await world.run(2_000)
    expect(await seen()).toEqual([1, 1, 'False'])
    await world.kube.patch(ec2NodeClasses, key, {
      kind: 'merge',
      body: { metadata: { generation: 2 }, spec: { amiSelectorTerms: [{ id: 'ami-2' }] } },
    })
    await world.run(2_000)
    expect(await seen()).toEqual([1, 1, 'False'])
    await found(['ami-2'], 2)
    await world.run(2_000)
    expect(await seen()).toEqual([2, 2, 'True'])
  })

  test.each(['SubnetsReady', 'SecurityGroupsReady'])('nor does an edit before its look for %s', async (type) => {
    const fleet = await aFleet()
    const { world } = fleet
    const looked = (observedGeneration: number) =>
      world.kube.patch(ec2NodeClasses, key, {
        kind: 'merge',
        body: { status: { conditions: [{ ...trueCondition(type), observedGeneration }] } },
      })
    const seen = async () => (await fleet.nodeClass()).status?.observedGeneration
    await looked(1)
    await world.kube.patch(ec2NodeClasses, key, { kind: 'merge', body: { metadata: { generation: 2 } } })
    await world.run(2_000)
    expect(await seen()).toBe(1)
    await looked(2)
    await world.run(2_000)
    expect(await seen()).toBe(2)
  })

  test.each(['Idle', 'Waiting'] as const)(
    'whose pools leave old nodes alone is not reconciling (%s)',
    async (phase) => {
      const fleet = await aFleet()
      fleet.settings.rollout = { policy: 'p', phase, reason: 'NewNodesOnly', message: '2 node(s) stay' }
      fleet.settings.classHash = '11'
      await fleet.world.kube.patch(ec2NodeClasses, key, { kind: 'merge', body: { metadata: { generation: 2 } } })
      await fleet.world.run(2_000)
      expect(conditionOf(await fleet.nodeClass(), 'Reconciling')).toMatch(/^False\/NewNodesOnly/)
      expect((await fleet.nodeClass()).status).toMatchObject({ driftedNodes: 2 })
    },
  )

  test('a change of the pool is none of its own', async () => {
    const fleet = await aFleet()
    await fleet.edited('2')
    expect(conditionOf(await fleet.nodeClass(), 'Reconciling')).toMatch(/^False/)
    expect((await fleet.nodeClass()).status).toMatchObject({ driftedNodes: 0, upToDateNodes: 2 })
  })

  test('at rest tells within a minute what others know of it by then', async () => {
    const fleet = await aFleet()
    await fleet.world.run(5 * minute)
    fleet.settings.classStalled = [{ reason: 'ImageDeprecated', message: 'ami-1 is deprecated' }]
    await fleet.world.run(minute + 2_000)
    expect(conditionOf(await fleet.nodeClass(), 'Stalled')).toMatch(/^True\/ImageDeprecated/)
  })

  test('is stalled where a pool of its nodes is', async () => {
    const fleet = await aFleet()
    fleet.settings.blocks = { a: 'PDBBlocked', b: 'PDBBlocked' }
    fleet.settings.classHash = '11'
    await fleet.world.kube.patch(ec2NodeClasses, key, { kind: 'merge', body: { metadata: { generation: 2 } } })
    await fleet.world.run(16 * minute)
    expect(conditionOf(await fleet.nodeClass(), 'Stalled')).toBe(
      'True/PDBBlocked/NodePool default: 2 node(s) blocked: a: so it is',
    )
    expect((await fleet.nodeClass()).status).toMatchObject({
      currentHash: '10',
      targetHash: '11',
      observedGeneration: 2,
    })
  })
})

describe('an EC2NodeClass that Flux applies', () => {
  async function aFluxFleet() {
    const fleet = await aFleet()
    const labels = {
      'kustomize.toolkit.fluxcd.io/name': 'pools',
      'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
    }
    await fleet.world.kube.patch(ec2NodeClasses, key, { kind: 'merge', body: { metadata: { labels } } })
    const edit = () => {
      fleet.settings.classHash = '11'
      return fleet.world.kube.patch(ec2NodeClasses, key, { kind: 'merge', body: { metadata: { generation: 2 } } })
    }
    return { ...fleet, edit }
  }

  test('leaves it to its pools to say that nodes are replaced, and that they are stuck', async () => {
    const fleet = await aFluxFleet()
    fleet.settings.blocks = { a: 'PDBBlocked', b: 'PDBBlocked' }
    await fleet.edit()
    await fleet.world.run(16 * minute)
    expect(conditionOf(await fleet.nodeClass(), 'Reconciling')).toMatch(
      /^False\/ToldByNodePools\/NodePools tell, since Flux waits for classes: 2 of 2 node\(s\) to be replaced .*; target 11-[0-9a-f]{8}$/,
    )
    expect(conditionOf(await fleet.nodeClass(), 'Stalled')).toBe(
      'False/ToldByNodePools/PDBBlocked: NodePool default: 2 node(s) blocked: a: so it is',
    )
    expect((await fleet.nodeClass()).status).toMatchObject({ driftedNodes: 2, observedGeneration: 2 })
    expect(conditionOf(await fleet.pool(), 'Reconciling')).toMatch(/^True/)
    expect(conditionOf(await fleet.pool(), 'Stalled')).toMatch(/^True\/PDBBlocked/)
  })

  test('is stalled by what is wrong with itself, which is mended in it', async () => {
    const fleet = await aFluxFleet()
    const annotations = { 'joinery.dev/restart-at': 'tomorrow' }
    await fleet.world.kube.patch(ec2NodeClasses, key, { kind: 'merge', body: { metadata: { annotations } } })
    await fleet.world.run(2_000)
    expect(conditionOf(await fleet.nodeClass(), 'Stalled')).toMatch(/^True\/InvalidAnnotation/)
  })

  test('calls no edit looked at before its pools tell of it, in whatever order they are written', async () => {
    const fleet = await aFluxFleet()
    const { world } = fleet
    await world.run(2_000)
    const seen: string[] = []
    world.caches.of(ec2NodeClasses).subscribe(({ after }) => {
      const isObserved = after?.status?.observedGeneration === 2
      const pool = world.caches.of(nodePools).get(key)
      if (isObserved && pool !== undefined) seen.push(conditionOf(pool, 'Reconciling')?.slice(0, 4) ?? '')
    })
    world.kube.fault = ({ operation, resource }) => {
      if (operation === 'patch' && resource === 'nodepools') throw new Error('the server is busy')
    }
    await fleet.edit()
    await world.run(minute)
    expect((await fleet.nodeClass()).status?.observedGeneration).toBe(1)
    world.kube.fault = () => undefined
    await world.run(5 * minute)
    expect((await fleet.nodeClass()).status?.observedGeneration).toBe(2)
    expect(new Set(seen)).toEqual(new Set(['True']))
  })

  test('waits for no pool that is going, nor for one whose policy leaves old nodes alone', async () => {
    const fleet = await aFluxFleet()
    fleet.settings.rollout = { policy: 'p', phase: 'Idle', reason: 'NewNodesOnly', message: '2 node(s) stay' }
    await fleet.edit()
    await fleet.world.run(3_000)
    expect(conditionOf(await fleet.nodeClass(), 'Reconciling')).toMatch(/^False\/NewNodesOnly/)
    expect((await fleet.nodeClass()).status?.observedGeneration).toBe(2)
  })
})
