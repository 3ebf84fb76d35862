import { describe, expect, test, vi } from 'vitest'
import type { ProvisionerDeps } from '../../../../src/controllers/provisioning/provisioner.ts'
import type { ProvisioningSolveRequest, SolveOutcome } from '../../../../src/controllers/provisioning/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import type { PodInfo } from '../../../../src/model/pod.ts'
import { virtualPods } from '../../../../src/scheduling/capacity-buffer.ts'
import { aClaim, aNode, aPendingPod, aPool } from '../../../support/controller-builders.ts'
import { solved } from '../../../support/solve-outcomes.ts'
import { readyLabels, planned, aProvisioningWorld, allIgnored, names } from './provisioning-world.ts'
import { aReconcileContext } from '../../../support/reconcile-context.ts'

describe('what a pass writes', () => {
  test('pods whose nodes were smaller than promised ask the solver for more, and all others are told of the pods as they are', async () => {
    const launched: PodInfo[] = []
    const vain: ProvisionerDeps['vain'] = {
      observe: () => [],
      judge: () => [],
      judgeStandIns: () => [],
      held: () => new Map(),
      launched: (_claim, _pool, podsOfClaim) => void launched.push(...podsOfClaim),
      shortfalls: (all) =>
        new Map(all.filter(({ name }) => name === 'big').map(({ uid }) => [uid, new Map([['memory', 1_100]])])),
    }
    const answer = ({ pending }: ProvisioningSolveRequest): SolveOutcome => solved({ claims: [planned(pending)] })
    const { kube, requests, start, run } = await aProvisioningWorld(answer, { vain })
    await kube.create(nodePools, aPool())
    const resources = { requests: { memory: '10Gi' } }
    for (const name of ['big', 'small'])
      await kube.create(pods, aPendingPod(name, { spec: { containers: [{ name: 'app', image: 'app', resources }] } }))
    await start()
    await run(3_000)
    const memory = (list: readonly PodInfo[] = []): readonly string[] =>
      list.map(({ name, requests: asked }) => `${name} ${asked.get('memory')?.toString()}`)
    expect(memory(requests[0]?.pending)).toEqual(['big 11Gi', 'small 10Gi'])
    expect(memory(launched)).toEqual(['big 10Gi', 'small 10Gi'])
  })

  test('a stand-in without a place has its event, as a pod would', async () => {
    const [standIn] = virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, { spec: { containers: [] } }, 1)
    if (standIn === undefined) throw new Error('no stand-in')
    const { kube, batcher, start, run, events } = await aProvisioningWorld(
      () => solved({ failed: [{ pod: standIn, error: 'no room', kind: 'unschedulable' }] }),
      { buffers: { virtualPods: () => [standIn], observePass: () => undefined } },
    )
    await kube.create(nodePools, aPool())
    await start()
    batcher.trigger('u')
    await run(2_500)
    expect(events('FailedScheduling')).toEqual(['Failed to schedule pod, no room'])
  })

  test('passes that fail before they write give back what they were admitted', async () => {
    const failing = ({ pending }: ProvisioningSolveRequest) =>
      solved({
        claims: pending.length === 0 ? [] : [planned(pending)],
        failed: pending.map((pod) => ({ pod, error: 'x', kind: 'unschedulable' as const })),
      })
    const { kube, batcher, recorder, start, run } = await aProvisioningWorld(failing)
    const publish = recorder.publish.bind(recorder)
    recorder.publish = () => {
      throw new RangeError('cannot be told')
    }
    await kube.create(nodePools, aPool())
    await kube.create(pods, aPendingPod('a'))
    await start()
    for (let pass = 0; pass < 100; pass += 1) {
      batcher.trigger(`pass-${pass}`)
      await run(11_000)
    }
    expect((await kube.list(nodeClaims)).items).toHaveLength(0)
    recorder.publish = publish
    batcher.trigger('last')
    await run(11_000)
    expect((await kube.list(nodeClaims)).items.length).toBeGreaterThan(0)
  })

  test('stand-ins of a buffer are named as what the claim is for', async () => {
    const standIns = virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, { spec: { containers: [] } }, 1)
    const { kube, batcher, start, run, logged, events } = await aProvisioningWorld(
      ({ virtual }) => solved({ claims: [planned(virtual)] }),
      { buffers: { virtualPods: () => standIns, observePass: () => undefined } },
    )
    await kube.create(nodePools, aPool())
    await start()
    batcher.trigger('u')
    await run(2_500)
    expect(logged('found provisionable pod(s)')).toMatchObject([{ Pods: 'shop/capacity-buffer-spare-1' }])
    expect((await kube.list(nodeClaims)).items).toHaveLength(1)
    expect(events('Nominated')).toEqual([])
  })

  test('a claim for the pods that need one, with its log lines, events and counters', async () => {
    const { kube, start, run, logged, events, counts } = await aProvisioningWorld(({ pending }) =>
      solved({ claims: pending.length === 0 ? [] : [planned(pending)] }),
    )
    await kube.create(nodePools, aPool())
    await kube.create(pods, aPendingPod('a'))
    await kube.create(pods, aPendingPod('b'))
    await start()
    await run(2_500)
    const claims = (await kube.list(nodeClaims)).items
    expect(claims).toHaveLength(1)
    const name = claims[0]?.metadata.name
    expect(logged('found provisionable pod(s)')).toMatchObject([{ Pods: 'default/a, default/b' }])
    expect(logged('computed new nodeclaim(s) to fit pod(s)')).toMatchObject([{ nodeclaims: 1, pods: 2 }])
    expect(logged('created nodeclaim')).toMatchObject([
      {
        NodePool: { name: 'default' },
        NodeClaim: { name },
        requests: { cpu: '1', pods: '2' },
        'instance-types': 'a, b, c, d, e and 2 other(s)',
      },
    ])
    expect(events('Nominated')).toEqual([
      `Pod should schedule on: nodeclaim/${name}`,
      `Pod should schedule on: nodeclaim/${name}`,
    ])
    const labels = { reason: 'provisioned', nodepool: 'default', min_values_relaxed: 'false' }
    expect(counts.sum('karpenter_nodeclaims_created_total', labels)).toBe(1)
    expect(counts.observed('karpenter_pods_scheduling_decision_duration_seconds')).toEqual([1, 1])
  })

  test('the next pass knows which place the one before found for a pod, on a new node or on one that is there', async () => {
    const there = 'aws:///us-west-2a/i-1'
    const { kube, requests, start, run } = await aProvisioningWorld(({ pending }) =>
      requests.length > 1
        ? solved()
        : solved({
            claims: [planned(pending.filter(({ name }) => name === 'new'))],
            existing: [{ key: there, pods: pending.filter(({ name }) => name === 'old') }],
          }),
    )
    await kube.create(nodePools, aPool())
    await kube.create(nodeClaims, aClaim('x', { status: { providerID: there } }))
    for (const name of ['new', 'old']) await kube.create(pods, aPendingPod(name))
    await start()
    await run(2_500)
    const created = (await kube.list(nodeClaims)).items.find(({ metadata }) => metadata.name !== 'x')
    const body = { status: { providerID: 'aws:///us-west-2a/i-2' } }
    await kube.patch(nodeClaims, { name: created?.metadata.name ?? '' }, { kind: 'merge', body })
    await run(12_000)
    const [first, second] = requests
    expect(first?.promised.size).toBe(0)
    expect(second?.pending.map(({ name, uid }) => [name, second.promised.get(uid)])).toEqual([
      ['new', 'aws:///us-west-2a/i-2'],
      ['old', there],
    ])
  })

  test('a claim that was written holds up further passes before any watch tells of it', async () => {
    const { kube, cluster, requests, start, run } = await aProvisioningWorld(({ pending }) =>
      solved({ claims: [planned(pending)] }),
    )
    kube.delivers = (event) => event.type === 'BOOKMARK' || event.object.kind !== 'NodeClaim'
    await kube.create(nodePools, aPool())
    await kube.create(pods, aPendingPod('p'))
    await start()
    await run(2_500)
    const [claim] = (await kube.list(nodeClaims)).items
    expect(cluster.unlaunched.names).toEqual([claim?.metadata.name])
    await run(60_000)
    expect(requests).toHaveLength(1)
    expect((await kube.list(nodeClaims)).items).toHaveLength(1)
  })

  test('case 32: pods on capacity that is on its way are told where, and the node is protected', async () => {
    const providerID = 'aws:///us-west-2a/i-1'
    const { kube, cluster, start, run, events, logged } = await aProvisioningWorld(({ pending }) =>
      solved({ existing: [{ key: providerID, pods: pending }] }),
    )
    await kube.create(nodeClaims, aClaim('x', { status: { providerID } }))
    await kube.create(pods, aPendingPod('p'))
    await start()
    await run(2_500)
    expect(events('Nominated')).toEqual(['Pod should schedule on: nodeclaim/x'])
    expect(cluster.isNominated(providerID)).toBe(true)
    expect(logged('computed unready node(s) will fit pod(s)')).toEqual([])
    await run(8_000)
    expect((await kube.list(nodeClaims)).items).toHaveLength(1)
  })

  test('a ready node that kube-scheduler refuses is protected for an hour, and the pod is told why after five minutes', async () => {
    const providerID = 'aws:///us-west-2a/i-1'
    const { kube, cluster, start, run, events } = await aProvisioningWorld(({ pending }) =>
      solved({ existing: [{ key: providerID, pods: pending }] }),
    )
    await kube.create(nodeClaims, aClaim('x', { status: { providerID } }))
    await kube.create(nodes, aNode('n1', { metadata: { labels: readyLabels } }))
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' } as const
    const conditions = [{ ...condition, message: '0/1 nodes are available' }]
    await kube.create(pods, aPendingPod('p', { status: { conditions } }))
    await start()
    await run(280_000)
    expect(events('PlannedNodeRefused')).toEqual([])
    await run(60_000)
    expect([...new Set(events('PlannedNodeRefused'))]).toEqual([
      'Node n1 is ready and was planned for the pod, but kube-scheduler does not place it there: 0/1 nodes are available',
    ])
    await run(54 * 60_000)
    expect(cluster.isNominated(providerID)).toBe(true)
    await run(2 * 60_000)
    expect(cluster.isNominated(providerID)).toBe(false)
  })

  test('a registered node is named beside its claim', async () => {
    const providerID = 'aws:///us-west-2a/i-1'
    const { kube, start, run, events } = await aProvisioningWorld(({ pending }) =>
      solved({ existing: [{ key: providerID, pods: pending }] }),
    )
    await kube.create(nodeClaims, aClaim('x', { status: { providerID } }))
    await kube.create(nodes, aNode('n1', { metadata: { labels: readyLabels } }))
    await kube.create(pods, aPendingPod('p'))
    await start()
    await run(2_500)
    expect(events('Nominated')).toEqual(['Pod should schedule on: nodeclaim/x, node/n1'])
  })

  test('case 24: a pod that fails validation gets an event, one that keeps away on purpose does not', async () => {
    const { kube, start, run, events, counts } = await aProvisioningWorld(undefined, { ignored: allIgnored })
    await kube.create(pods, aPendingPod('bad'))
    await kube.create(pods, aPendingPod('elsewhere'))
    await start()
    await run(2_500)
    expect(events('FailedScheduling')).toEqual(['Failed to schedule pod, no bad'])
    expect(counts.sum('karpenter_scheduler_ignored_pods_count')).toBe(2)
  })

  test('where only ignored pods wait nothing is solved, and once they are gone none is counted', async () => {
    const { kube, requests, start, run, counts, logged } = await aProvisioningWorld(undefined, { ignored: allIgnored })
    await kube.create(pods, aPendingPod('bad'))
    await start()
    await run(25_000)
    expect(requests).toEqual([])
    expect(counts.observed('karpenter_scheduler_scheduling_duration_seconds')).toEqual([])
    expect(logged('computing scheduling decision for provisionable pod(s)')).toEqual([])
    expect(counts.sum('karpenter_scheduler_ignored_pods_count')).toBe(1)
    await kube.delete(pods, { namespace: 'default', name: 'bad' })
    await run(20_000)
    expect(counts.sum('karpenter_scheduler_ignored_pods_count')).toBe(0)
  })

  test('once the last pod without a place is gone none is counted', async () => {
    const { kube, start, run, counts } = await aProvisioningWorld(({ pending }) =>
      solved({ failed: pending.map((pod) => ({ pod, error: 'no room', kind: 'unschedulable' })) }),
    )
    const unplaced = () => counts.sum('karpenter_scheduler_unschedulable_pods_count')
    await kube.create(pods, aPendingPod('large'))
    await kube.create(pods, aPendingPod('larger'))
    await start()
    await run(25_000)
    expect(unplaced()).toBe(2)
    await kube.delete(pods, { namespace: 'default', name: 'large' })
    await run(20_000)
    expect(unplaced()).toBe(1)
    await kube.delete(pods, { namespace: 'default', name: 'larger' })
    await run(20_000)
    expect(unplaced()).toBe(0)
  })

  test('ignored pods are neither planned nor counted as pending', async () => {
    const { kube, requests, start, run, logged } = await aProvisioningWorld(undefined, {
      ignored: (pending, snapshot) =>
        allIgnored(
          pending.filter(({ name }) => name === 'bad'),
          snapshot,
        ),
    })
    await kube.create(pods, aPendingPod('bad'))
    await kube.create(pods, aPendingPod('good'))
    await start()
    await run(2_500)
    expect(requests.map(({ pending }) => names(pending))).toEqual([['good']])
    expect(logged('computing scheduling decision for provisionable pod(s)')).toMatchObject([{ 'pending-pods': 1 }])
  })

  test('case 26: without a pool that nodes can be made for there is a line in the log and nothing else', async () => {
    const { kube, start, run, events, logged } = await aProvisioningWorld(() => ({
      kind: 'noPools',
      notices: [],
    }))
    await kube.create(pods, aPendingPod('p'))
    await start()
    await run(2_500)
    expect(logged('no dynamic nodepools found')).toHaveLength(1)
    expect(events()).toEqual([])
  })

  test('a pod without a place gets event and log line, a deferred one neither', async () => {
    const { kube, start, run, events, logged } = await aProvisioningWorld(({ pending }) =>
      solved({
        failed: pending.map((pod) => ({
          pod,
          error: 'no room',
          kind: pod.name === 'deferred' ? ('deferred' as const) : ('unschedulable' as const),
        })),
      }),
    )
    await kube.create(pods, aPendingPod('deferred'))
    await kube.create(pods, aPendingPod('p'))
    await start()
    await run(2_500)
    expect(events('FailedScheduling')).toEqual(['Failed to schedule pod, no room'])
    expect(logged('could not schedule pod')).toMatchObject([{ Pod: { namespace: 'default', name: 'p' } }])
  })

  test('case 159: a pool over its limits gets no claim, the others do', async () => {
    const { kube, start, run, logged } = await aProvisioningWorld(({ pending }) =>
      solved({ claims: pending.length === 0 ? [] : [planned(pending, 'full'), planned(pending, 'default')] }),
    )
    await kube.create(nodePools, aPool('default'))
    await kube.create(nodePools, aPool('full', { limits: { cpu: '1' } }))
    await kube.create(
      nodeClaims,
      aClaim('old', {
        metadata: { labels: { 'karpenter.sh/nodepool': 'full' } },
        status: { providerID: 'aws:///a/i-9', capacity: { cpu: '2' } },
      }),
    )
    await kube.create(pods, aPendingPod('p'))
    await start()
    await run(2_500)
    const created = (await kube.list(nodeClaims)).items.filter(({ metadata }) => metadata.name !== 'old')
    expect(created.map(({ metadata }) => metadata.generateName)).toEqual(['default-'])
    const errors = logged('Reconciler error').map(({ err }) => (err instanceof Error ? err.message : ''))
    expect(errors).toEqual(['creating node claim, resource usage exceeds limit (limit=1, resource-name=cpu, usage=2)'])
  })

  const lost: Record<string, [held: string[], then: 'made' | 'left', why: string]> = {
    'was made anew': [[], 'made', 'nodepool default was made anew since the plan'],
    'is on its way out': [['example.com/hold'], 'left', 'nodepool default is being deleted'],
  }
  test.each(Object.entries(lost))(
    'no claim is written, only to be collected, for a pool that %s since the plan',
    async (_how, [finalizers, then, why]) => {
      const worlds = await aProvisioningWorld(({ pending }) => {
        const claim = planned(pending)
        return solved({
          claims: [{ ...claim, claim: { ...claim.claim, metadata: { ...claim.claim.metadata, ownerReferences } } }],
        })
      })
      const { kube, start, run, logged } = worlds
      const pool = aPool('default')
      const { uid } = (await kube.create(nodePools, { ...pool, metadata: { ...pool.metadata, finalizers } })).metadata
      const ownerReferences = [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'default', uid }]
      await start()
      kube.delivers = (event) => event.type === 'BOOKMARK' || event.object.kind !== 'NodePool'
      await kube.delete(nodePools, { name: 'default' })
      if (then === 'made') await kube.create(nodePools, pool)
      await kube.create(pods, aPendingPod('p'))
      await run(2_500)
      expect((await kube.list(nodeClaims)).items).toEqual([])
      const [error] = logged('Reconciler error').map(({ err }) => (err instanceof Error ? err.message : ''))
      expect(error).toBe(`creating node claim, ${why}`)
    },
  )

  test('nothing is written for a plan after which a node that was to go stays', async () => {
    const worlds = await aProvisioningWorld((request) => {
      if (worlds.requests.length === 1) worlds.cluster.unmarkForDeletion('aws:///us-west-2a/i-1')
      return solved({ claims: [planned(request.displaced)] })
    })
    const { cluster, kube, clock, start, run } = worlds
    const providerID = 'aws:///us-west-2a/i-1'
    await kube.create(nodePools, aPool('default'))
    await kube.create(nodeClaims, aClaim('c1', { metadata: { labels: readyLabels }, status: { providerID } }))
    await kube.create(nodes, aNode('n1', { metadata: { labels: readyLabels } }))
    await start()
    await clock.settle()
    cluster.markForDeletion(providerID)
    await kube.create(pods, aPendingPod('p'))
    await run(1_500)
    expect(worlds.requests).toHaveLength(1)
    expect((await kube.list(nodeClaims)).items.map(({ metadata }) => metadata.name)).toEqual(['c1'])
    await run(15_000)
    expect((await kube.list(nodeClaims)).items).toHaveLength(2)
  })

  test('under limits nothing is written for a plan that was made while another loop wrote a claim', async () => {
    const { cluster, kube, requests, start, run } = await aProvisioningWorld(({ pending }) =>
      solved({ claims: [planned(pending)] }),
    )
    const pool = await kube.create(nodePools, aPool('default', { limits: { cpu: '8' } }))
    await kube.create(pods, aPendingPod('p'))
    await start()
    cluster.plans.begin(pool, cluster.plans.basis())
    await run(1_500)
    expect(requests).toHaveLength(1)
    expect((await kube.list(nodeClaims)).items).toEqual([])
    cluster.plans.settle(pool)
    await run(15_000)
    expect((await kube.list(nodeClaims)).items).toHaveLength(1)
  })

  test('of each claim it is told whether it was written, and of what was written for whom', async () => {
    const told: unknown[] = []
    const undone: ProvisionerDeps['undone'] = {
      provisioned: (podsOfClaim, claim) => void told.push([names(podsOfClaim), claim]),
    }
    const { kube, launches, start, run } = await aProvisioningWorld(
      ({ pending }) => solved({ claims: pending.map((pod) => planned([pod])) }),
      { undone },
    )
    const written = vi.spyOn(launches, 'written')
    const notWritten = vi.spyOn(launches, 'notWritten')
    await kube.create(nodePools, aPool())
    for (const name of ['a', 'b']) await kube.create(pods, aPendingPod(name))
    let refusals = 1
    kube.fault = ({ operation, resource }) => {
      if (operation === 'create' && resource === 'nodeclaims' && refusals-- > 0) {
        throw new KubeError('InternalError', 500, 'no')
      }
    }
    await start()
    await run(2_500)
    const [claim] = (await kube.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
    expect(written.mock.calls.map(([{ metadata }]) => metadata.name)).toEqual([claim])
    expect(notWritten).toHaveBeenCalledTimes(1)
    expect(told).toEqual([[['b'], claim]])
  })

  test('a claim that could not be written does not hold up the next plan', async () => {
    const { kube, start, run } = await aProvisioningWorld(({ pending }) => solved({ claims: [planned(pending)] }))
    await kube.create(nodePools, aPool('default', { limits: { cpu: '8' } }))
    await kube.create(pods, aPendingPod('p'))
    let refusals = 0
    kube.fault = ({ operation, resource }) => {
      if (operation !== 'create' || resource !== 'nodeclaims' || refusals > 0) return
      refusals += 1
      throw new KubeError('InternalError', 500, 'no')
    }
    await start()
    await run(15_000)
    expect(refusals).toBe(1)
    expect((await kube.list(nodeClaims)).items).toHaveLength(1)
  })

  test('pods whose claim a policy denies are told so, as long as it does', async () => {
    const { kube, start, run, events } = await aProvisioningWorld(({ pending }) =>
      solved({ claims: pending.length === 0 ? [] : [planned(pending)] }),
    )
    await kube.create(nodePools, aPool())
    await kube.create(pods, aPendingPod('p'))
    const denial = 'admission webhook "policy.example.com" denied the request: no team'
    kube.fault = ({ operation, resource }) => {
      if (operation === 'create' && resource === 'nodeclaims') throw new KubeError('Forbidden', 403, denial)
    }
    await start()
    await run(360_000)
    const told = `Failed to schedule pod, a NodeClaim of nodepool "default" was refused, ${denial}`
    expect([...new Set(events('FailedScheduling'))]).toEqual([told])
    expect(events('FailedScheduling').length).toBeGreaterThan(30)
  })

  test('pods whose claim is refused are planned without that pool by the next pass, and with it a minute later', async () => {
    const { kube, requests, start, run } = await aProvisioningWorld(({ pending, snapshot }) => {
      const open = ['first', 'second'].filter((pool) => snapshot.instanceTypes.get(pool)?.kind !== 'held')
      return open.length === 0
        ? solved({ failed: pending.map((pod) => ({ pod, error: 'x', kind: 'unschedulable' as const })) })
        : solved({ claims: [planned(pending, open[0])] })
    })
    for (const pool of ['first', 'second']) await kube.create(nodePools, aPool(pool))
    await kube.create(pods, aPendingPod('p'))
    kube.fault = ({ operation, resource }) => {
      if (operation === 'create' && resource === 'nodeclaims') throw new KubeError('Forbidden', 403, 'no team')
    }
    await start()
    await run(59_000)
    const held = ({ snapshot }: ProvisioningSolveRequest) =>
      [...snapshot.instanceTypes].flatMap(([pool, { kind }]) => (kind === 'held' ? [pool] : []))
    // The second pass asks the second pool, which is refused, too; from then on there is none.
    const before = requests.map(held)
    expect(before.slice(0, 3)).toEqual([[], [], ['first']])
    expect(before.at(-1)).toEqual(['first', 'second'])
    kube.fault = () => undefined
    await run(15_000)
    expect((await kube.list(nodeClaims)).items.map(({ metadata }) => metadata.name)).toEqual([
      expect.stringMatching(/^first-/),
    ])
  })

  test('being exactly at a limit is no reason to refuse', async () => {
    const { kube, start, run } = await aProvisioningWorld(({ pending }) =>
      solved({ claims: pending.length === 0 ? [] : [planned(pending)] }),
    )
    await kube.create(nodePools, aPool('default', { limits: { cpu: '2' } }))
    await kube.create(nodeClaims, aClaim('old', { status: { providerID: 'aws:///a/i-9', capacity: { cpu: '2' } } }))
    await kube.create(pods, aPendingPod('p'))
    await start()
    await run(2_500)
    expect((await kube.list(nodeClaims)).items).toHaveLength(2)
  })

  test('case 160: pods that the solver did not get to come back by their trigger', async () => {
    const begunAt: number[] = []
    const { clock, kube, requests, start, run, logged } = await aProvisioningWorld(({ pending }) =>
      begunAt.push(clock.monotonicMs()) === 1
        ? solved({ timedOut: true })
        : solved({ failed: pending.map((pod) => ({ pod, error: 'x', kind: 'unschedulable' })) }),
    )
    await kube.create(pods, aPendingPod('p'))
    await start()
    await run(12_500)
    expect(requests).toHaveLength(2)
    expect((requests[0]?.deadline ?? 0) - (begunAt[0] ?? 0)).toBe(60_000)
    expect(logged('scheduling simulation timed out')).toMatchObject([{ duration: '0s' }])
  })
})

test('a stop does not wait for more pods to come', async () => {
  const { batcher, clock, loop, log, requests } = await aProvisioningWorld()
  batcher.trigger('u-1')
  const stop = new AbortController()
  const context = { ...aReconcileContext(log), stopping: stop.signal }
  const stopped = loop.reconcile(context).catch((error: unknown) => error)
  await clock.run({ forMs: 500 })
  stop.abort(new Error('stopped'))
  expect(await stopped).toEqual(new Error('stopped'))
  expect(requests).toEqual([])
})

test('preferences that hold up consolidation are told of once a day, both of one pod every time', async () => {
  const { kube, start, run, logged } = await aProvisioningWorld()
  const preferred = [{ weight: 1, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: {} } }]
  const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } }
  const spread = [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' as const }]
  await kube.create(pods, aPendingPod('one', { spec: { affinity } }))
  await kube.create(pods, aPendingPod('both', { spec: { affinity, topologySpreadConstraints: spread } }))
  await start()
  await run(25_000)
  const anti = logged('pod(s) have a preferred Anti-Affinity which can prevent consolidation')
  expect(anti.map(({ pods: text }) => text)).toEqual(['default/both, default/one', 'default/both', 'default/both'])
  expect(logged('pod(s) have a preferred TopologySpreadConstraint which can prevent consolidation')).toHaveLength(3)
})
