import { describe, expect, test } from 'vitest'
import type { Pod, Unsaved } from '../../../../src/api/kubernetes.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, podDisruptionBudgets, pods } from '../../../../src/kube/kinds.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import { aClaim, aNode, aPendingPod, aPod, aPool, ownedBy } from '../../../support/controller-builders.ts'
import { readyLabels, aProvisioningWorld, names } from './provisioning-world.ts'

const nominatedBy = (manager: string) => ({
  managedFields: [{ manager, subresource: 'status', fieldsV1: { 'f:status': { 'f:nominatedNodeName': {} } } }],
})

describe('which pods a pass is about', () => {
  const condition = (reason: string) => ({ conditions: [{ type: 'PodScheduled', reason }] })
  const cases: Record<string, { pod: Unsaved<Pod>; want: boolean }> = {
    'a pod without a place': { pod: aPendingPod('p'), want: true },
    'case 22: one that waits for preemption': {
      pod: aPendingPod('p', { status: { nominatedNodeName: 'n' } }),
      want: false,
    },
    'one that we nominated ourselves for its planned node': {
      pod: aPendingPod('p', { metadata: nominatedBy('karpenter'), status: { nominatedNodeName: 'n' } }),
      want: true,
    },
    'case 22: one that the scheduler nominated after us': {
      pod: aPendingPod('p', { metadata: nominatedBy('kube-scheduler'), status: { nominatedNodeName: 'n' } }),
      want: false,
    },
    'case 22: one the scheduler failed on': {
      pod: aPendingPod('p', { status: condition('SchedulerError') }),
      want: false,
    },
    'case 22: a gated one': { pod: aPendingPod('p', { status: condition('SchedulingGated') }), want: false },
    'case 22: a static one': { pod: aPendingPod('p', { metadata: ownedBy('Node', 'v1') }), want: false },
    'case 22: a daemon': { pod: aPendingPod('p', { metadata: ownedBy('DaemonSet') }), want: false },
    'one that has ended without ever having a node, and that a finalizer keeps': {
      pod: aPendingPod('p', { status: { ...condition('Unschedulable'), phase: 'Failed' } }),
      want: false,
    },
    'case 23: one that is being deleted': {
      pod: aPendingPod('p', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] } }),
      want: true,
    },
  }
  test.each(Object.entries(cases))('%s', async (_name, { pod, want }) => {
    const { kube, requests, start, run } = await aProvisioningWorld()
    await kube.create(pods, pod)
    await start()
    await run(3_000)
    expect(requests.map(({ pending }) => names(pending))).toEqual(want ? [['p']] : [])
  })

  test('case 25: pods that come within one window are one pass', async () => {
    const { kube, clock, requests, start, run } = await aProvisioningWorld()
    await start()
    for (const [at, name] of [
      [0, 'a'],
      [500, 'b'],
      [1_200, 'c'],
    ] as const) {
      clock.schedule(at, () => void kube.create(pods, aPendingPod(name)))
    }
    await run(2_100)
    expect(requests).toEqual([])
    await run(200)
    expect(requests.map(({ pending }) => names(pending))).toEqual([['a', 'b', 'c']])
  })

  test('case 27: no pass while a claim has no instance yet', async () => {
    const { kube, requests, start, run } = await aProvisioningWorld()
    await kube.create(nodeClaims, aClaim())
    await kube.create(pods, aPendingPod('p'))
    await start()
    await run(30_000)
    expect(requests).toEqual([])
    await kube.delete(nodeClaims, { name: 'c1' })
    await run(15_000)
    expect(requests).not.toEqual([])
  })

  test('case 28 and 29: pods of a node on its way out, as far as they can and may move', async () => {
    const { kube, clock, requests, start, run } = await aProvisioningWorld()
    const providerID = 'aws:///us-west-2a/i-1'
    const deleting = { deletionTimestamp: toTimestamp(clock.now()), finalizers: ['hold'] }
    await kube.create(
      nodeClaims,
      aClaim('c1', { metadata: { ...deleting, labels: readyLabels }, status: { providerID } }),
    )
    const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' } as const]
    await kube.create(nodes, aNode('n1', { metadata: { labels: readyLabels }, taints }))
    const on = (name: string, more: Parameters<typeof aPod>[1] = {}) =>
      kube.create(pods, aPod(name, { ...more, spec: { nodeName: 'n1', ...more.spec } }))
    await on('app', { metadata: ownedBy('ReplicaSet') })
    await on('done', { metadata: ownedBy('ReplicaSet'), status: { phase: 'Succeeded' } })
    await on('leaving', { metadata: { ...ownedBy('ReplicaSet'), ...deleting } })
    await on('leaving-stateful', { metadata: { ...ownedBy('StatefulSet'), ...deleting } })
    await on('daemon', { metadata: ownedBy('DaemonSet') })
    const holding = (value: string) => ({ annotations: { 'karpenter.sh/do-not-disrupt': value } })
    await on('held', { metadata: holding('true') })
    await on('was-held', { metadata: holding('5m'), status: { startTime: toTimestamp(clock.now() - 600_000) } })
    await on('never-movable', { metadata: { labels: { app: 'locked' } } })
    await on('movable-later', { metadata: { labels: { app: 'busy' } } })
    await on('two-budgets', { metadata: { labels: { app: 'twice' } } })
    const budget = (name: string, app: string, maxUnavailable: number) =>
      kube.create(podDisruptionBudgets, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name, namespace: 'default' },
        spec: { selector: { matchLabels: { app } }, maxUnavailable },
        status: { disruptionsAllowed: 0 },
      })
    await budget('locked', 'locked', 0)
    await budget('busy', 'busy', 1)
    await budget('twice-a', 'twice', 1)
    await budget('twice-b', 'twice', 1)
    await start()
    await run(3_000)
    expect(names(requests[0]?.displaced)).toEqual(['app', 'leaving-stateful', 'movable-later', 'was-held'])
    expect(requests[0]?.snapshot.nodes[0]?.markedForDeletion).toBe(true)
  })
})

test('a pool that becomes ready, or changes while it is, has its pods planned at once; its status alone has not', async () => {
  const { kube, requests, start, run } = await aProvisioningWorld()
  const ready = (status: 'True' | 'False') => ({
    conditions: [{ type: 'Ready', status, lastTransitionTime: toTimestamp(0) }],
  })
  await kube.create(nodePools, aPool('default', {}, ready('False')))
  await kube.create(pods, aPendingPod('p'))
  await start()
  await run(4_000)
  const passes = async (body: object): Promise<number> => {
    // Just after the pod was looked at, which happens every ten seconds.
    await run(7_000)
    const before = requests.length
    await kube.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
    await run(3_000)
    return requests.length - before
  }
  expect(await passes({ status: ready('True') })).toBe(1)
  expect(await passes({ status: { ...ready('True'), nodes: 1 } })).toBe(0)
  expect(await passes({ metadata: { generation: 2 }, spec: { limits: { cpu: '9' } } })).toBe(1)
  expect(await passes({ status: ready('False') })).toBe(0)
})
