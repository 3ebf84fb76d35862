import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { KubeObject, Unsaved } from '../../../src/api/kubernetes.ts'
import { throttled } from '../../../src/embedded/aws/errors.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, leases, nodes, podDisruptionBudgets, pods } from '../../../src/kube/kinds.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { aNodeClass, aPool } from '../objects.ts'
import { minute } from '../world.ts'
import { type Scenario, startScenario } from './scenario.ts'

const manifests = join(import.meta.dirname, '../../../manifests')

async function scale({ world }: Scenario, replicas: number): Promise<void> {
  const key = { namespace: 'default', name: 'web' }
  await world.stack.cluster.client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas } } })
}

async function expectWhole(scenario: Scenario): Promise<void> {
  expect(await scenario.waitingPods()).toEqual([])
  expect(scenario.machines()).toHaveLength((await scenario.claims()).length)
  expect(await scenario.end()).toEqual([])
}

/** Nobody can promise anything to pods that will find no node any more. */
async function withdrawBudgets({ world }: Scenario): Promise<void> {
  const { client } = world.stack.cluster
  for (const name of ['web', 'db']) await client.delete(podDisruptionBudgets, { namespace: 'default', name })
}

function shipped(path: string): readonly Unsaved<KubeObject>[] {
  return parseAllDocuments(readFileSync(join(manifests, path), 'utf8')).map(
    (document) => document.toJS() as Unsaved<KubeObject>,
  )
}

function admission(kind: string): Resource {
  const plural = kind.endsWith('y') ? `${kind.slice(0, -1).toLowerCase()}ies` : `${kind.toLowerCase()}s`
  return { group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false }
}

test('incident 8: what was deleted while no controller ran goes as soon as one runs again', async () => {
  const scenario = await startScenario()
  const { client } = scenario.world.stack.cluster
  scenario.world.stack.crashOperator()
  const before = scenario.machines().map(({ id }) => id)
  for (const { metadata } of await scenario.claims()) await client.delete(nodeClaims, { name: metadata.name })
  await scenario.run(30 * minute)
  expect(scenario.machines().map(({ id }) => id)).toEqual(before)
  scenario.world.stack.startOperator()
  await scenario.run(15 * minute)
  expect(scenario.machines().filter(({ id }) => before.includes(id))).toEqual([])
  expect((await scenario.claims()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([])
  await expectWhole(scenario)
})

test('incident 8: an uninstall that takes pool and class away together ends every machine, and then the class', async () => {
  const scenario = await startScenario()
  const { client } = scenario.world.stack.cluster
  await withdrawBudgets(scenario)
  const { store } = scenario.world.stack.cluster.apiServer.context
  const left: number[] = []
  store.subscribe('karpenter.k8s.aws/ec2nodeclasses', ({ type }) => {
    if (type === 'DELETED') left.push(store.list('karpenter.sh/nodeclaims').length)
  })
  await client.delete(ec2NodeClasses, { name: 'default' })
  await client.delete(nodePools, { name: 'general' })
  await scenario.run(20 * minute)
  expect(left).toEqual([0])
  expect(scenario.machines().map(({ id }) => id)).toEqual([])
  expect((await client.list(ec2NodeClasses)).items).toEqual([])
  expect((await client.list(nodePools)).items).toEqual([])
  expect(scenario.invariants.violations).toEqual([])
})

test('incident 23: seventy minutes of throttling cost time, not machines, and no storm of calls', async () => {
  const scenario = await startScenario()
  const { aws } = scenario.world.stack.cluster
  const machines = scenario.machines().map(({ id }) => id)
  let calls = 0
  const heal = aws.faults.add(({ service }) => {
    if (service !== 'ec2') return undefined
    calls += 1
    return { kind: 'fail', error: throttled() }
  })
  await scale(scenario, 40)
  await scenario.run(70 * minute)
  heal()
  expect(calls / 70).toBeLessThan(200)
  expect(scenario.machines().map(({ id }) => id)).toEqual(expect.arrayContaining(machines))
  await scenario.run(15 * minute)
  await expectWhole(scenario)
})

test('incident 31: manifests that are applied every few seconds change nothing, and drift nothing', async () => {
  const scenario = await startScenario({ pools: [{ name: 'general' }] })
  const { client } = scenario.world.stack.cluster
  const git = { fieldManager: 'kustomize-controller' }
  const apply = async (): Promise<readonly number[]> => {
    const nodeClass = await client.patch(
      ec2NodeClasses,
      { name: 'default' },
      { kind: 'apply', body: aNodeClass(), force: true },
      git,
    )
    const pool = await client.patch(
      nodePools,
      { name: 'general' },
      { kind: 'apply', body: aPool({ name: 'general' }), force: true },
      git,
    )
    return [nodeClass.metadata.generation ?? 0, pool.metadata.generation ?? 0]
  }
  const before = await apply()
  const claims = (await scenario.claims()).map(({ metadata }) => metadata.uid)
  for (let index = 0; index < 60; index += 1) {
    await scenario.run(10_000)
    expect(await apply()).toEqual(before)
  }
  expect((await scenario.claims()).map(({ metadata }) => metadata.uid)).toEqual(claims)
  await expectWhole(scenario)
})

test('incident 32: webhooks that were left behind, with nobody to answer, block no pod, node, lease or recovery', async () => {
  const scenario = await startScenario()
  const { client } = scenario.world.stack.cluster
  const hooks = shipped('base/joinery.yaml').filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
  expect(hooks.length).toBeGreaterThan(0)
  for (const hook of hooks) {
    const text = JSON.stringify(hook).replaceAll(/"service":\{[^}]*\}/g, '"url":"https://127.0.0.1:1/nobody"')
    await client.create(admission(hook.kind), JSON.parse(text) as Unsaved<KubeObject>)
  }
  await scale(scenario, 30)
  scenario.crash()
  await scenario.run(15 * minute)
  const [claim] = await scenario.claims()
  await client.delete(nodeClaims, { name: claim?.metadata.name ?? '' })
  await scenario.run(10 * minute)
  const { items } = await client.list(leases, { namespace: 'kube-system' })
  expect(items.length).toBeGreaterThan(0)
  const labels = { edited: 'true' }
  await client.patch(nodePools, { name: 'general' }, { kind: 'merge', body: { metadata: { labels } } })
  await expectWhole(scenario)
})

test('incident 33: with the deletion guard a pool that has nodes is not deleted by a slip', async () => {
  const scenario = await startScenario()
  const { client } = scenario.world.stack.cluster
  for (const object of shipped('components/deletion-guard/deletion-guard.yaml'))
    await client.create(admission(object.kind), object)
  const machines = scenario.machines().map(({ id }) => id)
  await expect(client.delete(nodePools, { name: 'general' })).rejects.toThrow(/still has \d+ node/)
  await scenario.run(5 * minute)
  expect(scenario.machines().map(({ id }) => id)).toEqual(machines)
  await withdrawBudgets(scenario)
  const annotations = { 'joinery.dev/confirm-delete': 'general' }
  await client.patch(nodePools, { name: 'general' }, { kind: 'merge', body: { metadata: { annotations } } })
  await client.delete(nodePools, { name: 'general' })
  await scenario.run(15 * minute)
  expect(scenario.machines().map(({ id }) => id)).toEqual([])
  expect(scenario.invariants.violations).toEqual([])
})

test('incident 34: a backlog outlives operators that are killed again and again while they work on it', async () => {
  const shapes = [{ name: 'web', replicas: 2, cpu: '250m', memory: '256Mi' }]
  const scenario = await startScenario({ shapes })
  await scale(scenario, 600)
  for (let index = 0; index < 4; index += 1) {
    await scenario.run(20_000)
    scenario.crash()
  }
  await scenario.run(12 * minute)
  expect(await scenario.waitingPods()).toEqual([])
  const cpus = (await scenario.claims()).reduce((sum, { status }) => sum + Number(status?.capacity?.['cpu'] ?? 0), 0)
  // A quarter more than the pods ask for, for daemons and for what a half-written plan opened twice.
  expect(cpus).toBeLessThanOrEqual(600 * 0.25 * 1.25)
  await expectWhole(scenario)
})

test('incident 39: what the process remembers does not grow with the nodes and pods that have come and gone', async () => {
  const scenario = await startScenario({ settings: { disableClusterStateObservability: false } })
  const { client } = scenario.world.stack.cluster
  const series = async (): Promise<readonly string[]> => {
    const { text } = await scenario.world.stack.metrics.render()
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  }
  const known = new Set<string>()
  const names = async (): Promise<readonly string[]> =>
    [...(await client.list(nodes)).items, ...(await client.list(pods)).items, ...(await scenario.claims())].map(
      ({ metadata }) => metadata.name,
    )
  const counts: number[] = []
  for (let round = 0; round < 4; round += 1) {
    await scale(scenario, 30)
    await scenario.run(8 * minute)
    for (const name of await names()) known.add(name)
    await scale(scenario, 6)
    await scenario.run(22 * minute)
    counts.push((await series()).length)
  }
  const present = new Set(await names())
  const gone = [...known].filter((name) => !present.has(name))
  expect(gone.length).toBeGreaterThan(60)
  const published = await series()
  const namedOf = (all: Iterable<string>): readonly string[] =>
    [...all].filter((name) => published.some((line) => line.includes(`"${name}"`)))
  expect(namedOf(present).length).toBeGreaterThan(6)
  expect(namedOf(gone)).toEqual([])
  expect((await client.list(pods, { namespace: 'default' })).items.length).toBeLessThan(12)
  // Counters keep a series for each instance type that was ever launched; nodes and pods leave none.
  expect(counts.at(-1) ?? 0).toBeLessThanOrEqual((counts[1] ?? 0) * 1.15)
  expect(await scenario.end()).toEqual([])
})
