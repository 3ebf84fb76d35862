import { expect, test } from 'vitest'
import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { makePlan } from '../../../src/cli/plan/make-plan.ts'
import { sortObjects } from '../../../src/cli/simulate/objects.ts'
import { regionOf } from '../../../src/cli/simulate/world.ts'
import { readCluster } from '../../../src/cli/snapshot/read-cluster.ts'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { coreGates } from '../../../src/operator/option-table.ts'
import type { Plan } from '../../../src/rollout/plan/plan.ts'
import { createRolloutWorld, hour, minute, newVersion, type RolloutWorld } from './world.ts'

/** What the embedded machines take: boot, and the pods' grace until the instance is asked to terminate, which frees the budget. */
const machineTimes = { launchMs: 41_000, drainMs: 11_000 }

/** The plan of a change of an object on the embedded cluster, from what `joinery snapshot` records of it. */
async function planOn(world: RolloutWorld, changed: KubeObject): Promise<Plan> {
  const { client, clock } = world.stack.cluster
  const recorded = await readCluster(client, { stderr: process.stderr, signal: new AbortController().signal })
  const cluster = objectsOf(recorded)
  return makePlan(cluster, objectsOf([changed]), {
    now: clock.now(),
    region: regionOf(cluster),
    prune: false,
    featureGates: coreGates,
    resolved: new Map(),
    timing: machineTimes,
  })
}

function objectsOf(objects: readonly KubeObject[]) {
  return sortObjects(
    objects.map((object, index) => ({
      file: 'cluster',
      index,
      content: { kind: 'object', object: { ...object } },
      locate: () => ({ line: 1, column: 1 }),
    })),
  )
}

/** Notes, while it runs, the order in which nodes are taken and why. */
function watchDisruption(world: RolloutWorld) {
  const original = new Set(world.claims().map(({ metadata }) => metadata.name))
  const order: string[] = []
  const reasons = new Map<string, string>()
  world.stack.operator.caches.of(nodeClaims).subscribe(({ after }) => {
    if (after === undefined || !original.has(after.metadata.name)) return
    const node = after.status?.nodeName ?? ''
    const drifted = conditionOf(after, 'Drifted')
    if (drifted?.status === 'True') reasons.set(node, drifted.reason ?? '')
    if (isConditionTrue(after, 'DisruptionReason') && !order.includes(node)) order.push(node)
  })
  return { order, reasons }
}

function planned(plan: Plan) {
  return {
    order: plan.waves.flatMap(({ nodes }) => nodes),
    reasons: new Map(plan.nodes.flatMap(({ node, reason }) => (reason === null ? [] : [[node, reason] as const]))),
  }
}

test('a label of the template: the operator takes the nodes that the plan named, in its order, for its reasons', async () => {
  const world = await createRolloutWorld({ policy: {} })
  const pool = world.pool()
  const labels = { revision: 'two' }
  const changed = { ...pool, spec: { ...pool.spec, template: { ...pool.spec.template, metadata: { labels } } } }
  const plan = await planOn(world, changed)
  expect(plan.nodes.map(({ action }) => action)).toEqual(Array.from({ length: 6 }, () => 'replace'))
  expect(plan.nodes[0]?.fields).toEqual([{ path: 'spec.template.metadata.labels.revision', old: null, new: 'two' }])

  const seen = watchDisruption(world)
  const body = { spec: { template: { metadata: { labels } } } }
  await world.stack.cluster.client.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
  expect(await world.until(() => isConditionTrue(world.pool(), 'PlannedChange'), 5 * minute)).toBe(true)
  expect(conditionOf(world.pool(), 'PlannedChange')?.message).toContain('spec.template.metadata.labels.revision')
  expect(await world.until(() => seen.order.length === 6, 4 * hour)).toBe(true)
  expect(seen).toEqual(planned(plan))
  const isOver = (): boolean => conditionOf(world.pool(), 'PlannedChange') === undefined
  expect(await world.until(isOver, 2 * hour)).toBe(true)
  await world.stack.stop()
}, 180_000)

test('an alias under a policy: the canary that the plan names goes first, the others after it has soaked', async () => {
  const world = await createRolloutWorld({ policy: { steps: [{ nodes: 1, soak: '20m' }] }, seed: 2 })
  const nodeClass = world.nodeClass()
  const terms = [{ alias: `al2023@${newVersion}` }]
  if (nodeClass.spec === undefined) throw new Error('the class has a spec')
  const plan = await planOn(world, { ...nodeClass, spec: { ...nodeClass.spec, amiSelectorTerms: terms } } as KubeObject)
  expect(plan.waves[0]?.nodes.length).toBe(1)
  const [canary, rest] = plan.waves.map(({ notBefore }) => Date.parse(notBefore))
  expect((rest ?? 0) - (canary ?? 0)).toBeGreaterThanOrEqual(20 * minute)

  const seen = watchDisruption(world)
  await world.editAlias(newVersion)
  expect(await world.until(() => seen.order.length === 1, hour)).toBe(true)
  await world.run(15 * minute)
  expect(seen.order).toEqual(plan.waves[0]?.nodes)
  expect(await world.until(() => seen.order.length === 6, 4 * hour)).toBe(true)
  expect(seen).toEqual(planned(plan))
  await world.stack.stop()
}, 180_000)

test('a plan without a node to touch: the operator touches none', async () => {
  const world = await createRolloutWorld({ policy: {}, seed: 3, nodes: 3 })
  const pool = world.pool()
  const plan = await planOn(world, { ...pool, spec: { ...pool.spec, weight: 7 } } as KubeObject)
  expect(new Set(plan.nodes.map(({ action }) => action))).toEqual(new Set(['inPlace']))
  const seen = watchDisruption(world)
  const body = { spec: { weight: 7 } }
  await world.stack.cluster.client.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
  await world.run(30 * minute)
  expect(seen).toEqual({ order: [], reasons: new Map() })
  await world.stack.stop()
}, 180_000)
