import { expect, test } from 'vitest'
import type { Node, Pod } from '../../../src/api/kubernetes.ts'
import { annotationDoNotDisrupt, taintDisruptedKey } from '../../../src/api/labels.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, podDisruptionBudgets, pods } from '../../../src/kube/kinds.ts'
import { minute } from '../world.ts'
import { rollImage, type Scenario, startScenario } from './scenario.ts'

async function scale({ world }: Scenario, replicas: number): Promise<void> {
  const key = { namespace: 'default', name: 'web' }
  await world.stack.cluster.client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas } } })
}

function podsOn({ world }: Scenario, nodeName: string): readonly Pod[] {
  const all = world.stack.cluster.apiServer.context.store.list('/pods') as unknown as readonly Pod[]
  return all.filter(({ metadata, spec }) => spec.nodeName === nodeName && metadata.name.startsWith('web'))
}

async function uids(scenario: Scenario): Promise<readonly string[]> {
  return (await scenario.claims()).map(({ metadata }) => metadata.uid)
}

test('incident 9: hashes of an older version drift nothing', async () => {
  const scenario = await startScenario()
  const before = await uids(scenario)
  const { client } = scenario.world.stack.cluster
  const annotations = { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'v1' }
  for (const object of [...(await scenario.claims())]) {
    await client.patch(
      nodeClaims,
      { name: object.metadata.name },
      { kind: 'merge', body: { metadata: { annotations } } },
    )
  }
  await client.patch(nodePools, { name: 'general' }, { kind: 'merge', body: { metadata: { annotations } } })
  await scenario.run(20 * minute)
  expect(await uids(scenario)).toEqual(before)
  expect(await scenario.end()).toEqual([])
})

const packed = { name: 'web', replicas: 12, cpu: '3', memory: '4Gi' }

/** When the first node is tainted for disruption, in monotonic time since the start; infinity when none is. */
function firstTaint({ world }: Scenario): () => number {
  const { apiServer, clock } = world.stack.cluster
  const startAt = clock.monotonicMs()
  let first = Number.POSITIVE_INFINITY
  apiServer.context.store.subscribe('/nodes', ({ type, object }) => {
    const { spec } = object as unknown as Node
    if (type === 'DELETED' || spec.taints?.some(({ key }) => key === taintDisruptedKey) !== true) return
    first = Math.min(first, clock.monotonicMs() - startAt)
  })
  return () => first
}

async function webPods({ world }: Scenario): Promise<readonly Pod[]> {
  const { items } = await world.stack.cluster.client.list(pods, { namespace: 'default' })
  return items.filter(({ metadata }) => metadata.name.startsWith('web'))
}

async function protect({ world }: Scenario, all: readonly Pod[]): Promise<void> {
  const body = { metadata: { annotations: { [annotationDoNotDisrupt]: 'true' } } }
  for (const { metadata } of all) {
    const key = { namespace: 'default', name: metadata.name }
    await world.stack.cluster.client.patch(pods, key, { kind: 'merge', body })
  }
}

test('incident 14: a pod that says do-not-disrupt in the moment in which its node is tainted runs on', async () => {
  const scenario = await startScenario({ shapes: [packed], pools: [{ name: 'general', budget: '1' }] })
  const { client } = scenario.world.stack.cluster
  let said: Pod | undefined
  scenario.hooks.addCall((call) => {
    const taints = JSON.stringify(call.body ?? {}).includes(taintDisruptedKey)
    if (said !== undefined || call.resource.plural !== 'nodes' || call.verb !== 'patch' || !taints) return undefined
    said = podsOn(scenario, call.name ?? '')[0]
    if (said !== undefined) void protect(scenario, [said])
    return undefined
  })
  const body = { spec: { template: { metadata: { labels: { revision: '2' } } } } }
  await client.patch(nodePools, { name: 'general' }, { kind: 'merge', body })
  await scenario.run(30 * minute)
  if (said === undefined) throw new Error('no node with pods was tainted')
  const key = { namespace: 'default', name: said.metadata.name }
  expect((await client.get(pods, key)).metadata.uid).toBe(said.metadata.uid)
  expect(await scenario.end()).toEqual([])
})

test('incident 14: pods that say do-not-disrupt between the decision and the taint keep their node from being tainted', async () => {
  const options = { shapes: [packed], pools: [{ name: 'general', budget: '1' }], database: 0 }
  const undisturbed = await startScenario(options)
  const taintedAt = firstTaint(undisturbed)
  await scale(undisturbed, 10)
  await undisturbed.run(10 * minute)
  expect(taintedAt()).toBeLessThan(10 * minute)
  expect(await undisturbed.end()).toEqual([])

  const scenario = await startScenario(options)
  const taintedThen = firstTaint(scenario)
  await scale(scenario, 10)
  // A consolidation is decided fifteen seconds before it is carried out.
  await scenario.run(taintedAt() - 7_000)
  const before = await webPods(scenario)
  await protect(scenario, before)
  await scenario.run(20 * minute)
  expect(taintedThen()).toBe(Number.POSITIVE_INFINITY)
  expect((await webPods(scenario)).map(({ metadata }) => metadata.uid)).toEqual(
    before.map(({ metadata }) => metadata.uid),
  )
  expect(await scenario.end()).toEqual([])
})

test('incident 16: while a budget allows nothing, no node of its pods is disturbed', async () => {
  const scenario = await startScenario()
  const { client } = scenario.world.stack.cluster
  await client.patch(
    podDisruptionBudgets,
    { namespace: 'default', name: 'web' },
    { kind: 'merge', body: { spec: { maxUnavailable: 0 } } },
  )
  await scale(scenario, 2)
  await scenario.run(minute)
  const before = await webPods(scenario)
  const homes = new Set(before.map(({ spec }) => spec.nodeName))
  await scenario.run(30 * minute)
  expect((await webPods(scenario)).map(({ metadata }) => metadata.uid)).toEqual(
    before.map(({ metadata }) => metadata.uid),
  )
  const disturbed = (await scenario.nodes()).filter(({ spec }) =>
    spec.taints?.some(({ key }) => key === taintDisruptedKey),
  )
  expect(disturbed.filter(({ metadata }) => homes.has(metadata.name))).toEqual([])
  expect(await scenario.end()).toEqual([])
})

/** What the class's kubelet section does not tell. */
const moreReserved = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      systemReserved:
        memory: 1Gi
`

test.each([
  ['memory of which the kernel takes more', 0.12, ''],
  ['a kubelet that keeps more for itself', 0.07, moreReserved],
])(
  'incident 19: for a pod that just does not fit, with %s, the next machine is larger',
  async (_why, memoryOverhead, userData) => {
    const shapes = [{ name: 'web', replicas: 0, cpu: '500m', memory: '13700Mi' }]
    const scenario = await startScenario({ shapes, pools: [{ name: 'general' }], database: 0 })
    const { aws, behaviours, client } = scenario.world.stack.cluster
    behaviours.setAll({ memoryOverhead })
    await client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body: { spec: { userData } } })
    await scenario.run(minute)
    await scale(scenario, 1)
    await scenario.run(10 * minute)
    expect(await scenario.waitingPods()).toEqual([])
    const [running] = await webPods(scenario)
    // No consolidation takes it to a machine that is as small again.
    await scenario.run(4 * 60 * minute)
    expect((await webPods(scenario)).map(({ metadata }) => metadata.uid)).toEqual([running?.metadata.uid])
    expect(aws.state.instances.length).toBeLessThanOrEqual(3)
    await scale(scenario, 4)
    await scenario.run(10 * minute)
    expect(await scenario.end()).toEqual([])
    expect(await scenario.waitingPods()).toEqual([])
    expect(aws.state.instances.length).toBeLessThanOrEqual(8)
  },
)

test('incident 20: somebody who taints every new node gets fewer than 35 of them', async () => {
  const scenario = await startScenario()
  const { aws, client, clock } = scenario.world.stack.cluster
  const before = new Set((await scenario.nodes()).map(({ metadata }) => metadata.name))
  const taints = [{ key: 'example.com/mine', effect: 'NoExecute' as const }]
  const taintAll = async (): Promise<void> => {
    for (const { metadata, spec } of await scenario.nodes()) {
      if (before.has(metadata.name) || spec.taints?.some(({ key }) => key === 'example.com/mine') === true) continue
      await client.patch(
        nodes,
        { name: metadata.name },
        { kind: 'merge', body: { spec: { taints: [...(spec.taints ?? []), ...taints] } } },
      )
    }
  }
  const again = (): void => {
    void taintAll().catch(() => undefined)
    clock.schedule(1_000, again)
  }
  again()
  const launched = aws.state.instances.length
  await scale(scenario, 10)
  await scenario.run(10 * minute)
  expect(aws.state.instances.length - launched).toBeLessThan(35)
  await scenario.run(5 * 60 * minute)
  // Another one an hour, to see whether it is over.
  expect(aws.state.instances.length - launched).toBeLessThan(35)
})

test('incident 21: a limit holds, whatever is waiting, and while the last machines have not joined', async () => {
  const scenario = await startScenario({ pools: [{ name: 'general', budget: '50%', cpu: '16' }] })
  const launched = scenario.world.stack.cluster.aws.faults.count('ec2:CreateFleet')
  await scale(scenario, 9)
  await scenario.world.stack.cluster.clock.run({ forMs: 10_000 })
  expect(scenario.world.stack.cluster.aws.faults.count('ec2:CreateFleet')).toBeGreaterThan(launched)
  await scale(scenario, 60)
  await scenario.run(20 * minute)
  const cpus = (await scenario.claims()).map(({ status }) => Number(status?.capacity?.['cpu'] ?? 0))
  expect(cpus.reduce((sum, cpu) => sum + cpu, 0)).toBeLessThanOrEqual(16)
  expect((await scenario.waitingPods()).length).toBeGreaterThan(0)
  expect(await scenario.end()).toEqual([])
})

test('incident 24: consolidation comes to rest', async () => {
  const scenario = await startScenario()
  await scale(scenario, 30)
  await scenario.run(10 * minute)
  await scale(scenario, 9)
  await scenario.run(40 * minute)
  const before = await uids(scenario)
  await scenario.run(30 * minute)
  expect(await uids(scenario)).toEqual(before)
  expect(await scenario.end()).toEqual([])
})

test('incident 26: a broken image costs no healthy node', async () => {
  const scenario = await startScenario()
  const { aws } = scenario.world.stack.cluster
  const before = (await scenario.nodes()).map(({ metadata }) => metadata.name)
  const launched = aws.faults.count('ec2:CreateFleet')
  await rollImage(scenario, { joins: false })
  await scenario.run(60 * minute)
  const after = new Set((await scenario.nodes()).map(({ metadata }) => metadata.name))
  expect(before.filter((name) => !after.has(name))).toEqual([])
  expect(await scenario.waitingPods()).toEqual([])
  // Replacements are tried, one after the other.
  expect(aws.faults.count('ec2:CreateFleet') - launched).toBeGreaterThan(0)
  expect(aws.faults.count('ec2:CreateFleet') - launched).toBeLessThan(8)
})
