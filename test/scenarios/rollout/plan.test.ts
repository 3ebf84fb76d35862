import { expect, test } from 'vitest'
import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { EC2NodeClass, NodePool } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { labelNodePool } from '../../../src/api/labels.ts'
import { makePlan } from '../../../src/cli/plan/make-plan.ts'
import { sortObjects } from '../../../src/cli/simulate/objects.ts'
import { regionOf } from '../../../src/cli/simulate/region.ts'
import { readCluster } from '../../../src/cli/snapshot/read-cluster.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { coreGates } from '../../../src/operator/option-table.ts'
import type { Plan } from '../../../src/rollout/plan/plan.ts'
import { createRolloutWorld, hour, minute, newVersion, type RolloutWorld, type WorldOptions } from './world.ts'

/** What the embedded machines take: boot, and the pods' grace until the instance is asked to terminate, which frees the budget. */
const machineTimes = { launchMs: 41_000, drainMs: 11_000 }

/** The plan of changed objects on the embedded cluster, from what `joinery snapshot` records of it; with `prune`, all others go. */
async function planOn(
  world: RolloutWorld,
  changed: readonly KubeObject[],
  { prune = false }: { readonly prune?: boolean } = {},
): Promise<Plan> {
  const { client, clock } = world.stack.cluster
  const recorded = await readCluster(client, { stderr: process.stderr, signal: new AbortController().signal })
  const cluster = objectsOf(recorded)
  return makePlan(cluster, objectsOf(changed), {
    now: clock.now(),
    region: regionOf(cluster),
    prune,
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
  const times = new Map<string, number>()
  world.stack.operator.caches.of(nodeClaims).subscribe(({ after }) => {
    if (after === undefined || !original.has(after.metadata.name)) return
    const node = after.status?.nodeName ?? ''
    const drifted = conditionOf(after, 'Drifted')
    if (drifted?.status === 'True') reasons.set(node, drifted.reason ?? '')
    if (!isConditionTrue(after, 'DisruptionReason') || times.has(node)) return
    times.set(node, world.stack.cluster.clock.now())
    order.push(node)
  })
  return { order, reasons, times }
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
  const plan = await planOn(world, [changed])
  expect(plan.nodes.map(({ action }) => action)).toEqual(Array.from({ length: 6 }, () => 'replace'))
  expect(plan.nodes[0]?.fields).toEqual([{ path: 'spec.template.metadata.labels.revision', old: null, new: 'two' }])

  const seen = watchDisruption(world)
  const body = { spec: { template: { metadata: { labels } } } }
  await world.stack.cluster.client.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
  expect(await world.until(() => isConditionTrue(world.pool(), 'PlannedChange'), 5 * minute)).toBe(true)
  expect(conditionOf(world.pool(), 'PlannedChange')?.message).toContain('spec.template.metadata.labels.revision')
  expect(await world.until(() => seen.order.length === 6, 4 * hour)).toBe(true)
  expect(seen).toMatchObject(planned(plan))
  const isOver = (): boolean => conditionOf(world.pool(), 'PlannedChange') === undefined
  expect(await world.until(isOver, 2 * hour)).toBe(true)
  await world.stack.stop()
}, 180_000)

test('an alias under a policy: the canary that the plan names goes first, the others after it has soaked', async () => {
  const world = await createRolloutWorld({ policy: { steps: [{ nodes: 1, soak: '20m' }] }, seed: 2 })
  const nodeClass = world.nodeClass()
  const terms = [{ alias: `al2023@${newVersion}` }]
  if (nodeClass.spec === undefined) throw new Error('the class has a spec')
  const plan = await planOn(world, [
    { ...nodeClass, spec: { ...nodeClass.spec, amiSelectorTerms: terms } } as KubeObject,
  ])
  expect(plan.waves[0]?.nodes.length).toBe(1)
  const [canary, rest] = plan.waves.map(({ notBefore }) => Date.parse(notBefore))
  expect((rest ?? 0) - (canary ?? 0)).toBeGreaterThanOrEqual(20 * minute)

  const seen = watchDisruption(world)
  await world.editAlias(newVersion)
  expect(await world.until(() => seen.order.length === 1, hour)).toBe(true)
  await world.run(15 * minute)
  expect(seen.order).toEqual(plan.waves[0]?.nodes)
  expect(await world.until(() => seen.order.length === 6, 4 * hour)).toBe(true)
  expect(seen).toMatchObject(planned(plan))
  await world.stack.stop()
}, 180_000)

test('a plan without a node to touch: the operator touches none', async () => {
  const world = await createRolloutWorld({ policy: {}, seed: 3, nodes: 3 })
  const pool = world.pool()
  const plan = await planOn(world, [{ ...pool, spec: { ...pool.spec, weight: 7 } } as KubeObject])
  expect(new Set(plan.nodes.map(({ action }) => action))).toEqual(new Set(['inPlace']))
  const seen = watchDisruption(world)
  const body = { spec: { weight: 7 } }
  await world.stack.cluster.client.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
  await world.run(30 * minute)
  expect(seen).toMatchObject({ order: [], reasons: new Map() })
  await world.stack.stop()
}, 180_000)

const withLabel = (pool: NodePool): NodePool => {
  const { template } = pool.spec
  return { ...pool, spec: { ...pool.spec, template: { ...template, metadata: { labels: { revision: 'two' } } } } }
}

interface Case {
  readonly world: WorldOptions
  /** What is committed. */
  readonly change: (world: RolloutWorld) => readonly (NodePool | EC2NodeClass)[]
  readonly replaced: number
}

/** As the class would be with another alias. */
function withAlias(world: RolloutWorld): EC2NodeClass {
  const nodeClass = world.nodeClass()
  if (nodeClass.spec === undefined) throw new Error('the class has a spec')
  return { ...nodeClass, spec: { ...nodeClass.spec, amiSelectorTerms: [{ alias: `al2023@${newVersion}` }] } }
}

const threePools = ['alpha', 'beta', 'gamma'].map((name, index) => ({
  name,
  nodes: 2,
  zone: `us-west-2${'bca'[index] ?? ''}`,
}))

const cases: Record<string, Case> = {
  'an alias for three pools, zone by zone, one node at a time': {
    world: { pools: threePools, policy: { order: { by: 'Zone', first: ['us-west-2b'] }, sharedBudget: '1' } },
    change: (world) => [withAlias(world)],
    replaced: 6,
  },
  'a label of one pool of three, with two steps': {
    world: { pools: threePools, policy: { steps: [{ nodes: 1, soak: '10m' }] } },
    change: (world) => [withLabel(world.pool('beta'))],
    replaced: 2,
  },
  'a rate of one node in ten minutes': {
    world: { nodes: 4, policy: { rate: { nodes: 1, per: '10m' } } },
    change: (world) => [withAlias(world)],
    replaced: 4,
  },
  'a static pool': {
    world: { pools: [{ name: 'default', nodes: 4, budget: '2', isStatic: true }], policy: {} },
    change: (world) => [withLabel(world.pool())],
    replaced: 4,
  },
  'a window that opens later': {
    // The embedded cluster begins its time at midnight.
    world: { nodes: 3, policy: { windows: [{ schedule: '0 2 * * *', duration: '4h' }] } },
    change: (world) => [withAlias(world)],
    replaced: 3,
  },
  'a taint that no pod tolerates': {
    world: { nodes: 3, policy: {} },
    change: (world) => {
      const { spec, ...pool } = world.pool()
      const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' as const }]
      const template = { ...spec.template, spec: { ...spec.template.spec, taints } }
      return [{ ...pool, spec: { ...spec, template } }]
    },
    replaced: 0,
  },
  'an approval of another target': {
    world: { nodes: 3, policy: { mode: 'Approve' } },
    change: (world) => {
      const annotations = { 'joinery.dev/approve': world.pool().status?.target ?? '' }
      const changed = withLabel(world.pool())
      return [{ ...changed, metadata: { ...changed.metadata, annotations } }]
    },
    replaced: 0,
  },
}

/** Passes of the loop, launches and drains take a little longer or shorter than a plan assumes, one after the other. */
const latenessMs = 3 * minute

test.each(Object.entries(cases))(
  '%s: the operator does what the plan says, when it says so',
  async (_name, { world: options, change, replaced }) => {
    const world = await createRolloutWorld(options)
    const changed = change(world)
    const plan = await planOn(world, changed)
    const { order, reasons } = planned(plan)
    expect(order).toHaveLength(replaced)

    const seen = watchDisruption(world)
    const { client } = world.stack.cluster
    for (const object of changed) {
      const { name, annotations = {} } = object.metadata
      const patch = { kind: 'merge', body: { metadata: { annotations }, spec: object.spec } } as const
      if (object.kind === 'NodePool') await client.patch(nodePools, { name }, patch)
      else await client.patch(ec2NodeClasses, { name }, patch)
    }
    expect(await world.until(() => seen.order.length === replaced, 6 * hour)).toBe(true)
    // Nobody goes whom the plan does not name.
    await world.run(30 * minute)
    expect(seen.order).toEqual(order)
    expect(seen.reasons).toEqual(reasons)
    for (const { notBefore, nodes } of plan.waves) {
      for (const node of nodes) {
        const late = (seen.times.get(node) ?? 0) - Date.parse(notBefore)
        expect(Math.abs(late), `${node} planned for ${notBefore}`).toBeLessThan(latenessMs)
      }
    }
    await world.stack.stop()
  },
  180_000,
)

test('a pool that goes: its nodes go at once, as planned, and no other', async () => {
  const world = await createRolloutWorld({ pools: threePools.slice(0, 2), policy: {} })
  const plan = await planOn(world, [world.pool('alpha'), world.nodeClass()], { prune: true })
  const going = plan.nodes.filter(({ action }) => action === 'remove')
  expect(going.map(({ nodePool, reason, wave }) => ({ nodePool, reason, wave }))).toEqual(
    Array.from({ length: 2 }, () => ({ nodePool: 'beta', reason: 'NodePoolRemoved', wave: 1 })),
  )
  const others = world.claims().filter(({ metadata: { labels } }) => labels?.[labelNodePool] === 'alpha')
  await world.stack.cluster.client.delete(nodePools, { name: 'beta' })
  const isGone = (): boolean =>
    going.every(({ nodeClaim }) => world.claims().every((it) => it.metadata.name !== nodeClaim))
  expect(await world.until(isGone, hour)).toBe(true)
  await world.run(30 * minute)
  expect(world.claims().map(({ metadata }) => metadata.name)).toEqual(others.map(({ metadata }) => metadata.name))
  await world.stack.stop()
}, 180_000)
