import { describe, expect, test } from 'vitest'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import type { StalledCause } from '../../../../src/rollout/stalled.ts'
import { conditionOf, trueCondition } from '../../../support/controller-builders.ts'
import { plainPolicy } from '../../../support/rollout-fleet.ts'
import { aFleet, aMachine, key, told } from '../../../support/rollout-status-world.ts'

const minute = 60_000

describe('a NodePool', () => {
  test('whose nodes are as they are wanted says so, in counts, hashes and conditions', async () => {
    const fleet = await aFleet()
    const { status } = await fleet.pool()
    expect(status).toMatchObject({
      observedGeneration: 1,
      currentHash: '1',
      targetHash: '1',
      target: expect.stringMatching(/^1-[0-9a-f]{8}$/),
      upToDateNodes: 2,
      driftedNodes: 0,
      readyNodes: 2,
      blockedNodes: 0,
    })
    expect(await told(fleet, 'Reconciling')).toBe(
      `False/UpToDate/every node is as it is wanted; target ${status?.target}`,
    )
    expect(await told(fleet, 'Stalled')).toBe('False/NotStalled/')
  })

  test('is reconciling from the edit to the end of the last old node', async () => {
    const fleet = await aFleet()
    const { world } = fleet
    await fleet.edited('2')
    expect((await fleet.pool()).status).toMatchObject({
      observedGeneration: 2,
      currentHash: '1',
      targetHash: '2',
      upToDateNodes: 0,
      driftedNodes: 2,
    })
    expect(await told(fleet, 'Reconciling')).toMatch(/^True\/ReplacingNodes\/2 of 2 node\(s\).*\(2 NodePoolDrifted\)/)
    await aMachine(world, 'c', '2')
    await world.kube.delete(nodeClaims, { name: 'a' })
    await world.run(2_000)
    expect((await fleet.pool()).status).toMatchObject({ upToDateNodes: 1, driftedNodes: 1, readyNodes: 2 })
    await world.kube.delete(nodeClaims, { name: 'b' })
    await world.run(2_000)
    expect(await told(fleet, 'Reconciling')).toMatch(/^False\/UpToDate/)
    expect((await fleet.pool()).status).toMatchObject({ currentHash: '2', upToDateNodes: 1, driftedNodes: 0 })
  })

  test('tells the hash that most of its old nodes have, however many are new', async () => {
    const fleet = await aFleet()
    await fleet.edited('2')
    for (const name of ['c', 'd', 'e']) await aMachine(fleet.world, name, '0')
    for (const name of ['f', 'g', 'h', 'i']) await aMachine(fleet.world, name, '2')
    await fleet.world.run(2_000)
    expect((await fleet.pool()).status).toMatchObject({ currentHash: '0', upToDateNodes: 4, driftedNodes: 5 })
  })

  test('counts as ready only nodes that are initialized and that the cluster calls ready', async () => {
    const fleet = await aFleet()
    const { world } = fleet
    const isNot = (type: string) => ({
      kind: 'merge' as const,
      body: { status: { conditions: [{ ...trueCondition(type), status: 'False' as const }] } },
    })
    await world.kube.patch(nodes, { name: 'a' }, isNot('Ready'))
    await world.run(2_000)
    expect((await fleet.pool()).status).toMatchObject({ readyNodes: 1 })
    await world.kube.patch(nodeClaims, { name: 'b' }, isNot('Initialized'))
    await world.run(2_000)
    expect((await fleet.pool()).status).toMatchObject({ readyNodes: 0 })
  })

  test('is reconciling from an edit of its requirements on, which no hash covers', async () => {
    const fleet = await aFleet()
    await fleet.world.kube.patch(
      nodeClaims,
      { name: 'a' },
      { kind: 'merge', body: { metadata: { labels: { size: 'xl' } } } },
    )
    const requirements = [{ key: 'size', operator: 'In', values: ['xl'] }]
    const body = { metadata: { generation: 2 }, spec: { template: { spec: { requirements } } } }
    await fleet.world.kube.patch(nodePools, key, { kind: 'merge', body })
    await fleet.world.run(2_000)
    expect((await fleet.pool()).status).toMatchObject({ observedGeneration: 2, driftedNodes: 1, upToDateNodes: 1 })
    expect(await told(fleet, 'Reconciling')).toMatch(/^True.*1 RequirementsDrifted/)
  })

  test('that a policy left alone is reconciling from the edit of that policy on, and so is its class', async () => {
    const fleet = await aFleet()
    const { kube, run } = fleet.world
    await kube.create(rolloutPolicies, plainPolicy)
    fleet.settings.rollout = { policy: 'p', phase: 'Idle', reason: 'NewNodesOnly', message: 'left alone' }
    fleet.settings.classHash = '11'
    await fleet.edited('2')
    await kube.patch(ec2NodeClasses, key, { kind: 'merge', body: { metadata: { generation: 2 } } })
    await run(25_000)
    const reconciling = async () => [
      await told(fleet, 'Reconciling'),
      conditionOf(await fleet.nodeClass(), 'Reconciling'),
    ]
    const leftAlone = expect.stringMatching(/^False\/NewNodesOnly/) as unknown
    expect(await reconciling()).toEqual([leftAlone, leftAlone])
    fleet.settings.rollout = undefined
    await kube.patch(rolloutPolicies, { name: 'p' }, { kind: 'merge', body: { spec: { mode: 'Automatic' } } })
    await run(1_000)
    const replacing = expect.stringMatching(/^True\/ReplacingNodes/) as unknown
    expect(await reconciling()).toEqual([replacing, replacing])
  })

  test('is stalled, and no longer, as soon as its policy is, and so is its class', async () => {
    const fleet = await aFleet()
    const { kube, run } = fleet.world
    await kube.create(rolloutPolicies, plainPolicy)
    const cause = { reason: 'Halted', message: 'RolloutPolicy p: it failed' }
    const stalled = async () => [await told(fleet, 'Stalled'), conditionOf(await fleet.nodeClass(), 'Stalled')]
    const looked = async (causes: readonly StalledCause[]) => {
      Object.assign(fleet.settings, { stalled: causes, classStalled: causes })
      const [{ reason, message } = { reason: 'NotStalled', message: '' }] = causes
      const lastTransitionTime = '2026-01-01T00:00:00Z'
      const status = causes.length === 0 ? 'False' : 'True'
      const conditions = [{ type: 'Stalled', status, reason, message, lastTransitionTime }]
      await kube.patch(rolloutPolicies, { name: 'p' }, { kind: 'merge', body: { status: { conditions } } })
      await run(2_000)
    }
    await run(5 * minute)
    await looked([cause])
    const stuck = `True/Halted/${cause.message}`
    expect(await stalled()).toEqual([stuck, stuck])
    await looked([])
    expect(await stalled()).toEqual(['False/NotStalled/', 'False/NotStalled/'])
  })

  test('publishes its counts, and takes them back when it is gone', async () => {
    const fleet = await aFleet()
    const count = (state: string) => fleet.world.counts.sum('joinery_nodepool_nodes', { nodepool: 'default', state })
    await fleet.edited('2')
    expect([count('up_to_date'), count('drifted'), count('ready'), count('blocked')]).toEqual([0, 2, 2, 0])
    await fleet.world.kube.delete(nodePools, key)
    await fleet.world.run(2_000)
    expect(count('drifted')).toBe(0)
  })

  test('never disturbs Ready, whatever the generation it was judged at', async () => {
    const fleet = await aFleet()
    const ready = async () => (await fleet.pool()).status?.conditions?.find(({ type }) => type === 'Ready')
    const before = await ready()
    await fleet.edited('2')
    expect(await ready()).toEqual(before)
    expect((await fleet.pool()).status?.conditions?.at(-1)).toEqual(before)
  })

  test('says what blocks its nodes, and is stalled when that lasts', async () => {
    const fleet = await aFleet()
    fleet.settings.blocks = { a: 'PDBBlocked', b: 'PDBBlocked' }
    await fleet.edited('2')
    expect((await fleet.pool()).status).toMatchObject({
      blockedNodes: 2,
      blockedBy: [{ reason: 'PDBBlocked', nodes: 2, message: 'a: so it is' }],
    })
    await fleet.world.run(14 * minute)
    expect(await told(fleet, 'Stalled')).toBe('False/NotStalled/')
    await fleet.world.run(2 * minute)
    expect(await told(fleet, 'Stalled')).toBe('True/PDBBlocked/2 node(s) blocked: a: so it is')
    expect(await told(fleet, 'Reconciling')).toMatch(/^True.*blocked: 2 PDBBlocked/)
    expect(conditionOf(await fleet.nodeClass(), 'Stalled')).toBe('False/NotStalled/')
    fleet.settings.blocks = {}
    await fleet.world.run(minute)
    expect(await told(fleet, 'Stalled')).toBe('False/NotStalled/')
  })

  test('says of a claim that it has lost its Node, which nothing ever replaces', async () => {
    const fleet = await aFleet()
    const { kube, run } = fleet.world
    await kube.patch(
      nodeClaims,
      { name: 'a' },
      { kind: 'merge', body: { status: { conditions: [trueCondition('Registered'), trueCondition('Initialized')] } } },
    )
    await kube.delete(nodes, { name: 'a' })
    await run(6 * minute)
    fleet.settings.blocks = { a: 'NoNode', b: 'PDBBlocked' }
    await fleet.edited('2')
    expect((await fleet.pool()).status).toMatchObject({
      blockedBy: [
        { reason: 'NoNode', message: expect.stringContaining('delete NodeClaim a') },
        { reason: 'PDBBlocked' },
      ],
    })
    await run(16 * minute)
    expect(await told(fleet, 'Stalled')).toMatch(/^True\/NoNode/)
  })

  test('a process that begins while a pool is stuck does not wait all over again', async () => {
    const fleet = await aFleet()
    fleet.settings.blocks = { a: 'PDBBlocked', b: 'PDBBlocked' }
    await fleet.edited('2')
    await fleet.world.run(16 * minute)
    await fleet.restarted()
    await fleet.world.run(minute)
    expect(await told(fleet, 'Stalled')).toMatch(/^True\/PDBBlocked/)
  })

  test('a node that disruption already works on is not blocked', async () => {
    const fleet = await aFleet()
    fleet.settings.blocks = { a: 'InQueue', b: 'Deleting' }
    await fleet.edited('2')
    expect((await fleet.pool()).status).toMatchObject({ driftedNodes: 2, blockedNodes: 0, blockedBy: [] })
  })

  test('is stalled by what others know, and by annotations that cannot be read', async () => {
    const fleet = await aFleet()
    fleet.settings.stalled = [{ reason: 'CircuitOpen', message: 'three launches failed' }]
    const annotations = { 'joinery.dev/pause-until': 'tomorrow' }
    await fleet.world.kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { annotations } } })
    await fleet.world.run(2_000)
    const text = await told(fleet, 'Stalled')
    expect(text).toMatch(/^True\/CircuitOpen\/three launches failed; InvalidAnnotation: .*pause-until/)
  })

  test('whose policy only observes is reconciling: its nodes are replaced as if there were none', async () => {
    const fleet = await aFleet()
    fleet.settings.rollout = { policy: 'p', phase: 'Idle', reason: 'Observing', message: '2 node(s) differ' }
    await fleet.edited('2')
    expect(await told(fleet, 'Reconciling')).toMatch(/^True\/ReplacingNodes/)
  })

  test('that is retired is reconciling, and so is its class, whatever its policy leaves alone', async () => {
    const fleet = await aFleet()
    fleet.settings.rollout = { policy: 'p', phase: 'Idle', reason: 'NewNodesOnly', message: '2 node(s) stay' }
    fleet.settings.classHash = '11'
    const annotations = { 'joinery.dev/retire': 'default' }
    await fleet.world.kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { annotations } } })
    await fleet.world.kube.patch(ec2NodeClasses, key, { kind: 'merge', body: { metadata: { generation: 2 } } })
    await fleet.world.run(2_000)
    expect(await told(fleet, 'Reconciling')).toMatch(/^True\/ReplacingNodes/)
    expect(conditionOf(await fleet.nodeClass(), 'Reconciling')).toMatch(/^True\/ReplacingNodes/)
  })

  test.each(['Idle', 'Waiting'] as const)(
    'whose policy leaves old nodes alone is not reconciling (%s)',
    async (phase) => {
      const fleet = await aFleet()
      fleet.settings.rollout = { policy: 'p', phase, reason: 'NewNodesOnly', message: '2 node(s) stay' }
      await fleet.edited('2')
      expect(await told(fleet, 'Reconciling')).toMatch(/^False\/NewNodesOnly\/2 node\(s\) stay/)
      expect((await fleet.pool()).status).toMatchObject({ driftedNodes: 2, rollout: { policy: 'p', phase } })
      fleet.settings.rollout = undefined
      await fleet.world.run(2 * minute)
      expect((await fleet.pool()).status?.rollout).toBeUndefined()
    },
  )

  describe('at rest', () => {
    test('is not counted again and again', async () => {
      const fleet = await aFleet()
      await fleet.world.run(5 * minute)
      const before = { ...fleet.settings.looks }
      await fleet.world.run(60 * minute)
      expect(fleet.settings.looks).toEqual(before)
    })

    test('a breaker that opens is told within a minute, though no object tells of it', async () => {
      const fleet = await aFleet()
      await fleet.world.run(5 * minute)
      fleet.settings.stalled = [{ reason: 'CircuitOpen', message: 'three launches failed' }]
      await fleet.world.run(minute + 2_000)
      expect(await told(fleet, 'Stalled')).toBe('True/CircuitOpen/three launches failed')
    })

    test('a policy that comes to its turn is told within a minute', async () => {
      const fleet = await aFleet()
      await fleet.world.run(5 * minute)
      fleet.settings.rollout = { policy: 'p', phase: 'Waiting', reason: 'AwaitingApproval', message: 'for somebody' }
      await fleet.world.run(minute + 2_000)
      expect((await fleet.pool()).status?.rollout).toMatchObject({ policy: 'p', message: 'for somebody' })
    })

    test('a label that somebody takes off a claim, and a requirement asks for, is told within a minute', async () => {
      const fleet = await aFleet()
      const labelled = (size: string | null) => ({ kind: 'merge' as const, body: { metadata: { labels: { size } } } })
      for (const name of ['a', 'b']) await fleet.world.kube.patch(nodeClaims, { name }, labelled('xl'))
      const requirements = [{ key: 'size', operator: 'In', values: ['xl'] }]
      const body = { metadata: { generation: 2 }, spec: { template: { spec: { requirements } } } }
      await fleet.world.kube.patch(nodePools, key, { kind: 'merge', body })
      await fleet.world.run(5 * minute)
      expect((await fleet.pool()).status).toMatchObject({ driftedNodes: 0, upToDateNodes: 2 })
      await fleet.world.kube.patch(nodeClaims, { name: 'a' }, labelled(null))
      await fleet.world.run(minute + 2_000)
      expect((await fleet.pool()).status).toMatchObject({ driftedNodes: 1, upToDateNodes: 1 })
    })

    test('a restart that was set for later is told when its time has come', async () => {
      const fleet = await aFleet()
      const annotations = { 'joinery.dev/restart-at': '2026-01-01T01:00:00Z' }
      await fleet.world.kube.patch(ec2NodeClasses, key, { kind: 'merge', body: { metadata: { annotations } } })
      await fleet.world.run(30 * minute)
      expect((await fleet.nodeClass()).status).toMatchObject({ driftedNodes: 0 })
      await fleet.world.run(32 * minute)
      expect((await fleet.nodeClass()).status).toMatchObject({ driftedNodes: 2 })
    })

    test('a definition that keeps the fields now is noticed', async () => {
      const fleet = await aFleet({ prunes: true })
      await fleet.world.run(5 * minute)
      expect((await fleet.pool()).status).not.toHaveProperty('upToDateNodes')
      fleet.world.kube.keeps = (object) => object
      await fleet.world.run(70 * minute)
      expect((await fleet.pool()).status).toMatchObject({ upToDateNodes: 2 })
      expect((await fleet.nodeClass()).status).toMatchObject({ upToDateNodes: 2 })
    })
  })

  test('is written only when something changes', async () => {
    const fleet = await aFleet()
    fleet.settings.blocks = { a: 'PDBBlocked' }
    await fleet.edited('2')
    const before = fleet.writes()
    await fleet.world.run(10 * minute)
    expect(fleet.writes()).toBe(before)
  })

  test('with CRDs that drop the fields, the conditions say it all, and nothing is sent twice', async () => {
    const fleet = await aFleet({ prunes: true })
    await fleet.edited('2')
    const { status } = await fleet.pool()
    expect(status).not.toHaveProperty('driftedNodes')
    expect(await told(fleet, 'Reconciling')).toMatch(/^True\/ReplacingNodes\/2 of 2 .*; target 2-[0-9a-f]{8}$/)
    const before = fleet.writes()
    await fleet.world.run(10 * minute)
    expect(fleet.writes()).toBe(before)
  })
})
