import type { ConditionTypes } from '../../../../src/api/conditions.ts'
import { describe, expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import type { Condition } from '../../../../src/api/kubernetes.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import type { SingletonController } from '../../../../src/kube/controller.ts'
import type { EventToPublish } from '../../../../src/kube/recorder.ts'
import { defineMetrics } from '../../../../src/controllers/metric-table.ts'
import {
  nodeMetricsController,
  nodePoolMetricsController,
  podMetricsController,
  poolCostController,
  statusConditionController,
} from '../../../../src/controllers/metrics/index.ts'
import { measuredKinds } from '../../../../src/controllers/status-metric-table.ts'
import { PoolCostTracker } from '../../../../src/cluster/index.ts'
import { Quantity } from '../../../../src/model/quantity.ts'
import { oneValue } from '../../../../src/model/requirement.ts'
import { requirementsOf } from '../../../../src/model/requirements.ts'
import { createPrometheusMetrics } from '../../../../src/operator/prometheus.ts'
import { aNode as aStateNode, aPod as aRunningPod } from '../../../support/scheduling-world.ts'
import { aClaim, aNode, aPod, aPool, aWorld, put, readyLabels, type World } from '../../cluster/world.ts'
import { aReconcileContext } from '../../../support/reconcile-context.ts'

async function measured() {
  const world = await aWorld()
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const families = defineMetrics(metrics)
  const lines = async (name: string): Promise<string[]> => {
    await world.settle()
    return (await metrics.render()).text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  }
  return { ...world, world: world as World, metrics, families, lines }
}

const run = (controller: SingletonController, world: World) => controller.reconcile(aReconcileContext(world.log))

describe('nodes', () => {
  test('publish what they hold and what runs on them, DaemonSet pods apart', async () => {
    const { world, families, lines, state, clock } = await measured()
    const status = { capacity: { cpu: '4', memory: '8Gi' }, allocatable: { cpu: '3500m', memory: '7Gi' } }
    await put.claim(world, aClaim('c1', { providerID: 'p1' }))
    await put.node(
      world,
      aNode('n1', { providerID: 'p1', labels: { ...readyLabels, 'topology.kubernetes.io/zone': 'a' }, status }),
    )
    await put.pod(world, aPod('app', { node: 'n1', cpu: '1' }))
    const owner = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds', uid: 'd', controller: true }]
    await put.pod(world, aPod('daemon', { node: 'n1', cpu: '500m', owner }))
    await world.settle()
    const controller = nodeMetricsController({ cluster: state, clock, metrics: families })
    await run(controller, world)
    const cpuOf = async (name: string) =>
      (await lines(name))
        .find((line) => line.includes('resource_type="cpu"'))
        ?.split(' ')
        .at(-1)
    expect(await cpuOf('karpenter_nodes_allocatable')).toBe('3.5')
    expect(await cpuOf('karpenter_nodes_total_pod_requests')).toBe('1')
    expect(await cpuOf('karpenter_nodes_total_daemon_requests')).toBe('0.5')
    const limits = await lines('karpenter_nodes_total_pod_limits')
    expect(limits.map((line) => /resource_type="(\w+)".* (\S+)$/.exec(line)?.slice(1))).toEqual([['pods', '1']])
    expect(await cpuOf('karpenter_nodes_system_overhead')).toBe('0.5')
    expect((await lines('karpenter_nodes_allocatable'))[0]).toContain('zone="a"')
    expect(Number(await cpuOf('karpenter_cluster_utilization_percent'))).toBeCloseTo((100 * 1.5) / 3.5)
    expect(await lines('karpenter_nodes_current_lifetime_seconds')).toHaveLength(1)
  })

  test('of a fleet with 200,000 pods are summed like those of a small one', async () => {
    const { families, metrics, clock } = await measured()
    const pod = aRunningPod({ nodeName: 'n', requests: { cpu: '10m' } })
    const pods = Array.from({ length: 1_000 }, () => pod)
    const fleet = Array.from({ length: 200 }, (_, index) =>
      aStateNode({ name: `n${index}`, allocatable: { cpu: '40' }, pods }),
    )
    nodeMetricsController({ cluster: { nodes: () => fleet }, clock, metrics: families })
    expect((await metrics.render()).text).toContain('karpenter_cluster_utilization_percent{resource_type="cpu"} 25\n')
  })

  test('series go with their node', async () => {
    const { world, families, lines, state, clock } = await measured()
    await put.node(world, aNode('n1', { status: { allocatable: { cpu: '1' } } }))
    await world.settle()
    const controller = nodeMetricsController({ cluster: state, clock, metrics: families })
    await run(controller, world)
    expect(await lines('karpenter_nodes_allocatable')).toHaveLength(1)
    await world.client.delete(nodes, { name: 'n1' })
    await world.settle()
    await run(controller, world)
    expect(await lines('karpenter_nodes_allocatable')).toEqual([])
  })
})

test('pools publish limits and usage', async () => {
  const { world, families, lines, caches } = await measured()
  await world.client.create(nodePools, {
    ...aPool('p', { limits: { cpu: '10', 'ephemeral-storage': '1Gi' } }),
    status: { resources: { cpu: '4' } },
  })
  await world.settle()
  await run(nodePoolMetricsController({ caches, metrics: families }), world)
  expect(await lines('karpenter_nodepools_limit')).toEqual([
    'karpenter_nodepools_limit{resource_type="cpu",nodepool="p"} 10',
    'karpenter_nodepools_limit{resource_type="ephemeral_storage",nodepool="p"} 1073741824',
  ])
  expect(await lines('karpenter_nodepools_usage')).toEqual([
    'karpenter_nodepools_usage{resource_type="cpu",nodepool="p"} 4',
  ])
})

describe('pods', () => {
  test('are measured from creation to binding to readiness, when they were seen before', async () => {
    const { world, families, lines, state, caches, clock } = await measured()
    const controller = podMetricsController({ caches, clock, metrics: families, cluster: state })
    await put.pod(world, aPod('p'))
    await world.settle()
    await run(controller, world)
    state.podTimes.acknowledge('default/p', clock.now())
    await clock.run({ forMs: 10_000 })
    await run(controller, world)
    expect(await lines('karpenter_pods_unbound_time_seconds')).toEqual([
      'karpenter_pods_unbound_time_seconds{name="p",namespace="default"} 10',
    ])
    expect(await lines('karpenter_pods_provisioning_scheduling_undecided_time_seconds')).toHaveLength(1)
    state.podTimes.decide({ key: 'default/p', outcome: 'placed' }, clock.now())
    expect(await lines('karpenter_pods_provisioning_scheduling_undecided_time_seconds')).toEqual([])
    await clock.run({ forMs: 20_000 })
    for (const name of ['unbound', 'unstarted']) {
      expect(await lines(`karpenter_pods_provisioning_${name}_time_seconds`)).toEqual([
        `karpenter_pods_provisioning_${name}_time_seconds{name="p",namespace="default"} 20`,
      ])
    }
    const conditions = (ready: boolean) => {
      const at = new Date(clock.now()).toISOString()
      return [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: at },
        ...(ready ? [{ type: 'Ready', status: 'True', lastTransitionTime: at }] : []),
      ]
    }
    await world.client.bind({ namespace: 'default', name: 'p' }, 'n1')
    await world.client.patch(
      pods,
      { namespace: 'default', name: 'p' },
      { kind: 'merge', body: { status: { conditions: conditions(true), phase: 'Running' } } },
    )
    await world.settle()
    await run(controller, world)
    expect(await lines('karpenter_pods_bound_duration_seconds_sum')).toEqual([
      'karpenter_pods_bound_duration_seconds_sum 30',
    ])
    expect(await lines('karpenter_pods_provisioning_bound_duration_seconds_sum')).toEqual([
      'karpenter_pods_provisioning_bound_duration_seconds_sum 20',
    ])
    expect(await lines('karpenter_pods_startup_duration_seconds_sum')).toEqual([
      'karpenter_pods_startup_duration_seconds_sum 30',
    ])
    expect(await lines('karpenter_pods_provisioning_startup_duration_seconds_sum')).toEqual([
      'karpenter_pods_provisioning_startup_duration_seconds_sum 20',
    ])
    expect(await lines('karpenter_pods_unbound_time_seconds')).toEqual([])
    expect((await lines('karpenter_pods_state'))[0]).toContain('phase="Running",ready="True"')
  })

  test('say whose they are and on what node they run', async () => {
    const { world, families, lines, state, caches, clock } = await measured()
    podMetricsController({ caches, clock, metrics: families, cluster: state })
    await put.claim(world, aClaim('c1', { providerID: 'p1' }))
    const labels = { ...readyLabels, 'topology.kubernetes.io/zone': 'a', 'karpenter.sh/capacity-type': 'spot' }
    await put.node(world, aNode('ours', { providerID: 'p1', labels }))
    await put.node(world, aNode('theirs', { providerID: 'p2' }))
    const owner = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'w', controller: true }]
    await put.pod(world, aPod('a', { node: 'ours', owner }))
    await put.pod(world, aPod('b', { node: 'theirs' }))
    await put.pod(world, aPod('c'))
    const told = await lines('karpenter_pods_state')
    const ofPod = (name: string) => told.find((line) => line.includes(`name="${name}"`)) ?? ''
    for (const label of ['node="ours"', 'scheduled="true"', 'zone="a"', 'capacity_type="spot"', 'managed="true"']) {
      expect(ofPod('a')).toContain(label)
    }
    expect(ofPod('a')).toContain('owner="/apis/apps/v1/namespaces/default/replicasets/web"')
    expect(ofPod('b')).toContain('managed="false"')
    expect(ofPod('b')).toContain('owner=""')
    for (const label of ['node=""', 'scheduled="false"', 'managed="false"']) expect(ofPod('c')).toContain(label)
  })

  test('that are heard of late are measured by when it was', async () => {
    const { world, families, lines, state, caches, clock } = await measured()
    podMetricsController({ caches, clock, metrics: families, cluster: state })
    await put.pod(world, aPod('p'))
    await world.settle()
    const since = clock.now()
    await clock.run({ forMs: 30_000 })
    const conditions = [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: new Date(since + 10_000).toISOString() },
      { type: 'Ready', status: 'True', lastTransitionTime: new Date(since + 20_000).toISOString() },
    ]
    const key = { namespace: 'default', name: 'p' }
    await world.client.patch(pods, key, { kind: 'merge', body: { status: { conditions, phase: 'Running' } } })
    await world.client.bind(key, 'n1')
    await world.settle()
    expect(await lines('karpenter_pods_bound_duration_seconds_sum')).toEqual([
      'karpenter_pods_bound_duration_seconds_sum 10',
    ])
    expect(await lines('karpenter_pods_startup_duration_seconds_sum')).toEqual([
      'karpenter_pods_startup_duration_seconds_sum 20',
    ])
  })

  test('that ran before this process did are not measured, and their series go with them', async () => {
    const { world, families, lines, state, caches, clock } = await measured()
    await put.pod(world, aPod('p', { node: 'n1', phase: 'Running' }))
    await world.settle()
    podMetricsController({ caches, clock, metrics: families, cluster: state })
    expect(await lines('karpenter_pods_bound_duration_seconds_count')).toEqual([
      'karpenter_pods_bound_duration_seconds_count 0',
    ])
    expect(await lines('karpenter_pods_state')).toHaveLength(1)
    await world.client.delete(pods, { namespace: 'default', name: 'p' })
    expect(await lines('karpenter_pods_state')).toEqual([])
  })

  test('that end before a node takes them wait for none any more', async () => {
    const { world, families, lines, state, caches, clock } = await measured()
    podMetricsController({ caches, clock, metrics: families, cluster: state })
    await put.pod(world, aPod('p'))
    await world.settle()
    state.podTimes.acknowledge('default/p', clock.now())
    const waiting = async () => [
      ...(await lines('karpenter_pods_unbound_time_seconds')),
      ...(await lines('karpenter_pods_unstarted_time_seconds')),
      ...(await lines('karpenter_pods_provisioning_scheduling_undecided_time_seconds')),
    ]
    expect(await waiting()).toHaveLength(3)
    // As the control plane ends a pod that is being deleted, while a Job's finalizer keeps it.
    const key = { namespace: 'default', name: 'p' }
    await world.client.patch(pods, key, { kind: 'merge', body: { status: { phase: 'Failed' } } })
    expect(await waiting()).toEqual([])
    expect(await lines('karpenter_pods_bound_duration_seconds_count')).toEqual([
      'karpenter_pods_bound_duration_seconds_count 0',
    ])
  })

  describe('start once', () => {
    async function started(first: 'Pending' | 'Running') {
      const { world, families, lines, state, caches, clock } = await measured()
      const turn = async (ready: boolean, phase = 'Running') => {
        const lastTransitionTime = new Date(clock.now()).toISOString()
        const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime }]
        const key = { namespace: 'default', name: 'p' }
        await world.client.patch(pods, key, { kind: 'merge', body: { status: { conditions, phase } } })
        await world.settle()
      }
      await put.pod(world, aPod('p', { node: 'n1', phase: first }))
      await world.settle()
      podMetricsController({ caches, clock, metrics: families, cluster: state })
      state.podTimes.acknowledge('default/p', clock.now())
      state.podTimes.decide({ key: 'default/p', outcome: 'placed' }, clock.now())
      const startups = async () => [
        ...(await lines('karpenter_pods_startup_duration_seconds_sum')),
        ...(await lines('karpenter_pods_provisioning_startup_duration_seconds_count')),
      ]
      const waiting = async () => [
        ...(await lines('karpenter_pods_unstarted_time_seconds')),
        ...(await lines('karpenter_pods_provisioning_unstarted_time_seconds')),
      ]
      return { world, clock, turn, startups, waiting }
    }

    test('however often they are unready afterwards, or initialize again', async () => {
      const { clock, turn, startups, waiting } = await started('Pending')
      await turn(false)
      await clock.run({ forMs: 10_000 })
      expect(await waiting()).toHaveLength(2)
      await turn(true)
      const once = [
        'karpenter_pods_startup_duration_seconds_sum 10',
        'karpenter_pods_provisioning_startup_duration_seconds_count 1',
      ]
      expect(await startups()).toEqual(once)
      await clock.run({ forMs: 864_000_000 })
      for (const phase of ['Running', 'Pending']) {
        await turn(false, phase)
        expect(await waiting()).toEqual([])
        await turn(true)
        expect(await startups()).toEqual(once)
      }
    })

    test('or never, and nothing tells of those that are gone', async () => {
      const { world, waiting } = await started('Pending')
      expect(await waiting()).toHaveLength(2)
      await world.client.delete(pods, { namespace: 'default', name: 'p' })
      await world.settle()
      expect(await waiting()).toEqual([])
    })

    test('and whoever ran when they were first seen may have done so before', async () => {
      const { clock, turn, startups, waiting } = await started('Running')
      await turn(false)
      await clock.run({ forMs: 10_000 })
      expect(await waiting()).toEqual([])
      await turn(true)
      expect(await startups()).toEqual([
        'karpenter_pods_startup_duration_seconds_sum 0',
        'karpenter_pods_provisioning_startup_duration_seconds_count 0',
      ])
    })
  })
})

test('a pool costs what its claims cost, and unknown offerings are counted', async () => {
  const { world, families, lines, state, caches, clock } = await measured()
  const tracker = new PoolCostTracker(caches.of(nodeClaims))
  const offering = (zone: string, price: number) => ({
    requirements: requirementsOf(
      oneValue('topology.kubernetes.io/zone', zone),
      oneValue('karpenter.sh/capacity-type', 'spot'),
    ),
    price,
    available: true,
  })
  const type = {
    name: 'm5.large',
    requirements: new Map(),
    capacity: new Map([['cpu', Quantity.of(2)]]),
    overhead: { kubeReserved: new Map(), systemReserved: new Map(), evictionThreshold: new Map() },
    offerings: [offering('a', 0.1), offering('b', 0.2)],
  }
  await put.pool(world, aPool('default'))
  for (const [name, zone] of [
    ['one', 'a'],
    ['two', 'b'],
    ['lost', 'c'],
  ] as const) {
    const claim = aClaim(name, { providerID: name })
    const labels = {
      ...claim.metadata.labels,
      'node.kubernetes.io/instance-type': 'm5.large',
      'topology.kubernetes.io/zone': zone,
      'karpenter.sh/capacity-type': 'spot',
    }
    await put.claim(world, { ...claim, metadata: { ...claim.metadata, labels } })
  }
  await world.settle()
  const controller = poolCostController({
    pools: () => state.snapshot().nodePools,
    instanceTypes: () => Promise.resolve({ kind: 'resolved', types: [type] }),
    tracker,
    clock,
    metrics: families,
  })
  await run(controller, world)
  expect(tracker.costs().get('default')).toEqual({ cost: 0.3, unknown: 1 })
  expect(await lines('karpenter_nodepools_cost_total')).toEqual([
    'karpenter_nodepools_cost_total{nodepool="default"} 0.3',
  ])
  expect(await lines('karpenter_nodepools_cost_tracker_errors_total')).toEqual([
    'karpenter_nodepools_cost_tracker_errors_total{nodepool="default"} 1',
  ])
})

describe('status conditions', () => {
  const at = (clock: { now(): number }, type: string, status: string, reason: string, message = ''): Condition => ({
    type,
    status: status as 'True',
    reason,
    message,
    lastTransitionTime: new Date(clock.now()).toISOString(),
  })
  const withoutNames = (line: string): string =>
    line
      .replace(/^\w+/, '')
      .replaceAll(/(?:namespace|name|karpenter_\w+)="[^"]*",?/g, '')
      .replace(',}', '}')
  const setConditions = (world: World, conditions: readonly Condition[]) =>
    world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { status: { conditions } } })

  async function observed(opened?: ConditionTypes) {
    const m = await measured()
    const events: EventToPublish[] = []
    const recorder = { publish: (...published: readonly EventToPublish[]) => void events.push(...published) }
    const controller = statusConditionController(
      { caches: m.caches, clock: m.clock, recorder, metrics: m.metrics },
      nodeClaims,
      measuredKinds.nodeClaim,
      opened,
    )
    const claim: NodeClaim = aClaim('c1', { providerID: 'p1' })
    await put.claim(m.world, { ...claim, metadata: { ...claim.metadata, finalizers: ['karpenter.sh/termination'] } })
    await m.world.settle()
    return { ...m, events, controller }
  }

  test('a transition is counted, timed and told; what is known at first sight is only counted, and Unknown is nothing known', async () => {
    const { world, events, lines, clock } = await observed()
    await setConditions(world, [at(clock, 'Launched', 'Unknown', 'AwaitingReconciliation')])
    await world.settle()
    expect(events).toEqual([])
    await clock.run({ forMs: 8_000 })
    await setConditions(world, [at(clock, 'Launched', 'True', 'Launched')])
    await world.settle()
    expect(events.map(({ reason, message }) => [reason, message])).toEqual([
      ['Launched', 'Status condition transitioned, Type: Launched, Status: Unknown -> True, Reason: Launched'],
    ])
    const family = 'operator_nodeclaim_status_condition'
    expect(await lines(`${family}_transitions_total`)).toHaveLength(1)
    const launched = at(clock, 'Launched', 'True', 'Launched')
    await setConditions(world, [launched, at(clock, 'Drifted', 'True', 'AMIDrift')])
    await world.settle()
    expect(events).toHaveLength(1)
    expect(await lines(`${family}_transitions_total`)).toHaveLength(2)
    await setConditions(world, [launched])
    await world.settle()
    const [seconds = ''] = await lines(`${family}_transition_seconds_sum`)
    for (const label of ['karpenter_sh_nodepool="default"', 'type="Launched"', 'status="Unknown"']) {
      expect(seconds).toContain(label)
    }
    expect(seconds).toMatch(/ 8$/)
    expect((await lines(`${family}_count`))[0]).toContain('status="True",reason="Launched"')
    expect(await lines(`${family}_count`)).toHaveLength(1)
    expect((await lines('operator_status_condition_transitions_total'))[0]).toContain(
      'group="karpenter.sh",kind="NodeClaim"',
    )
  })

  test('a condition that nobody has written yet was unknown since the object was created', async () => {
    const { world, events, lines, clock } = await observed({ root: 'Ready', dependents: ['Launched', 'Registered'] })
    const family = 'operator_nodeclaim_status_condition'
    expect((await lines(`${family}_count`)).map(withoutNames)).toEqual(
      ['Launched', 'Registered', 'Ready'].map(
        (type) => `{type="${type}",status="Unknown",reason="AwaitingReconciliation"} 1`,
      ),
    )
    expect(events).toEqual([])
    await clock.run({ forMs: 8_000 })
    await setConditions(world, [at(clock, 'Launched', 'True', 'Launched')])
    await world.settle()
    expect(events.map(({ message }) => message)).toEqual([
      'Status condition transitioned, Type: Launched, Status: Unknown -> True, Reason: Launched',
    ])
    expect((await lines(`${family}_transition_seconds_sum`)).map(withoutNames)).toEqual([
      '{type="Launched",status="Unknown"} 8',
    ])
    expect((await lines(`${family}_count`)).map(withoutNames)).toContain(
      '{type="Launched",status="True",reason="Launched"} 1',
    )
  })

  test('a message is part of the event, and the age of a status is published', async () => {
    const { world, events, lines, clock, controller } = await observed()
    await setConditions(world, [at(clock, 'Launched', 'Unknown', 'A')])
    await world.settle()
    await setConditions(world, [at(clock, 'Launched', 'False', 'LaunchFailed', 'no role')])
    await world.settle()
    expect(events[0]?.message).toMatch(/Reason: LaunchFailed, Message: no role$/)
    await clock.run({ forMs: 30_000 })
    await run(controller, world)
    expect((await lines('operator_nodeclaim_status_condition_current_status_seconds'))[0]).toMatch(/ 30$/)
  })

  test('deletion is timed, and finalizers that are done are told', async () => {
    const { world, events, lines, clock, controller } = await observed()
    await world.client.delete(nodeClaims, { name: 'c1' })
    await clock.run({ forMs: 40_000 })
    await run(controller, world)
    expect((await lines('operator_nodeclaim_termination_current_time_seconds'))[0]).toMatch(/ 40$/)
    await world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    await world.settle()
    expect(events.map(({ message }) => message)).toEqual(['Finalized karpenter.sh/termination'])
    expect((await lines('operator_nodeclaim_termination_duration_seconds_sum'))[0]).toMatch(/ 40$/)
    expect(await lines('operator_nodeclaim_termination_current_time_seconds')).toEqual([])
  })
})
