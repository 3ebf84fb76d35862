import { describe, expect, test } from 'vitest'
import { rowOf } from '../../../../src/controllers/event-table.ts'
import { evictionQueue, nodeTermination } from '../../../../src/controllers/node/index.ts'
import { machineLookup } from '../../../../src/controllers/nodeclaim/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { silentLogger } from '../../../../src/kube/logger.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { createEventRecorder } from '../../../../src/kube/event-recorder.ts'
import { events, nodes, pods } from '../../../../src/kube/kinds.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import { compareText } from '../../../../src/model/order.ts'
import { aClaim, aNode, aPod, conditionOf, ownedBy, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import {
  appKey,
  claimKey,
  deletedNode,
  disruptedKey,
  doNotDisrupt,
  finalizers,
  labels,
  nameOf,
  nodeKey,
  providerID,
  untilDisrupted,
} from '../../../support/deleted-node.ts'
import { fixedRandom } from '../../../support/fixed-random.ts'
import { aReconcileContext } from '../../../support/reconcile-context.ts'

/** As the eviction API says it; whoever else refuses gives another cause, or none. */
const budgetRefusal = new KubeError('TooManyRequests', 429, 'Cannot evict pod', {
  details: { causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget app needs 1 healthy pods' }] },
})

describe('draining', () => {
  test('the node is tainted, taken from load balancers, and its claim is deleted with it', async () => {
    const { world } = await deletedNode({ pods: [aPod('a', { metadata: doNotDisrupt })] })
    await world.run(1_000)
    const node = await world.read(nodes, nodeKey)
    expect(node.spec.taints).toEqual([{ key: disruptedKey, effect: 'NoSchedule' }])
    expect(node.metadata.labels).toMatchObject({
      'node.kubernetes.io/exclude-from-external-load-balancers': 'karpenter',
    })
    expect((await world.read(nodeClaims, claimKey)).metadata.deletionTimestamp).toBeDefined()
    expect(world.logged('tainted node')).toMatchObject([{ NodeClaim: { name: 'c1' }, 'taint.Key': disruptedKey }])
  })

  test('a node that its disruption has tainted is taken from load balancers, which is told as well', async () => {
    const taints = [{ key: disruptedKey, effect: 'NoSchedule' as const }]
    const { world } = await deletedNode({ taints, pods: [aPod('a', { metadata: doNotDisrupt })] })
    await world.run(1_000)
    const node = await world.read(nodes, nodeKey)
    expect(node.spec.taints).toEqual(taints)
    expect(node.metadata.labels).toHaveProperty(['node.kubernetes.io/exclude-from-external-load-balancers'])
    expect(world.logged('tainted node')).toHaveLength(1)
  })

  test('a taint that somebody sets at the same moment stays', async () => {
    const { world } = await deletedNode({ pods: [aPod('a', { metadata: doNotDisrupt })] })
    const theirs = { key: 'example.com/hold', effect: 'NoSchedule' as const }
    let isMeanwhile = true
    world.kube.fault = ({ operation, resource }) => {
      if (operation !== 'delete' || resource !== 'nodeclaims' || !isMeanwhile) return
      isMeanwhile = false
      void world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { spec: { taints: [theirs] } } })
    }
    await world.run(5_000)
    const taints = (await world.read(nodes, nodeKey)).spec.taints ?? []
    expect(taints.map(({ key }) => key).toSorted()).toEqual(['example.com/hold', disruptedKey])
    expect(world.logged('Reconciler error')).toEqual([])
  })

  test('a taint of that key with another effect is replaced', async () => {
    const taints = [
      { key: disruptedKey, effect: 'NoExecute' as const },
      { key: 'own', effect: 'NoSchedule' as const },
    ]
    const { world } = await deletedNode({ taints, pods: [aPod('a', { metadata: doNotDisrupt })] })
    await world.run(1_000)
    expect((await world.read(nodes, nodeKey)).spec.taints).toEqual([
      { key: 'own', effect: 'NoSchedule' },
      { key: disruptedKey, effect: 'NoSchedule' },
    ])
  })

  test('a pod that only a cache which lags behind still has is read every ten seconds, and evicted once it is there', async () => {
    const { world } = await deletedNode({ pods: [aPod('a')] })
    let reads = 0
    let isBehind = true
    world.kube.fault = ({ operation, resource }) => {
      if (operation !== 'get' || resource !== 'pods') return
      reads += 1
      if (isBehind) throw new KubeError('NotFound', 404, 'gone')
    }
    await world.run(60_000)
    expect(reads).toBeGreaterThanOrEqual(5)
    expect(reads).toBeLessThanOrEqual(7)
    isBehind = false
    await world.run(12_000)
    expect(world.events('Evicted')).toHaveLength(1)
  })

  test('a pod that a watch has not told of is evicted, and waited for, before the machine goes', async () => {
    const { world } = await deletedNode()
    world.kube.delivers = (event) => event.type === 'BOOKMARK' || event.object.kind !== 'Pod'
    const app = aPod('app', { metadata: { finalizers: ['hold'] } })
    await world.kube.create(pods, { ...app, spec: { ...app.spec, nodeName: 'n1' } })
    await world.run(60_000)
    expect(world.events('Evicted')).toHaveLength(1)
    expect(await world.exists(nodes, nodeKey)).toBe(true)
    const claim = await world.read(nodeClaims, claimKey)
    expect(conditionOf(claim, 'Drained')).toBe('Unknown/Draining/Draining')
    expect(conditionOf(claim, 'InstanceTerminating')).toBeUndefined()
    await world.kube.patch(pods, appKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    await world.run(20_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
  })

  test('case 122: application pods go first, and each tier only after the one before is gone', async () => {
    const critical = { priorityClassName: 'system-cluster-critical' }
    const { world } = await deletedNode({
      pods: [
        aPod('d-critical-daemon', { metadata: ownedBy('DaemonSet'), spec: critical }),
        aPod('c-critical', { spec: critical }),
        aPod('b-daemon', { metadata: ownedBy('DaemonSet') }),
        aPod('a-app'),
        aPod('a-app2'),
      ],
    })
    await world.run(20_000)
    expect(world.events('Evicted')).toHaveLength(5)
    expect(world.recorder.published.filter(({ reason }) => reason === 'Evicted').map(nameOf)).toEqual([
      'a-app',
      'a-app2',
      'b-daemon',
      'c-critical',
      'd-critical-daemon',
    ])
    expect(world.events('Evicted')[0]).toBe('Evicted pod: Forceful Termination')
    expect(world.counts.sum('karpenter_pods_eviction_requests_total', { code: '200' })).toBe(5)
    expect(world.counts.sum('karpenter_pods_drained_total', { reason: 'Forceful Termination' })).toBe(5)
  })

  test('case 122: a pod that has been evicted and is still stopping holds the next tier', async () => {
    const stopping = { finalizers: ['hold'] }
    const { world } = await deletedNode({
      pods: [aPod('app', { metadata: stopping }), aPod('daemon', { metadata: ownedBy('DaemonSet') })],
    })
    await world.run(30_000)
    const evicted = () => world.recorder.published.filter(({ reason }) => reason === 'Evicted').map(nameOf)
    expect(evicted()).toEqual(['app'])
    expect(await world.exists(pods, { namespace: 'default', name: 'app' })).toBe(true)
    await world.kube.patch(pods, appKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    await world.run(2_000)
    expect(evicted()).toEqual(['app', 'daemon'])
  })

  test('a later tier waits while a pod of an earlier one cannot be evicted', async () => {
    const { world, podNames } = await deletedNode({
      pods: [aPod('app', { metadata: doNotDisrupt }), aPod('daemon', { metadata: ownedBy('DaemonSet') })],
    })
    await world.run(600_000)
    expect(await podNames()).toEqual(['app', 'daemon'])
    expect(world.events('FailedDraining')[0]).toBe('Failed to drain node, 2 pods are waiting to be evicted')
    expect(world.kube.calls.filter(({ operation }) => operation === 'evict')).toEqual([])
  })

  test('case 128: a do-not-disrupt pod holds the node until the annotation is gone', async () => {
    const { world } = await deletedNode({ pods: [aPod('app', { metadata: doNotDisrupt })] })
    await world.run(3_600_000)
    expect(await world.exists(nodes, nodeKey)).toBe(true)
    const annotations = { 'karpenter.sh/do-not-disrupt': null }
    await world.kube.patch(pods, appKey, { kind: 'merge', body: { metadata: { annotations } } })
    await world.run(30_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(world.events('Evicted')).toHaveLength(1)
  })

  test('case 128: or until the pod has run to its end', async () => {
    const { world } = await deletedNode({ pods: [aPod('app', { metadata: doNotDisrupt })] })
    await world.run(3_600_000)
    await world.kube.patch(pods, appKey, { kind: 'merge', body: { status: { phase: 'Succeeded' } } })
    await world.run(30_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(world.events('Evicted')).toEqual([])
  })

  test('case 128: or until its protection has lapsed', async () => {
    const annotations = { 'karpenter.sh/do-not-disrupt': '1h' }
    const status = { startTime: '2026-01-01T00:00:00Z' }
    const { world } = await deletedNode({ pods: [aPod('app', { metadata: { annotations }, status })] })
    await world.run(3_599_000)
    expect(await world.exists(nodes, nodeKey)).toBe(true)
    await world.run(30_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(world.events('Evicted')).toHaveLength(1)
  })

  test('pods that tolerate the taint, static pods, and pods stuck in termination are not waited for', async () => {
    const { world } = await deletedNode({
      pods: [
        aPod('tolerates', { spec: { tolerations: [...untilDisrupted] } }),
        aPod('static', { metadata: ownedBy('Node', 'v1') }),
        aPod('stuck', { metadata: { finalizers: ['hold'], deletionTimestamp: '2025-12-31T23:58:59Z' } }),
        aPod('done', { status: { phase: 'Succeeded' } }),
      ],
    })
    await world.run(12_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(world.events('Evicted')).toEqual([])
  })

  test('case 129: an empty node is still watched for five seconds', async () => {
    const { world } = await deletedNode()
    await world.run(4_500)
    expect(conditionOf(await world.read(nodeClaims, claimKey), 'Drained')).toBe('Unknown/Draining/Draining')
    expect(world.cloud.deleted).toEqual([])
    await world.run(5_000)
    expect(conditionOf(await world.read(nodeClaims, claimKey), 'Drained')).toBe('True/Drained/')
    expect(world.counts.sum('karpenter_nodes_drained_total', { nodepool: 'default' })).toBe(1)
  })

  test('an empty node is watched no longer when its drain is said to begin in an hour, as a clock that was ahead wrote', async () => {
    const { world } = await deletedNode()
    const { conditions = [] } = (await world.read(nodeClaims, claimKey)).status ?? {}
    const lastTransitionTime = toTimestamp(world.clock.now() + 3_600_000)
    const draining = { type: 'Drained', status: 'Unknown', reason: 'Draining', message: 'Draining', lastTransitionTime }
    const others = conditions.filter(({ type }) => type !== 'Drained')
    const body = { status: { conditions: [...others, draining] } }
    await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body })
    await world.run(10_000)
    expect(conditionOf(await world.read(nodeClaims, claimKey), 'Drained')).toBe('True/Drained/')
  })

  test('a budget refuses, the node says so, and the eviction is tried again', async () => {
    const { world, podNames } = await deletedNode({ pods: [aPod('app')] })
    let refuse = true
    const at: number[] = []
    world.kube.fault = ({ operation }) => {
      if (operation === 'evict') at.push(world.clock.monotonicMs())
      if (operation === 'evict' && refuse) throw budgetRefusal
    }
    await world.run(60_000)
    expect(world.events('FailedDraining')).toContain(
      'Failed to drain node, evicting pod violates a PDB (Pod=default/app)',
    )
    const tries = world.kube.calls.filter(({ operation }) => operation === 'evict').length
    const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0))
    expect(waits.slice(0, 9)).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
    expect(world.counts.sum('karpenter_pods_eviction_requests_total', { code: '429' })).toBe(tries)
    refuse = false
    await world.run(15_000)
    expect(await podNames()).toEqual([])
  })

  test('an eviction that the API server has no time for is tried again, and no budget is blamed', async () => {
    const { world, podNames } = await deletedNode({ pods: [aPod('app')] })
    let refuse = true
    world.kube.fault = ({ operation }) => {
      if (operation === 'evict' && refuse) throw new KubeError('TooManyRequests', 429, 'too many requests')
    }
    await world.run(60_000)
    const message = 'Failed to drain node, eviction was refused, too many requests (Pod=default/app)'
    expect(world.events('FailedDraining').filter((text) => text.includes('Pod='))).toContain(message)
    expect(world.events('FailedDraining').filter((text) => text.includes('PDB'))).toEqual([])
    expect(rowOf({ reason: 'FailedDraining', type: 'Warning', kind: 'Node', message })).toBeDefined()
    expect(world.counts.sum('karpenter_pods_eviction_requests_total', { code: '429' })).toBeGreaterThan(5)
    expect(world.logged('Reconciler error')).toEqual([])
    refuse = false
    await world.run(15_000)
    expect(await podNames()).toEqual([])
  })

  test.each([
    ['evict', 'pods', 'eviction was refused, denied by policy (Pod=default/app)'],
    ['patch', 'nodes', 'tainting it was refused, denied by policy'],
  ])('what a policy refuses of a drain is told on the node, and logged: %s of %s', async (refused, kind, why) => {
    const { world, podNames } = await deletedNode({ pods: [aPod('app')] })
    let isRefusing = true
    world.kube.fault = ({ operation, resource }) => {
      if (isRefusing && operation === refused && resource === kind) {
        throw new KubeError('Forbidden', 403, 'denied by policy')
      }
    }
    await world.run(30_000)
    const message = `Failed to drain node, ${why}`
    expect(world.events('FailedDraining')).toContain(message)
    expect(rowOf({ reason: 'FailedDraining', type: 'Warning', kind: 'Node', message })).toBeDefined()
    expect(world.logged('Reconciler error').length).toBeGreaterThan(0)
    isRefusing = false
    await world.run(30_000)
    expect(await podNames()).toEqual([])
  })

  test('a forced deletion that a policy refuses is told on the node, and tried again', async () => {
    const { world, podNames } = await deletedNode({
      pods: [aPod('app', { metadata: doNotDisrupt })],
      terminationInSeconds: 10,
    })
    let isRefusing = true
    world.kube.fault = ({ operation, resource }) => {
      if (isRefusing && operation === 'delete' && resource === 'pods') {
        throw new KubeError('Forbidden', 403, 'denied by policy')
      }
    }
    await world.run(60_000)
    const message = 'Failed to drain node, deletion was refused, denied by policy (Pod=default/app)'
    expect(world.events('FailedDraining')).toContain(message)
    expect(rowOf({ reason: 'FailedDraining', type: 'Warning', kind: 'Node', message })).toBeDefined()
    expect(world.events('Disrupted')).toEqual([])
    isRefusing = false
    await world.run(30_000)
    expect(await podNames()).toEqual([])
  })

  test('why a pod stays is told beside how many there are', async () => {
    const { world } = await deletedNode({ pods: [aPod('app')] })
    const recorder = createEventRecorder({ ...world, client: world.kube, random: fixedRandom() })
    world.kube.fault = ({ operation }) => {
      if (operation === 'evict') throw budgetRefusal
    }
    await world.run(60_000)
    recorder.publish(...world.recorder.published)
    await recorder.flush()
    const told = (await world.kube.list(events)).items.filter(({ reason }) => reason === 'FailedDraining')
    expect(told.map(({ message = '' }) => message).toSorted(compareText)).toEqual([
      'Failed to drain node, 1 pods are waiting to be evicted',
      'Failed to drain node, evicting pod violates a PDB (Pod=default/app)',
    ])
  })

  test('several budgets over one pod are reported as such', async () => {
    const { world } = await deletedNode({ pods: [aPod('app')] })
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    world.kube.fault = ({ operation }) => {
      if (operation === 'evict') throw new KubeError('InternalError', 500, message)
    }
    await world.run(5_000)
    expect(
      world.events('FailedDraining').some((text) => text.includes('eviction does not support multiple PDBs')),
    ).toBe(true)
  })

  test('case 132: an entry for an old pod does not evict the new one of the same name', async () => {
    const world = aControllerWorld()
    await world.kube.create(pods, aPod('web', { metadata: { namespace: 'default', name: 'web', uid: 'new' } }))
    const queue = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
    await world.start(queue.controller)
    queue.add({ namespace: 'default', name: 'web', uid: 'old' }, undefined)
    await world.run(5_000)
    expect(world.kube.calls.filter(({ operation }) => operation === 'evict')).toEqual([])
    expect(queue.has({ namespace: 'default', name: 'web', uid: 'old' })).toBe(false)
  })

  test('the reason of an eviction is the reason of the disruption', async () => {
    const { world } = await deletedNode({ pods: [aPod('app')] })
    const condition = { ...trueCondition('DisruptionReason'), reason: 'Drifted', message: 'Drifted' }
    await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { status: { conditions: [condition] } } })
    await world.run(5_000)
    expect(world.events('Evicted')).toEqual(['Evicted pod: Drifted'])
  })
})

describe('the instance', () => {
  test('the node stays until the cloud says that the instance is gone', async () => {
    const { world } = await deletedNode({ terminationMs: 60_000 })
    await world.run(50_000)
    expect(conditionOf(await world.read(nodeClaims, claimKey), 'InstanceTerminating')).toBe('True/InstanceTerminating/')
    expect(await world.exists(nodes, nodeKey)).toBe(true)
    await world.run(30_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(world.logged('deleted node')).toHaveLength(1)
    expect(world.counts.sum('karpenter_nodes_terminated_total', { nodepool: 'default' })).toBe(1)
    expect(world.counts.sum('karpenter_nodes_drained_total', { nodepool: 'default' })).toBe(1)
    expect(world.counts.observed('karpenter_nodes_termination_duration_seconds')).toHaveLength(1)
  })

  test.each([
    ['case 130: unready and without an instance the node goes at once', 'False', 1_000],
    ['case 130: ready and without an instance it is drained all the same', 'True', 12_000],
  ] as const)('%s', async (_name, ready, goneAfterMs) => {
    const { world, podNames } = await deletedNode({ ready, instance: 'gone', pods: [aPod('app')] })
    await world.run(goneAfterMs)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(await podNames()).toEqual(ready === 'True' ? [] : ['app'])
  })

  test('that cannot be ended keeps the node, which says so in the log, until it can', async () => {
    const { world } = await deletedNode()
    const end = world.cloud.delete.bind(world.cloud)
    world.cloud.delete = () => Promise.reject(new Error('zonal shift'))
    await world.run(60_000)
    expect(await world.exists(nodes, nodeKey)).toBe(true)
    expect(world.logged('Reconciler error')[0]).toMatchObject({ err: { message: 'zonal shift' } })
    expect(conditionOf(await world.read(nodeClaims, claimKey), 'Drained')).toBe('True/Drained/')
    world.cloud.delete = end
    await world.run(30_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
  })

  test('what others write while its end is asked for stays, on the node and on its claim', async () => {
    const { world } = await deletedNode({ terminationMs: 1_000 })
    const end = world.cloud.delete.bind(world.cloud)
    let asked = 0
    world.cloud.delete = async (claim) => {
      asked += 1
      if (asked === 1) {
        const conditions = [...(claim.status?.conditions ?? []), trueCondition('Theirs')]
        await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { status: { conditions } } })
      }
      if (world.cloud.instances.size === 0) {
        const metadata = { finalizers: [...finalizers, 'example.com/late'] }
        await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { metadata } })
      }
      await end(claim)
    }
    await world.run(30_000)
    expect((await world.read(nodes, nodeKey)).metadata.finalizers).toEqual(['example.com/late'])
    expect(conditionOf(await world.read(nodeClaims, claimKey), 'Theirs')).toBe('True/Theirs/')
  })

  test('of an unready node that cannot be asked for keeps it as well', async () => {
    const { world, podNames } = await deletedNode({ ready: 'False', pods: [aPod('app', { metadata: doNotDisrupt })] })
    const { get } = world.cloud
    world.cloud.get = () => Promise.reject(new Error('Request limit exceeded'))
    await world.run(60_000)
    expect(await world.exists(nodes, nodeKey)).toBe(true)
    world.cloud.get = get
    await world.run(60_000)
    expect([await world.exists(nodes, nodeKey), await podNames()]).toEqual([true, ['app']])
  })

  test('an unready node that names none is drained before it goes', async () => {
    const world = aControllerWorld()
    await world.kube.create(nodes, aNode('n1', { metadata: { finalizers, labels }, providerID: '', ready: 'False' }))
    await world.kube.create(pods, aPod('app', { metadata: doNotDisrupt, spec: { nodeName: 'n1' } }))
    const queue = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
    await world.start(queue.controller, nodeTermination({ ...world, evictions: queue }))
    await world.kube.delete(nodes, nodeKey)
    await world.run(60_000)
    expect(await world.exists(nodes, nodeKey)).toBe(true)
  })

  test('the node goes also when its claim has been taken away meanwhile, and the watch has not told of it', async () => {
    const { world } = await deletedNode()
    await world.run(1_000)
    world.kube.delivers = (event) => event.type !== 'BOOKMARK' && event.object.kind !== 'NodeClaim'
    await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    await world.run(60_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(world.cloud.instances.size).toBe(0)
  })

  test('an unmanaged claim is as good as none: it keeps its instance and is not written to', async () => {
    const { world } = await deletedNode({
      claim: { nodeClassRef: { group: '', kind: 'EC2NodeClass', name: 'default' } },
    })
    const before = await world.read(nodeClaims, claimKey)
    await world.run(30_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(await world.read(nodeClaims, claimKey)).toEqual(before)
    expect(world.cloud.deleted).toEqual([])
  })

  test('a node whose claim the watch has not told of stays until it does, and then goes with its instance', async () => {
    const { world } = await deletedNode({ claim: 'none' })
    world.kube.delivers = (event) => event.type === 'BOOKMARK' || event.object.kind !== 'NodeClaim'
    const conditions = [trueCondition('Launched'), trueCondition('Registered')]
    const claim = aClaim('c1', { metadata: { finalizers, labels }, status: { providerID, conditions } })
    const { uid } = (await world.kube.create(nodeClaims, claim)).metadata
    const ownerReferences = [{ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'c1', uid }]
    await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { metadata: { ownerReferences } } })
    await world.run(60_000)
    expect(await world.exists(nodes, nodeKey)).toBe(true)
    world.kube.delivers = () => true
    await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata: { annotations: { a: 'b' } } } })
    await world.run(60_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect((await world.read(nodeClaims, claimKey)).metadata.deletionTimestamp).toBeDefined()
    expect(world.cloud.deleted).not.toEqual([])
  })

  test('a node whose owner stands for another machine by now does not wait for it', async () => {
    const { world } = await deletedNode({ claim: 'none' })
    const conditions = [trueCondition('Launched'), trueCondition('Registered')]
    const status = { providerID: 'aws:///us-west-2a/i-other', conditions }
    const { uid } = (await world.kube.create(nodeClaims, aClaim('c1', { metadata: { labels }, status }))).metadata
    const ownerReferences = [{ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'c1', uid }]
    await world.kube.patch(nodes, nodeKey, { kind: 'merge', body: { metadata: { ownerReferences } } })
    await world.run(60_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(world.cloud.deleted).toEqual([])
    expect((await world.read(nodeClaims, claimKey)).metadata.deletionTimestamp).toBeUndefined()
  })

  test('a node whose claim may not be written is drained and goes with its instance, and the refusal is told', async () => {
    const { world, podNames } = await deletedNode({ pods: [aPod('app')] })
    world.kube.fault = ({ operation, resource }) => {
      if (operation === 'patch' && resource === 'nodeclaims') throw new KubeError('Invalid', 422, 'spec: Invalid value')
    }
    await world.run(60_000)
    expect(await podNames()).toEqual([])
    expect(world.cloud.deleted).not.toEqual([])
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(world.logged('Reconciler error')[0]).toMatchObject({ err: { message: 'spec: Invalid value' } })
  })

  test('without a claim the node is drained and let go, and no instance is ended', async () => {
    const { world, podNames } = await deletedNode({ claim: 'none', pods: [aPod('app')] })
    await world.run(5_000)
    expect(await podNames()).toEqual([])
    expect(await world.exists(nodes, nodeKey)).toBe(false)
    expect(world.cloud.deleted).toEqual([])
  })
})

test('a node from before the NodeClass label existed is drained for the sake of its claim', async () => {
  const world = aControllerWorld()
  await world.kube.create(nodeClaims, aClaim('c1', { metadata: { finalizers }, status: { providerID } }))
  const creationTimestamp = '2025-12-31T23:00:00Z'
  await world.kube.create(nodes, aNode('n1', { metadata: { finalizers, creationTimestamp } }))
  const queue = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
  await world.start(queue.controller, nodeTermination({ ...world, evictions: queue }))
  await world.kube.delete(nodes, nodeKey)
  await world.run(20_000)
  expect(await world.exists(nodes, nodeKey)).toBe(false)
  expect(world.counts.sum('karpenter_nodes_lifetime_duration_seconds')).toBeGreaterThanOrEqual(3_600)
  expect(world.counts.sum('karpenter_nodes_termination_duration_seconds')).toBeLessThan(20)
  expect((await world.read(nodeClaims, claimKey)).metadata.deletionTimestamp).toBeDefined()
})

test('nodes that nobody of ours manages are left alone', async () => {
  const world = aControllerWorld()
  await world.kube.create(nodes, aNode('n1', { metadata: { finalizers } }))
  const queue = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
  await world.start(queue.controller, nodeTermination({ ...world, evictions: queue }))
  await world.kube.delete(nodes, nodeKey)
  await world.run(20_000)
  expect((await world.read(nodes, nodeKey)).spec.taints).toBeUndefined()
})

test('a node that was asked about late, and is alive or gone, is left alone', async () => {
  const world = aControllerWorld()
  await world.kube.create(nodes, aNode('n1', { metadata: { finalizers, labels } }))
  const queue = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
  const controller = nodeTermination({ ...world, evictions: queue })
  await world.start(controller)
  const context = aReconcileContext(silentLogger)
  for (const name of ['n1', 'gone']) expect(await controller.reconcile({ name }, context)).toEqual({ kind: 'done' })
  expect((await world.read(nodes, nodeKey)).spec.taints).toBeUndefined()
})

test('a pod that has run to its end leaves the eviction queue', async () => {
  const { world, queue } = await deletedNode()
  await world.kube.create(pods, { ...aPod('ended'), status: { phase: 'Succeeded' } })
  const { metadata } = await world.read(pods, { namespace: 'default', name: 'ended' })
  const pod = { namespace: 'default', name: 'ended', uid: metadata.uid }
  queue.add(pod, undefined)
  await world.run(5_000)
  expect(queue.has(pod)).toBe(false)
})

describe('a node is left alone', () => {
  const cases: Record<string, { finalizers?: string[]; labels?: Record<string, string>; deleted: boolean }> = {
    'while nobody has deleted it': { finalizers, labels, deleted: false },
    'when it waits for somebody else': { finalizers: ['example.com/theirs'], labels, deleted: true },
  }
  test.each(Object.entries(cases))('%s', async (_name, { deleted, ...metadata }) => {
    const world = aControllerWorld()
    await world.kube.create(nodeClaims, aClaim('c1', { metadata: { finalizers, labels }, status: { providerID } }))
    await world.kube.create(nodes, aNode('n1', { metadata }))
    const queue = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
    await world.start(queue.controller, nodeTermination({ ...world, evictions: queue }))
    if (deleted) await world.kube.delete(nodes, nodeKey)
    await world.run(60_000)
    const node = await world.read(nodes, nodeKey)
    expect(node.spec.taints ?? []).toEqual([])
    expect(node.metadata.finalizers).toEqual(metadata.finalizers)
    expect((await world.read(nodeClaims, claimKey)).metadata.deletionTimestamp).toBeUndefined()
  })
})
