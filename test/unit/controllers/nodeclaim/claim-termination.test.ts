import { describe, expect, test } from 'vitest'
import { InstanceNotOwnedError } from '../../../../src/cloud/provider.ts'
import { rowOf } from '../../../../src/controllers/event-table.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, unregisteredTaint } from '../../../support/controller-builders.ts'
import { aLifecycleWorld, claimKey, conditionIn, launched, nodeKey } from '../../../support/lifecycle-world.ts'

describe('termination of a claim', () => {
  test('that waits for somebody else only is over for us', async () => {
    const { world, start } = await aLifecycleWorld()
    const status = { providerID: 'aws:///us-west-2a/i-1' }
    const claim = aClaim('c1', { metadata: { finalizers: ['example.com/theirs'] }, status })
    await world.cloud.create(await world.kube.create(nodeClaims, claim))
    await world.kube.delete(nodeClaims, claimKey)
    await start()
    await world.run(10_000)
    expect(world.cloud.deleted).toEqual([])
    expect((await world.read(nodeClaims, claimKey)).metadata.finalizers).toEqual(['example.com/theirs'])
  })

  test('the grace period becomes a time on the claim, once', async () => {
    const { world } = await launched({ spec: { terminationGracePeriod: '5m' } })
    world.cloud.terminationMs = 12_000
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(1_000)
    const claim = await world.read(nodeClaims, claimKey)
    const at = claim.metadata.annotations?.['karpenter.sh/nodeclaim-termination-timestamp']
    expect(Date.parse(at ?? '') - Date.parse(claim.metadata.deletionTimestamp ?? '')).toBe(300_000)
    expect(world.events('TerminationGracePeriodExpiring')).toEqual([`All pods will be deleted by ${at}`])
  })

  test('it counts from the deletion, also where nobody was there to see that', async () => {
    const { world, start } = await aLifecycleWorld()
    const metadata = { finalizers: ['karpenter.sh/termination', 'example.com/theirs'] }
    await world.kube.create(nodeClaims, aClaim('c1', { metadata, spec: { terminationGracePeriod: '5m' } }))
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(120_000)
    await start()
    await world.run(1_000)
    const { annotations, deletionTimestamp = '' } = (await world.read(nodeClaims, claimKey)).metadata
    const at = annotations?.['karpenter.sh/nodeclaim-termination-timestamp'] ?? ''
    expect(Date.parse(at) - Date.parse(deletionTimestamp)).toBe(300_000)
  })

  test('a grace period of nothing ends with the deletion itself', async () => {
    const { world } = await launched({ spec: { terminationGracePeriod: '0s' } })
    world.cloud.terminationMs = 12_000
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(1_000)
    const { annotations, deletionTimestamp } = (await world.read(nodeClaims, claimKey)).metadata
    expect(annotations?.['karpenter.sh/nodeclaim-termination-timestamp']).toBe(deletionTimestamp)
  })

  test('a time that somebody has written already stands', async () => {
    const annotations = { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-01-01T00:00:01Z' }
    const { world } = await launched({ metadata: { annotations }, spec: { terminationGracePeriod: '5m' } })
    world.cloud.terminationMs = 12_000
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(1_000)
    expect((await world.read(nodeClaims, claimKey)).metadata.annotations).toMatchObject(annotations)
    expect(world.events('TerminationGracePeriodExpiring')).toEqual([])
  })

  test('the instance is asked to end until it is gone, then the claim goes', async () => {
    const { world } = await launched()
    world.cloud.terminationMs = 12_000
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(4_000)
    expect(await conditionIn(world, 'InstanceTerminating')).toBe('True/InstanceTerminating/')
    await world.run(20_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.counts.observed('karpenter_nodeclaims_instance_termination_duration_seconds')).toEqual([15])
    expect(world.counts.observed('karpenter_nodeclaims_termination_duration_seconds')).toEqual([15])
    expect(
      world.counts.sum('karpenter_nodeclaims_terminated_total', { nodepool: 'default', capacity_type: 'spot' }),
    ).toBe(1)
    expect(world.logged('deleted nodeclaim')).toHaveLength(1)
  })

  test('a finalizer that somebody adds at the last moment is not taken off with ours', async () => {
    const { world } = await launched()
    world.cloud.terminationMs = 12_000
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(11_000)
    world.kube.delivers = (event) => event.type !== 'MODIFIED' || event.object.kind !== 'NodeClaim'
    const finalizers = ['karpenter.sh/termination', 'example.com/theirs']
    await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata: { finalizers } } })
    await world.run(20_000)
    expect(world.cloud.instances.size).toBe(0)
    expect((await world.read(nodeClaims, claimKey)).metadata.finalizers).toContain('example.com/theirs')
  })

  test('a claim that names an instance which is not ours waits, says so, and goes once it is mended', async () => {
    const { world } = await launched()
    const original = world.cloud.delete.bind(world.cloud)
    const error = new InstanceNotOwnedError('i-db', ['karpenter.sh/nodepool'])
    world.cloud.delete = () => Promise.reject(error)
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(60_000)
    expect((await world.read(nodeClaims, claimKey)).metadata.finalizers).toEqual(['karpenter.sh/termination'])
    expect(new Set(world.events('InstanceNotOwned'))).toEqual(new Set([error.message]))
    const event = { reason: 'InstanceNotOwned', type: 'Warning', kind: 'NodeClaim', message: error.message }
    expect(rowOf(event)?.reason).toBe('InstanceNotOwned')
    expect(world.logged('Reconciler error')[0]).toMatchObject({ err: { instanceID: 'i-db' } })
    world.cloud.delete = original
    await world.run(120_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
  })

  test('a node that the watch has not told of is drained before the instance ends', async () => {
    const { world } = await launched()
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
    const forced = { metadata: { finalizers: [] } }
    await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: forced })
    await world.kube.delete(nodes, nodeKey)
    await world.run(1_000)
    // Its kubelet makes it anew.
    world.kube.delivers = (event) => event.type === 'BOOKMARK' || event.object.kind !== 'Node'
    await world.kube.create(nodes, aNode('n1', { metadata: { finalizers: ['karpenter.sh/termination'] } }))
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(60_000)
    expect((await world.read(nodes, nodeKey)).metadata.deletionTimestamp).toBeDefined()
    expect(world.cloud.deleted).toEqual([])
    await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: forced })
    await world.run(20_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
  })

  test('a node that bears the name by now and is of another instance stays', async () => {
    const { world } = await launched()
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    await world.kube.delete(nodes, nodeKey)
    await world.kube.create(nodes, aNode('n1', { providerID: 'aws:///us-west-2a/i-2' }))
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(20_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect((await world.read(nodes, nodeKey)).metadata.deletionTimestamp).toBeUndefined()
  })

  test('a registered claim first waits for its nodes, duplicates included', async () => {
    const { world } = await launched()
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    await world.kube.create(nodes, aNode('n2', { metadata: { finalizers: ['hold'] } }))
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(30_000)
    for (const name of ['n1', 'n2']) {
      expect((await world.read(nodes, { name })).metadata.deletionTimestamp).toBeDefined()
    }
    expect(world.cloud.deleted).toEqual([])
    for (const name of ['n1', 'n2']) {
      await world.kube.patch(nodes, { name }, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    }
    await world.run(20_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.cloud.instances.size).toBe(0)
  })

  test('so does one whose node has lost the label that says so', async () => {
    const { world } = await launched()
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    const body = { metadata: { labels: { 'karpenter.sh/registered': null } } }
    await world.kube.patch(nodes, nodeKey, { kind: 'merge', body })
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(20_000)
    expect((await world.read(nodes, nodeKey)).metadata.deletionTimestamp).toBeDefined()
    expect(world.cloud.deleted).toEqual([])
  })

  test('another node that bears the name of its node by now stays', async () => {
    const { world } = await launched()
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    world.kube.delivers = (event) => event.type !== 'BOOKMARK' && event.object.kind !== 'Node'
    await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    await world.kube.delete(nodes, nodeKey)
    await world.kube.create(nodes, aNode('n1', { providerID: 'aws:///us-west-2a/i-new' }))
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(20_000)
    expect(await world.exists(nodes, nodeKey)).toBe(true)
    expect(world.logged('Reconciler error')).toEqual([])
  })

  test('a node that may not be deleted just now is asked to go again, and the instance waits for it', async () => {
    const { world } = await launched()
    let isRefusing = true
    world.kube.fault = ({ operation, resource }) => {
      if (operation === 'delete' && resource === 'nodes' && isRefusing) throw new KubeError('Forbidden', 403, 'not now')
    }
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(10_000)
    expect((await world.read(nodes, nodeKey)).metadata.deletionTimestamp).toBeUndefined()
    isRefusing = false
    await world.run(60_000)
    expect((await world.read(nodes, nodeKey)).metadata.deletionTimestamp).toBeDefined()
    expect(world.cloud.deleted).toEqual([])
  })

  test('an instance that the claim was never told of ends with it', async () => {
    const { world, start } = await aLifecycleWorld()
    world.kube.fault = ({ operation, resource }) => {
      const isWritten = operation === 'patch' && resource === 'nodeclaims' && world.cloud.created.length > 0
      if (isWritten && isRefusing) throw new KubeError('ServiceUnavailable', 503, 'down')
    }
    let isRefusing = true
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(5_000)
    isRefusing = false
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(60_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect([world.cloud.created, world.cloud.instances.size]).toEqual([['c1'], 0])
  })

  test('a node that was opened to pods is drained also when its claim could not be told', async () => {
    const { world } = await launched()
    world.kube.fault = ({ operation, resource, name }) => {
      if (operation === 'patch' && resource === 'nodeclaims' && name === 'c1' && isRefusing) {
        throw new KubeError('Forbidden', 403, 'a policy says no')
      }
    }
    let isRefusing = true
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    expect((await world.read(nodes, nodeKey)).metadata.labels?.['karpenter.sh/registered']).toBe('true')
    expect(await conditionIn(world, 'Registered')).not.toMatch(/^True/)
    isRefusing = false
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(20_000)
    expect((await world.read(nodes, nodeKey)).metadata.deletionTimestamp).toBeDefined()
    expect(world.cloud.deleted).toEqual([])
  })

  test('case 133: the node of an unregistered claim is left alone, its instance is not', async () => {
    const { world } = await launched()
    world.cloud.registrationHooks.push({
      name: 'never',
      check: async () => ({ kind: 'pending', requeueAfterMs: 1_000 }),
    })
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(3_000)
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(20_000)
    expect((await world.read(nodes, nodeKey)).metadata.deletionTimestamp).toBeUndefined()
    expect(world.cloud.instances.size).toBe(0)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
  })

  test('a claim that was never launched goes at once', async () => {
    const { world, start } = await aLifecycleWorld()
    world.cloud.failure = new Error('down')
    await world.kube.create(nodeClaims, aClaim())
    await start()
    await world.run(2_000)
    await world.kube.delete(nodeClaims, claimKey)
    await world.run(3_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.counts.observed('karpenter_nodeclaims_instance_termination_duration_seconds')).toEqual([])
  })
})
