import { expect, test } from 'vitest'
import { conditionOf } from '../../../src/api/conditions.ts'
import type { Node } from '../../../src/api/kubernetes.ts'
import { labelZone } from '../../../src/api/labels.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, podDisruptionBudgets, pods } from '../../../src/kube/kinds.ts'
import { minute } from '../world.ts'
import { rollImage, type Scenario, startScenario } from './scenario.ts'

const web = { name: 'web', replicas: 12, cpu: '3', memory: '4Gi' }

async function expectWhole(scenario: Scenario): Promise<void> {
  expect(await scenario.waitingPods()).toEqual([])
  expect(scenario.machines()).toHaveLength((await scenario.claims()).length)
  expect(await scenario.end()).toEqual([])
}

async function scale({ world }: Scenario, replicas: number): Promise<void> {
  const key = { namespace: 'default', name: 'web' }
  await world.stack.cluster.client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas } } })
}

async function readyPods({ world }: Scenario): Promise<number> {
  const { items } = await world.stack.cluster.client.list(pods, { namespace: 'default' })
  return items.filter(
    ({ metadata, status }) =>
      metadata.name.startsWith('web') &&
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true,
  ).length
}

async function webUIDs({ world }: Scenario): Promise<readonly string[]> {
  const { items } = await world.stack.cluster.client.list(pods, { namespace: 'default' })
  return items.flatMap(({ metadata }) => (metadata.name.startsWith('web') ? [metadata.uid] : []))
}

/** Lets time pass minute by minute and tells the extremes of what is measured. */
async function extremes(scenario: Scenario, ms: number, measure: () => number | Promise<number>) {
  const values: number[] = []
  for (let left = ms; left > 0; left -= minute) {
    await scenario.run(minute)
    values.push(await measure())
  }
  return { least: Math.min(...values), most: Math.max(...values) }
}

test('incidents 10 and 12: a new image replaces the fleet node by node, and never asks for more than one machine too many', async () => {
  const scenario = await startScenario({ shapes: [web], pools: [{ name: 'general', budget: '1' }] })
  const before = scenario.machines().map(({ id }) => id)
  await rollImage(scenario)
  const { most } = await extremes(scenario, 90 * minute, () => scenario.machines().length)
  expect(before.length).toBeGreaterThanOrEqual(5)
  expect(most).toBeLessThanOrEqual(before.length + 1)
  expect(scenario.machines().filter(({ id }) => before.includes(id))).toEqual([])
  await expectWhole(scenario)
})

test('incident 11: drift that no manifest shows names both images', async () => {
  const scenario = await startScenario({ shapes: [web], pools: [{ name: 'general', budget: '0' }] })
  await rollImage(scenario)
  await scenario.run(10 * minute)
  const drifted = (await scenario.claims()).map((claim) => conditionOf(claim, 'Drifted'))
  for (const condition of drifted) {
    expect(condition).toMatchObject({ status: 'True', reason: 'AMIDrift' })
    expect(condition?.message).toMatch(/^AMIDrift: .*ami-\S+.* -> .*ami-\S+.*v20269999/)
  }
  expect(drifted.length).toBeGreaterThan(0)
  expect(await scenario.end()).toEqual([])
})

test('incidents 13 and 17: nodes that were born together and expire together let their pods go one by one, and all go', async () => {
  const scenario = await startScenario({
    shapes: [{ ...web, maxUnavailable: 1 }],
    pools: [{ name: 'general', budget: '1', expireAfter: '30m', consolidateAfter: 'Never' }],
  })
  const before = scenario.machines().map(({ id }) => id)
  const { least } = await extremes(scenario, 60 * minute, () => readyPods(scenario))
  // One by the PodDisruptionBudget; a second may be between two states when it is looked at.
  expect(least).toBeGreaterThanOrEqual(web.replicas - 2)
  expect(scenario.machines().filter(({ id }) => before.includes(id))).toEqual([])
  expect(scenario.invariants.violations).toEqual([])
})

test.each(['WhenEmpty', 'WhenEmptyOrUnderutilized'] as const)(
  'incident 15: no machine ends while a pod that was bound at the last moment runs on it: %s',
  async (consolidationPolicy) => {
    const pools = [{ name: 'general', budget: '50%', consolidationPolicy }]
    const scenario = await startScenario({ shapes: [web], pools })
    const { client, aws } = scenario.world.stack.cluster
    const bound: string[] = []
    scenario.hooks.addCall((call) => {
      const taints = JSON.stringify(call.body ?? {}).includes('karpenter.sh/disrupted')
      const name = call.name ?? ''
      if (call.resource.plural !== 'nodes' || call.verb !== 'patch' || !taints || bound.includes(name)) return undefined
      bound.push(name)
      const spec = {
        nodeName: name,
        containers: [{ name: 'app', image: 'pause', resources: { requests: { cpu: '100m' } } }],
      }
      void client.create(pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `late-${bound.length}`, namespace: 'default' },
        spec,
      })
      return undefined
    })
    const running: string[] = []
    aws.faults.add(({ action, input }) => {
      if (action !== 'TerminateInstances') return undefined
      const { store } = scenario.world.stack.cluster.apiServer.context
      const text = JSON.stringify(input)
      const gone = store
        .list('/nodes')
        .filter((node) => text.includes(JSON.stringify(node).match(/i-[0-9a-f]{17}/)?.[0] ?? 'none'))
      for (const { metadata } of gone) {
        for (const pod of store.list('/pods')) {
          if (JSON.stringify(pod).includes(`"nodeName":"${metadata.name}"`) && pod.metadata.name.startsWith('late'))
            running.push(pod.metadata.name)
        }
      }
      return undefined
    })
    await scale(scenario, 2)
    await scenario.run(20 * minute)
    expect(bound.length).toBeGreaterThan(0)
    expect(running).toEqual([])
    // What turns out not to be empty stays, and so does the pod.
    const { items } = await client.list(pods, { namespace: 'default' })
    const stayed = items.filter(
      ({ metadata, status }) => metadata.name.startsWith('late') && status?.phase === 'Running',
    )
    if (consolidationPolicy === 'WhenEmpty') expect(stayed).toHaveLength(bound.length)
    expect(scenario.invariants.violations).toEqual([])
  },
)

test('incident 18: a health signal that is wrong everywhere repairs nothing', async () => {
  const scenario = await startScenario({ shapes: [web], settings: { featureGates: { NodeRepair: true } } })
  const before = (await scenario.nodes()).map(({ metadata }) => metadata.uid)
  scenario.world.stack.cluster.behaviours.setAll({ conditions: { AcceleratedHardwareReady: 'False' } })
  await scenario.run(45 * minute)
  expect((await scenario.nodes()).map(({ metadata }) => metadata.uid)).toEqual(before)
  await expectWhole(scenario)
})

test('incident 18: a health signal of one node replaces that one', async () => {
  const scenario = await startScenario({ shapes: [web], settings: { featureGates: { NodeRepair: true } } })
  const [ill] = scenario.machines()
  if (ill === undefined) throw new Error('no machine')
  scenario.world.stack.cluster.behaviours.setInstance(ill.id, { conditions: { AcceleratedHardwareReady: 'False' } })
  await scenario.run(45 * minute)
  expect(scenario.machines().map(({ id }) => id)).not.toContain(ill.id)
  await expectWhole(scenario)
})

test('incident 25: while replacements cannot be launched the old nodes keep their pods', async () => {
  const scenario = await startScenario({ shapes: [web], pools: [{ name: 'general', budget: '2' }] })
  const { aws } = scenario.world.stack.cluster
  const before = (await scenario.nodes()).map(({ metadata }) => metadata.uid)
  aws.setCapacity({}, 0)
  await rollImage(scenario)
  const { least } = await extremes(scenario, 40 * minute, () => readyPods(scenario))
  expect(least).toBe(web.replicas)
  expect((await scenario.nodes()).map(({ metadata }) => metadata.uid)).toEqual(before)
  aws.clearCapacity()
  await scenario.run(90 * minute)
  const after = (await scenario.nodes()).map(({ metadata }) => metadata.uid)
  expect(after.filter((uid) => before.includes(uid))).toEqual([])
  await expectWhole(scenario)
})

test('incident 27: a startup taint that its owner has removed stays away', async () => {
  const key = 'startup.example.com/network'
  const scenario = await startScenario({ shapes: [web], taintAgents: [{ taintKey: key, afterMs: 20_000 }] })
  const { apiServer, client, clock } = scenario.world.stack.cluster
  const startupTaints = [{ key, effect: 'NoSchedule' }]
  await client.patch(
    nodePools,
    { name: 'general' },
    { kind: 'merge', body: { spec: { template: { spec: { startupTaints } } } } },
  )
  // What is said of a node that has joined is refused for a while: the owner has removed its taint when it is said again.
  const joined = new Map<string, number>()
  scenario.hooks.addCall(({ resource, verb, subresource, name = '', body }) => {
    const tells = resource.plural === 'nodeclaims' && verb === 'patch' && subresource === 'status'
    if (!tells || !JSON.stringify(body).includes('"nodeName"')) return undefined
    const since = joined.get(name) ?? clock.monotonicMs()
    joined.set(name, since)
    if (clock.monotonicMs() - since > minute) return undefined
    return { failBefore: new KubeError('InternalError', 500, 'etcdserver: request timed out') }
  })
  const hadTaint = new Set<string>()
  const back: string[] = []
  apiServer.context.store.subscribe('/nodes', ({ type, object, previous }) => {
    if (type !== 'MODIFIED') return
    const [before, after] = [previous, object].map((node) =>
      (node as unknown as Node).spec.taints?.some((taint) => taint.key === key),
    )
    if (after === true && before !== true && hadTaint.has(object.metadata.name)) back.push(object.metadata.name)
    if (after === true) hadTaint.add(object.metadata.name)
  })
  await scenario.run(60 * minute)
  expect(joined.size).toBeGreaterThan(0)
  expect(back).toEqual([])
  const all = await scenario.nodes()
  const asked = (await scenario.claims()).filter(({ spec }) => spec.startupTaints?.some((taint) => taint.key === key))
  expect(asked.length).toBeGreaterThan(0)
  expect(all.flatMap(({ spec }) => spec.taints ?? []).filter((taint) => taint.key === key)).toEqual([])
  await expectWhole(scenario)
})

test('incident 28: a machine stays until the volumes of its pods are detached', async () => {
  const scenario = await startScenario({
    shapes: [web],
    pools: [{ name: 'general', budget: '1' }],
    attachments: { detachMs: 4 * minute },
  })

  const before = scenario.machines().map(({ id }) => id)
  await rollImage(scenario)
  await scenario.run(120 * minute)
  expect(scenario.machines().filter(({ id }) => before.includes(id))).toEqual([])
  await expectWhole(scenario)
})

test('incident 38: every part of the fleet is looked at, also behind a pool that is at its budget', async () => {
  const scenario = await startScenario({
    shapes: [web, { ...web, name: 'api' }],
    pools: [
      { name: 'blocked', budget: '0', weight: 10, cpu: '24' },
      { name: 'general', budget: '1' },
    ],
  })
  const { client } = scenario.world.stack.cluster
  await scale(scenario, 2)
  await client.patch(
    deployments,
    { namespace: 'default', name: 'api' },
    { kind: 'merge', body: { spec: { replicas: 2 } } },
  )
  const poolsOf = async (): Promise<readonly string[]> =>
    (await scenario.nodes()).map(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] ?? '')
  const before = await poolsOf()
  await scenario.run(90 * minute)
  const after = await poolsOf()
  const count = (list: readonly string[], pool: string): number => list.filter((name) => name === pool).length
  expect(count(after, 'blocked')).toBe(count(before, 'blocked'))
  expect(count(after, 'general')).toBeLessThan(count(before, 'general'))
  for (const { metadata } of await scenario.nodes()) {
    if (metadata.labels?.['karpenter.sh/nodepool'] === 'blocked') continue
    expect(scenario.world.stack.operator.verdicts.of(metadata.name).length).toBeGreaterThan(0)
  }
  expect(await scenario.end()).toEqual([])
})

test('incident 29: a spread over zones of which the pool has two is planned over those two', async () => {
  const scenario = await startScenario({ shapes: [{ ...web, spread: true, replicas: 4 }] })
  const { client } = scenario.world.stack.cluster
  const requirements = [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    { key: labelZone, operator: 'In', values: ['us-west-2a', 'us-west-2b'] },
  ]
  await client.patch(
    nodePools,
    { name: 'general' },
    { kind: 'merge', body: { spec: { template: { spec: { requirements } } } } },
  )
  await scenario.run(40 * minute)
  // A pod that leaves the third zone waits until its node is gone: I27 judges as if that had gone on standing.
  const known = scenario.invariants.violations.length
  await scale(scenario, 10)
  await scenario.run(15 * minute)
  expect(await scenario.waitingPods()).toEqual([])
  const zones = new Set((await scenario.nodes()).map(({ metadata }) => metadata.labels?.[labelZone]))
  expect(zones).toEqual(new Set(['us-west-2a', 'us-west-2b']))
  expect((await scenario.end()).slice(known)).toEqual([])
})

test('incident 30: a pod whose promised node turns out not to take it gets another one', async () => {
  const scenario = await startScenario({ shapes: [web] })
  const { client } = scenario.world.stack.cluster
  const known = new Set((await scenario.nodes()).map(({ metadata }) => metadata.name))
  await scale(scenario, 14)
  let tainted: string | undefined
  for (let second = 0; second < 180 && tainted === undefined; second += 1) {
    await scenario.world.stack.cluster.clock.run({ forMs: 1_000 })
    const fresh = (await scenario.nodes()).find(({ metadata }) => !known.has(metadata.name))
    if (fresh === undefined) continue
    tainted = fresh.metadata.name
    const taints = [...(fresh.spec.taints ?? []), { key: 'example.com/mine', effect: 'NoSchedule' as const }]
    await client.patch(nodes, { name: tainted }, { kind: 'merge', body: { spec: { taints } } })
  }
  expect(tainted).toBeDefined()
  await scenario.run(12 * minute)
  expect(await scenario.waitingPods()).toEqual([])
  expect(scenario.invariants.violations).toEqual([])
})

test('incident 7: claims that come and go within a moment leave the cluster state in step', async () => {
  const scenario = await startScenario({ shapes: [web] })
  const { client, clock } = scenario.world.stack.cluster
  const spec = { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }, requirements: [] }
  // Some are never seen, some are about to be launched, some have a machine.
  const livesMs = [0, 1, 2, 5, 10, 20, 40, 100, 200, 400]
  for (let index = 0; index < 20; index += 1) {
    await client.create(nodeClaims, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: `brief-${index}` },
      spec,
    })
    await clock.run({ forMs: livesMs[index % livesMs.length] ?? 0 })
    await client.delete(nodeClaims, { name: `brief-${index}` })
  }
  await scenario.run(3 * minute)
  const { state } = scenario.world.stack.operator
  expect(state.synced()).toBe(true)
  const claims = new Set((await scenario.claims()).map(({ metadata }) => metadata.uid))
  expect(
    state.nodes().filter(({ nodeClaim }) => nodeClaim !== undefined && !claims.has(nodeClaim.metadata.uid)),
  ).toEqual([])
  await scale(scenario, 16)
  await scenario.run(10 * minute)
  await expectWhole(scenario)
})

test('incident 17: drains that block one another end when the budget is given back', async () => {
  const scenario = await startScenario({
    shapes: [web],
    pools: [{ name: 'general', budget: '1', expireAfter: '30m', consolidateAfter: 'Never' }],
  })
  const { client } = scenario.world.stack.cluster
  const key = { namespace: 'default', name: 'web' }
  await client.patch(podDisruptionBudgets, key, { kind: 'merge', body: { spec: { maxUnavailable: 0 } } })
  const before = await webUIDs(scenario)
  await scenario.run(60 * minute)
  expect(await webUIDs(scenario)).toEqual(before)
  expect((await scenario.claims()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).not.toEqual([])
  await client.patch(podDisruptionBudgets, key, { kind: 'merge', body: { spec: { maxUnavailable: '25%' } } })
  await scenario.run(20 * minute)
  expect(await scenario.waitingPods()).toEqual([])
  expect(scenario.invariants.violations).toEqual([])
  expect((await scenario.claims()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([])
})
