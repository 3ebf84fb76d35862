import { expect, test } from 'vitest'
import { annotationDoNotDisrupt } from '../../../src/api/labels.ts'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, podDisruptionBudgets, pods } from '../../../src/kube/kinds.ts'
import { minute } from '../world.ts'
import { rollImage, type Scenario, startScenario } from './scenario.ts'

async function scale({ world }: Scenario, replicas: number): Promise<void> {
  const key = { namespace: 'default', name: 'web' }
  await world.stack.cluster.client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas } } })
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

test('incident 14: a pod that says do-not-disrupt keeps running through an edit of its pool', async () => {
  const scenario = await startScenario()
  const { client } = scenario.world.stack.cluster
  const running = (await client.list(pods, { namespace: 'default' })).items.filter(({ metadata }) =>
    metadata.name.startsWith('web'),
  )
  const [pod] = running
  if (pod === undefined) throw new Error('no pod')
  const key = { namespace: 'default', name: pod.metadata.name }
  const labels = { revision: '2' }
  await client.patch(
    nodePools,
    { name: 'general' },
    { kind: 'merge', body: { spec: { template: { metadata: { labels } } } } },
  )
  await client.patch(pods, key, {
    kind: 'merge',
    body: { metadata: { annotations: { [annotationDoNotDisrupt]: 'true' } } },
  })
  await scenario.run(30 * minute)
  expect((await client.get(pods, key)).metadata.uid).toBe(pod.metadata.uid)
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
  const before = (await client.list(pods, { namespace: 'default' })).items.map(({ metadata }) => metadata.uid)
  await scenario.run(30 * minute)
  const after = new Set((await client.list(pods, { namespace: 'default' })).items.map(({ metadata }) => metadata.uid))
  expect(before.filter((uid) => after.has(uid)).length).toBeGreaterThanOrEqual(2)
  expect(await scenario.end()).toEqual([])
})

test('incident 19: machines smaller than promised do not bring a machine an hour for ever', async () => {
  const scenario = await startScenario()
  scenario.world.stack.cluster.behaviours.setAll({ memoryOverhead: 0.12 })
  const before = (await uids(scenario)).length
  await scale(scenario, 20)
  await scenario.run(60 * minute)
  expect((await uids(scenario)).length).toBeLessThan(before + 12)
  expect(await scenario.waitingPods()).toEqual([])
  expect(await scenario.end()).toEqual([])
})

test('incident 20: somebody who taints every new node gets fewer than 35 of them', async () => {
  const scenario = await startScenario()
  const { client, clock } = scenario.world.stack.cluster
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
  await scale(scenario, 10)
  await scenario.run(10 * minute)
  expect(scenario.machines().length).toBeLessThan(35)
})

test('incident 21: a limit on nodes holds, whatever is waiting', async () => {
  const scenario = await startScenario({ pools: [{ name: 'general', budget: '50%', cpu: '16' }] })
  await scale(scenario, 60)
  await scenario.run(20 * minute)
  const cpus = (await scenario.claims()).map(({ status }) => Number(status?.capacity?.['cpu'] ?? 0))
  expect(cpus.reduce((sum, cpu) => sum + cpu, 0)).toBeLessThanOrEqual(16)
  expect((await scenario.waitingPods()).length).toBeGreaterThan(0)
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
