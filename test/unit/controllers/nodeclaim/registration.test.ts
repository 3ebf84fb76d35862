import { describe, expect, test } from 'vitest'
import type { RegistrationHealth } from '../../../../src/controllers/nodeclaim/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, conditionOf, unregisteredTaint } from '../../../support/controller-builders.ts'
import { aLifecycleWorld, claimKey, conditionIn, launched, nodeKey } from '../../../support/lifecycle-world.ts'

describe('registration', () => {
  test('the node takes over labels, annotations, taints, finalizer and owner, and is opened', async () => {
    const { world, outcomes } = await launched({
      metadata: { labels: { 'karpenter.sh/nodepool': 'default', tier: 'gold' }, annotations: { note: 'claim' } },
      spec: {
        taints: [
          { key: 'team', value: 'a', effect: 'NoSchedule' },
          { key: 'team', value: 'a', effect: 'NoExecute' },
        ],
        startupTaints: [{ key: 'agent', effect: 'NoSchedule' }],
      },
    })
    const metadata = { labels: { tier: 'none', own: 'kept' }, annotations: { note: 'node', own: 'kept' } }
    const taints = [unregisteredTaint, { key: 'team', value: 'other', effect: 'NoSchedule' as const }]
    await world.kube.create(nodes, aNode('n1', { metadata, taints }))
    await world.run(3_000)
    const node = await world.read(nodes, nodeKey)
    const claim = await world.read(nodeClaims, claimKey)
    expect(node.metadata.finalizers).toEqual(['karpenter.sh/termination'])
    expect(node.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        name: 'c1',
        uid: claim.metadata.uid,
        blockOwnerDeletion: true,
      },
    ])
    expect(node.metadata.labels).toMatchObject({
      'karpenter.sh/nodepool': 'default',
      'karpenter.sh/registered': 'true',
      'node.kubernetes.io/instance-type': 'm5.large',
      tier: 'gold',
      own: 'kept',
    })
    expect(node.metadata.annotations).toMatchObject({ note: 'claim', own: 'kept' })
    expect(node.spec.taints).toEqual([
      { key: 'team', value: 'other', effect: 'NoSchedule' },
      { key: 'team', value: 'a', effect: 'NoExecute' },
      { key: 'agent', effect: 'NoSchedule' },
    ])
    expect(conditionOf(claim, 'Registered')).toBe('True/Registered/')
    expect(claim.status?.nodeName).toBe('n1')
    expect(outcomes).toEqual(['success c1'])
    expect(world.counts.sum('karpenter_nodes_created_total', { nodepool: 'default', zone: 'us-west-2a' })).toBe(1)
    expect(world.events('UnregisteredTaintMissing')).toEqual([])
  })

  test('other owners and finalizers of the node stay, and an earlier claim that owned it makes it no less new to this one', async () => {
    const { world } = await launched({ spec: { taints: [{ key: 'team', effect: 'NoSchedule' }] } })
    const earlier = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'c0', uid: 'earlier' }
    const other = { apiVersion: 'example.com/v1', kind: 'Rack', name: 'r1', uid: 'rack' }
    const metadata = { ownerReferences: [other, earlier], finalizers: ['example.com/rack'] }
    await world.kube.create(nodes, aNode('n1', { metadata, taints: [unregisteredTaint] }))
    await world.run(3_000)
    const { metadata: saved, spec } = await world.read(nodes, nodeKey)
    expect(saved.finalizers).toEqual(['example.com/rack', 'karpenter.sh/termination'])
    const { uid } = (await world.read(nodeClaims, claimKey)).metadata
    expect(saved.ownerReferences?.map((owner) => owner.uid)).toEqual(['rack', 'earlier', uid])
    expect(spec.taints).toEqual([{ key: 'team', effect: 'NoSchedule' }])
  })

  test('what the hashes of a claim were made of, and what it replaces, does not burden its node', async () => {
    const annotations = {
      'joinery.dev/nodepool-hash-input': '{}',
      'joinery.dev/nodeclass-hash-input': '{}',
      'joinery.dev/replaces': 'Drifted c0',
      'karpenter.sh/nodepool-hash': '1',
    }
    const { world } = await launched({ metadata: { annotations } })
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(3_000)
    expect(Object.keys((await world.read(nodes, nodeKey)).metadata.annotations ?? {}).toSorted()).toEqual([
      'karpenter.k8s.aws/ec2nodeclass-hash',
      'karpenter.sh/nodepool-hash',
    ])
  })

  test('case 111: a node without the unregistered taint is registered with a warning, and gets what it lacks', async () => {
    const taints = [{ key: 'team', effect: 'NoSchedule' as const }]
    const { world } = await launched({ spec: { taints } })
    await world.kube.create(nodes, aNode())
    await world.run(3_000)
    expect((await world.read(nodes, nodeKey)).spec.taints).toEqual(taints)
    expect(world.events('UnregisteredTaintMissing')).toEqual([
      'Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes',
    ])
    expect(world.logged('node claim registration error')).toMatchObject([{ taint: 'karpenter.sh/unregistered' }])
    expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
  })

  test.each([
    ['true', []],
    ['True', [{ key: 'team', effect: 'NoSchedule' }]],
  ])('case 112: do-not-sync-taints=%s leaves %j', async (value, taints) => {
    const { world } = await launched({ spec: { taints: [{ key: 'team', effect: 'NoSchedule' }] } })
    const metadata = { labels: { 'karpenter.sh/do-not-sync-taints': value } }
    await world.kube.create(nodes, aNode('n1', { metadata, taints: [unregisteredTaint] }))
    await world.run(3_000)
    expect((await world.read(nodes, nodeKey)).spec.taints).toEqual(taints)
  })

  test('case 113: a startup taint that was removed does not come back', async () => {
    const { world } = await launched({ spec: { startupTaints: [{ key: 'agent', effect: 'NoSchedule' }] } })
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(3_000)
    expect(await conditionIn(world, 'Initialized')).toBe(
      'Unknown/StartupTaintsExist/StartupTaint "agent:NoSchedule" still exists',
    )
    await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { spec: { taints: [] } } })
    await world.run(5_000)
    expect((await world.read(nodes, nodeKey)).spec.taints).toEqual([])
    expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
  })

  describe('a startup taint that its owner took off', () => {
    const agent = { key: 'agent', effect: 'NoSchedule' as const }

    /** A claim with a startup taint, and what its agent does: the node comes with the taint, or has it taken off. */
    async function withAgent() {
      const setup = await aLifecycleWorld()
      const { world } = setup
      await world.kube.create(nodeClaims, aClaim('c1', { spec: { startupTaints: [agent] } }))
      const isFree = async (): Promise<boolean> => {
        const { taints = [] } = (await world.read(nodes, nodeKey)).spec
        return !taints.some(({ key }) => key === 'agent')
      }
      return {
        world,
        start: setup.start,
        join: () => world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint, agent] })),
        takeOff: async () => {
          expect(await isFree()).toBe(false)
          const { taints = [] } = (await world.read(nodes, nodeKey)).spec
          const body = { spec: { taints: taints.filter(({ key }) => key !== 'agent') } }
          await world.kube.patch(nodes, nodeKey, { kind: 'merge', body })
        },
        isFree,
      }
    }

    test('stays off while the claim cannot be written', async () => {
      const { world, start, join, takeOff, isFree } = await withAgent()
      await start()
      await world.run(3_000)
      let refuses = true
      world.kube.fault = ({ operation, resource }) => {
        if (operation !== 'patch' || resource !== 'nodeclaims') return
        if (refuses) throw new KubeError('InternalError', 500, 'webhook down')
      }
      await join()
      await world.run(1_500)
      await takeOff()
      await world.run(1_000)
      refuses = false
      await world.run(120_000)
      expect(await isFree()).toBe(true)
      expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
    })

    test('stays off while the watch of claims lags', async () => {
      const { world, start, join, takeOff, isFree } = await withAgent()
      const watch = world.kube.watch.bind(world.kube)
      let lagMs = 0
      world.kube.watch = async function* (resource, options) {
        for await (const event of watch(resource, options)) {
          if (resource.plural === 'nodeclaims') await world.clock.sleep(lagMs)
          yield event
        }
      }
      await start()
      await world.run(3_000)
      lagMs = 5_000
      await join()
      await world.run(500)
      await takeOff()
      await world.run(120_000)
      expect(await isFree()).toBe(true)
      expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
    })

    test('stays off while a hook is pending', async () => {
      const { world, start, join, takeOff, isFree } = await withAgent()
      let clear = false
      world.cloud.registrationHooks.push({
        name: 'PartitionHook',
        check: async () =>
          clear ? { kind: 'clear', labels: { partition: '3' } } : { kind: 'pending', requeueAfterMs: 5_000 },
      })
      await start()
      await world.run(3_000)
      await join()
      await world.run(3_000)
      await takeOff()
      await world.run(6_000)
      expect(await isFree()).toBe(true)
      clear = true
      await world.run(120_000)
      expect(await isFree()).toBe(true)
      expect((await world.read(nodes, nodeKey)).metadata.labels).toMatchObject({ partition: '3' })
      expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
    })
  })

  test('case 114: two nodes with one provider ID end in the registration timeout', async () => {
    const { world, outcomes } = await launched()
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.kube.create(nodes, aNode('n2', { taints: [unregisteredTaint] }))
    await world.run(60_000)
    expect(await conditionIn(world, 'Registered')).toBe(
      'False/MultipleNodesFound/Invariant violated, matched multiple nodes',
    )
    expect(await conditionIn(world, 'Ready')).toMatch(/^False\/UnhealthyDependents\//)
    const seen = (await world.read(nodeClaims, claimKey)).status?.conditions?.find(({ type }) => type === 'Registered')
    const dueInMs = Date.parse(seen?.lastTransitionTime ?? '') + 15 * 60_000 - world.clock.now()
    await world.run(dueInMs - 1_000)
    expect((await world.read(nodeClaims, claimKey)).metadata.deletionTimestamp).toBeUndefined()
    await world.run(2_000)
    expect((await world.kube.list(nodeClaims)).items.filter((c) => c.metadata.deletionTimestamp === undefined)).toEqual(
      [],
    )
    expect(outcomes).toEqual(['failure c1'])
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'registration_timeout' })).toBe(1)
  })

  test('a claim whose node never joins is given up fifteen minutes after its creation', async () => {
    const { world, outcomes } = await launched()
    await world.run(15 * 60_000 - 5_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(true)
    await world.run(15_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.cloud.instances.size).toBe(0)
    expect(outcomes).toEqual(['failure c1'])
  })

  test('a claim that may not be deleted is one failure of its pool, however often it is given up', async () => {
    const { world, outcomes } = await launched()
    world.kube.fault = ({ operation, resource }) => {
      if (operation === 'delete' && resource === 'nodeclaims') throw new KubeError('Forbidden', 403, 'denied by policy')
    }
    await world.run(60 * 60_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(true)
    expect(outcomes).toEqual(['failure c1'])
  })

  test('a node counts once, also while what its claim says of it is refused', async () => {
    const { world } = await launched()
    world.kube.keeps = (object) => {
      if (object.kind === 'NodeClaim') throw new KubeError('Forbidden', 403, 'denied by policy')
      return object
    }
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(600_000)
    expect(world.counts.sum('karpenter_nodes_created_total')).toBe(1)
    expect(world.logged('registered nodeclaim')).toHaveLength(1)
  })

  test('a pending hook keeps the node closed, though it is synced already', async () => {
    const { world } = await launched()
    let clear = false
    world.cloud.registrationHooks.push({
      name: 'PartitionHook',
      check: async () =>
        clear ? { kind: 'clear', labels: { partition: '3' } } : { kind: 'pending', requeueAfterMs: 4_000 },
    })
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(2_000)
    const closed = await world.read(nodes, nodeKey)
    expect(closed.metadata.finalizers).toEqual(['karpenter.sh/termination'])
    expect(closed.spec.taints).toEqual([unregisteredTaint])
    expect(await conditionIn(world, 'Registered')).toBe('Unknown/RegistrationHookPending/PartitionHook')
    clear = true
    await world.run(10_000)
    const open = await world.read(nodes, nodeKey)
    expect(open.spec.taints).toEqual([])
    expect(open.metadata.labels).toMatchObject({ partition: '3', 'karpenter.sh/registered': 'true' })
    expect((await world.read(nodeClaims, claimKey)).metadata.labels).toMatchObject({ partition: '3' })
  })

  test('who waits for the node hears of it once nothing holds it back, and before it is open', async () => {
    const heard: string[] = []
    let clear = false
    const { world, start } = await aLifecycleWorld({
      announce: async (claim) => {
        await world.clock.sleep(100)
        const { labels = {} } = (await world.read(nodes, nodeKey)).metadata
        heard.push(`${claim}: registered=${labels['karpenter.sh/registered'] ?? 'no'}`)
      },
    })
    world.cloud.registrationHooks.push({
      name: 'PartitionHook',
      check: async () => (clear ? { kind: 'clear', labels: {} } : { kind: 'pending', requeueAfterMs: 1_000 }),
    })
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(3_000)
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(10_000)
    expect(heard).toEqual([])
    clear = true
    await world.run(10_000)
    expect(heard).toEqual(['c1: registered=no'])
    expect((await world.read(nodes, nodeKey)).metadata.labels).toMatchObject({ 'karpenter.sh/registered': 'true' })
  })

  test('a taint that somebody sets while hooks are asked stays', async () => {
    const { world } = await launched()
    const theirs = { key: 'example.com/hold', effect: 'NoSchedule' as const }
    let isMeanwhile = true
    world.cloud.registrationHooks.push({
      name: 'PartitionHook',
      check: async () => {
        if (isMeanwhile) {
          isMeanwhile = false
          const taints = [unregisteredTaint, theirs]
          await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { spec: { taints } } })
        }
        return { kind: 'clear', labels: {} }
      },
    })
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(20_000)
    expect((await world.read(nodes, nodeKey)).spec.taints).toEqual([theirs])
    expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
  })

  test('of hooks that wait the most impatient is asked again first, and one without a time makes nobody hurry', async () => {
    const { world } = await launched()
    const asked: number[] = []
    const startedAt = world.clock.now()
    const pending = (name: string, requeueAfterMs: number) => ({
      name,
      check: async () => {
        if (name === 'First') asked.push(world.clock.now() - startedAt)
        return { kind: 'pending' as const, requeueAfterMs }
      },
    })
    world.cloud.registrationHooks.push(pending('First', 60_000), pending('Untimed', 0), pending('Last', 20_000))
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(60_000)
    const waits = asked.slice(1).map((at, index) => Math.round((at - (asked[index] ?? 0)) / 1_000))
    expect(waits.at(-1)).toBe(20)
    expect(asked.length).toBeLessThan(8)
  })

  test('hooks that wait or fail are named in order, and those that failed are told', async () => {
    const { world } = await launched()
    const pending = (name: string) => ({
      name,
      check: async () => ({ kind: 'pending' as const, requeueAfterMs: 60_000 }),
    })
    const failing = { name: 'Broken', check: () => Promise.reject(new Error('no answer')) }
    const done = { name: 'Done', check: async () => ({ kind: 'clear' as const, labels: {} }) }
    world.cloud.registrationHooks.push(pending('First'), failing, done, pending('Last'))
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(2_000)
    expect(await conditionIn(world, 'Registered')).toBe('Unknown/RegistrationHookPending/First, Broken, Last')
    expect((await world.read(nodes, nodeKey)).metadata.labels).not.toHaveProperty(['karpenter.sh/registered'])
    expect(world.logged('Reconciler error')[0]).toMatchObject({
      err: { message: 'registration hook "Broken" failed, no answer' },
    })
  })

  test('when the pool changes meanwhile, the outcome is recorded in a later pass', async () => {
    let conflicts = 2
    const successes: string[] = []
    const health: RegistrationHealth = {
      recordSuccess: async (claim) => {
        if (conflicts-- > 0) throw new KubeError('Conflict', 409, 'changed')
        successes.push(claim.metadata.name)
      },
      recordFailure: async () => undefined,
    }
    const { world, start } = await aLifecycleWorld({ health })
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(3_000)
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(20_000)
    expect(successes).toEqual(['c1'])
    expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
  })

  describe('while the status of the pool cannot be written', () => {
    /** A pool's health that refuses until it is told otherwise. */
    async function refusedHealth() {
      const setup = await aLifecycleWorld({
        health: {
          recordSuccess: async (claim) => {
            if (refuses) throw new KubeError('Forbidden', 403, 'denied by policy')
            successes.push(claim.metadata.name)
          },
          recordFailure: async () => undefined,
        },
      })
      let refuses = true
      const successes: string[] = []
      await setup.world.kube.create(nodeClaims, aClaim())
      await setup.start()
      await setup.world.run(3_000)
      await setup.world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
      return { ...setup, successes, accept: () => (refuses = false) }
    }

    test('the claim of an open node is registered all the same, and is not given up', async () => {
      const { world } = await refusedHealth()
      await world.run(3_000)
      expect((await world.read(nodes, nodeKey)).spec.taints).toEqual([])
      expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
      expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
      expect((await world.read(nodeClaims, claimKey)).status?.nodeName).toBe('n1')
      await world.run(20 * 60_000)
      expect(await world.exists(nodeClaims, claimKey)).toBe(true)
      expect(world.cloud.deleted).toEqual([])
      expect(world.counts.sum('karpenter_nodes_created_total')).toBe(1)
      expect(world.logged('registered nodeclaim')).toHaveLength(1)
      expect(world.logged('Reconciler error').length).toBeGreaterThan(3)
    })

    test('the outcome is kept, and counted once when it can be written', async () => {
      const { world, successes, accept } = await refusedHealth()
      await world.run(20 * 60_000)
      accept()
      await world.run(120_000)
      await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } })
      await world.run(5_000)
      expect(successes).toEqual(['c1'])
    })

    test('the claim can be deleted, and tells its outcome once more', async () => {
      const { world, successes, accept } = await refusedHealth()
      await world.run(60_000)
      await world.kube.delete(nodeClaims, claimKey)
      await world.run(1_000)
      accept()
      await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
      await world.run(20_000)
      expect(await world.exists(nodeClaims, claimKey)).toBe(false)
      expect(successes).toEqual(['c1'])
    })

    test('the claim goes though its outcome can be told to nobody', async () => {
      const { world } = await refusedHealth()
      await world.run(60_000)
      await world.kube.delete(nodeClaims, claimKey)
      await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
      await world.run(20_000)
      expect(await world.exists(nodeClaims, claimKey)).toBe(false)
      expect(world.logged('failed recording registration health')).toHaveLength(1)
    })
  })

  test('a claim whose own status cannot be written counts once for its pool', async () => {
    const { world, outcomes } = await launched()
    let failures = 0
    world.kube.fault = ({ operation, resource }) => {
      if (operation !== 'patch' || resource !== 'nodeclaims') return
      if (failures++ < 3) throw new KubeError('ServiceUnavailable', 503, 'down')
    }
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(60_000)
    expect(failures).toBeGreaterThan(3)
    expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
    expect(outcomes).toEqual(['success c1'])
    expect(world.events('UnregisteredTaintMissing')).toEqual([])
  })
})
