import { describe, expect, test } from 'vitest'
import type { KubeObject, Pod } from '../../../../src/api/kubernetes.ts'
import { ClusterState } from '../../../../src/cluster/index.ts'
import { nominations, Promises } from '../../../../src/controllers/provisioning/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { ObservingError } from '../../../../src/kube/fenced-client.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import { isProvisionable } from '../../../../src/model/pod.ts'
import { toPodInfo } from '../../../../src/model/to-pod-info.ts'
import { aClaim, aNode, aPendingPod } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

const providerID = 'aws:///us-west-2a/i-1'
const ours = (manager: string) => ({
  managedFields: [{ manager, subresource: 'status', fieldsV1: { 'f:status': { 'f:nominatedNodeName': {} } } }],
})

/** A claim `c1` whose node `n1` has yet to come, and a pod `p`. */
async function aNominationWorld(pod: Parameters<typeof aPendingPod>[1] = {}, nodeIsThere = false) {
  const world = aControllerWorld()
  const { kube, clock } = world
  // What is written here is written by the operator; what tests create is not touched.
  kube.keeps = (object: KubeObject) => {
    const { status } = object as Pod
    if (object.kind !== 'Pod' || (status?.nominatedNodeName ?? '') === '') return object
    return { ...object, metadata: { ...object.metadata, ...ours('karpenter') } }
  }
  const cluster = new ClusterState({
    ...world,
    instanceTypes: () => Promise.resolve({ kind: 'resolved', types: [] }),
    nominationMs: 20_000,
    evictionCost: () => 1,
  })
  const promises = new Promises()
  const nominating = nominations({ ...world, cluster, promises })
  await kube.create(nodeClaims, aClaim('c1', { status: { providerID } }))
  if (nodeIsThere) await kube.create(nodes, aNode('n1'))
  await kube.create(pods, aPendingPod('p', pod))
  await world.start(nominating.controller)
  return {
    ...world,
    cluster,
    nominating,
    promise: async () => promises.onClaim([toPodInfo(await kube.get(pods, key))], 'c1'),
    nodeComes: (more: Parameters<typeof aNode>[1] = {}) => kube.create(nodes, aNode('n1', more)),
    initialized: async () => {
      const conditions = [
        { type: 'Initialized', status: 'True', reason: 'Initialized', lastTransitionTime: toTimestamp(clock.now()) },
      ]
      await kube.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { status: { conditions } } })
    },
    nomination: async () => (await kube.get(pods, key)).status?.nominatedNodeName ?? '',
    clear: () => kube.patch(pods, key, { kind: 'merge', body: { status: { nominatedNodeName: null } } }),
    writes: () => kube.calls.filter(({ operation, resource }) => operation === 'patch' && resource === 'pods').length,
  }
}

const key = { namespace: 'default', name: 'p' }

describe('a pod that was promised a place', () => {
  test('is nominated for the node of its claim before that takes pods', async () => {
    const { promise, nodeComes, run, nominating, nomination } = await aNominationWorld()
    await promise()
    await run(1_000)
    expect(await nomination()).toBe('')
    await nodeComes({ ready: 'False' })
    await run(0)
    await nominating.announce('c1')
    expect(await nomination()).toBe('n1')
  })

  test('is nominated at once when the node is there already', async () => {
    const { promise, nodeComes, run, nomination } = await aNominationWorld()
    await nodeComes()
    await run(0)
    await promise()
    await run(100)
    expect(await nomination()).toBe('n1')
  })

  test('is nominated again when the scheduler cleared it, and no more when the node has been initialized for a while', async () => {
    const { promise, nodeComes, run, nomination, clear, initialized } = await aNominationWorld()
    await nodeComes()
    await run(0)
    await promise()
    await run(100)
    await clear()
    await run(1_000)
    expect(await nomination()).toBe('n1')
    await initialized()
    await run(110_000)
    expect(await nomination()).toBe('n1')
    await run(60_000)
    expect(await nomination()).toBe('')
    await clear()
    await run(1_000)
    expect(await nomination()).toBe('')
  })

  test.each([5 * 60_000, -5 * 60_000])('is held as long as ever by a clock that is set by %i ms', async (setMs) => {
    const { promise, nodeComes, run, nomination, initialized, clock } = await aNominationWorld()
    await nodeComes()
    await promise()
    await initialized()
    await run(30_000)
    clock.jump(setMs)
    await run(60_000)
    expect(await nomination()).toBe('n1')
    await run(90_000)
    expect(await nomination()).toBe('')
  })

  test('is not nominated again and again while the scheduler tries it in vain, but at once when its node comes into service', async () => {
    const { promise, nodeComes, run, nomination, clear, writes, nominating } = await aNominationWorld()
    await nodeComes({ ready: 'False' })
    await run(0)
    await promise()
    for (let tries = 0; tries < 300; tries += 1) {
      await run(10)
      if ((await nomination()) !== '') await clear()
    }
    // The test's own count, too.
    const cleared = writes() / 2
    expect(cleared).toBeGreaterThanOrEqual(2)
    expect(cleared).toBeLessThanOrEqual(4)
    expect(await nomination()).toBe('')
    await nominating.announce('c1')
    expect(await nomination()).toBe('n1')
  })

  test('is let go when the node goes', async () => {
    const { kube, promise, nodeComes, run, nomination } = await aNominationWorld()
    await nodeComes()
    await run(0)
    await promise()
    await run(100)
    expect(await nomination()).toBe('n1')
    await kube.delete(nodes, { name: 'n1' })
    await run(100)
    expect(await nomination()).toBe('')
  })

  test('keeps the nomination that the scheduler wrote: it preempts', async () => {
    const { promise, nodeComes, run, nomination, writes } = await aNominationWorld({
      metadata: ours('kube-scheduler'),
      status: { nominatedNodeName: 'elsewhere' },
    })
    await nodeComes()
    await run(0)
    await promise()
    await run(60_000)
    expect(await nomination()).toBe('elsewhere')
    expect(writes()).toBe(0)
  })

  test('is left alone once it is bound', async () => {
    const { promise, nodeComes, run, writes } = await aNominationWorld({ spec: { nodeName: 'other' } })
    await nodeComes()
    await run(0)
    await promise()
    await run(1_000)
    expect(writes()).toBe(0)
  })
})

describe('after a restart', () => {
  const before = { metadata: ours('karpenter'), status: { nominatedNodeName: 'n1' } }

  test('a nomination of ours stands for the promise', async () => {
    const { kube, run, nomination, cluster } = await aNominationWorld(before, true)
    await run(60_000)
    expect(await nomination()).toBe('n1')
    const pod = toPodInfo(await kube.get(pods, key))
    expect(isProvisionable(pod)).toBe(true)
    expect(new Promises().keep([pod], cluster.snapshot())).toEqual(new Map([[pod.uid, providerID]]))
  })

  test('it is taken back when its node is gone', async () => {
    const { run, nomination } = await aNominationWorld(before)
    await run(100)
    expect(await nomination()).toBe('')
  })
})

test('without the right it says so once, and nobody waits for it', async () => {
  const { kube, promise, nodeComes, run, nominating, nomination, logged, writes } = await aNominationWorld()
  kube.fault = ({ operation, resource }) => {
    if (operation === 'patch' && resource === 'pods') throw new KubeError('Forbidden', 403, 'no')
  }
  await nodeComes()
  await run(0)
  await promise()
  await run(100)
  await nominating.announce('c1')
  await run(300_000)
  expect(await nomination()).toBe('')
  expect(writes()).toBe(1)
  expect(
    logged('nominating pods is not permitted: grant patch on pods/status or set --nominate-pods=false'),
  ).toHaveLength(1)
})

test('an observer does not call it an error that it nominates nobody', async () => {
  const { kube, promise, nodeComes, run, nominating, logged } = await aNominationWorld()
  kube.fault = ({ operation, resource }) => {
    if (operation === 'patch' && resource === 'pods') throw new ObservingError('patch pods')
  }
  await nodeComes()
  await run(0)
  await promise()
  await nominating.announce('c1')
  expect(logged('nominating pods failed')).toEqual([])
})
