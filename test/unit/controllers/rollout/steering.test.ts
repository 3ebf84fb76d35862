import { expect, test } from 'vitest'
import type { NodePool, RolloutPolicy } from '../../../../src/api/karpenter.ts'
import type { Unsaved } from '../../../../src/api/kubernetes.ts'
import { rowOf } from '../../../../src/controllers/event-table.ts'
import { RolloutBook, steeringControllers } from '../../../../src/controllers/rollout/index.ts'
import { nodePools, rolloutPolicies } from '../../../../src/kube/karpenter-kinds.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import { objectPause } from '../../../../src/rollout/pause.ts'
import { aPool } from '../../../support/controller-builders.ts'
import { aControllerWorld, type ControllerWorld } from '../../../support/controller-world.ts'
import { aRolloutFleet } from '../../../support/rollout-fleet.ts'

const minute = 60_000
const target = '123-0a0a0a0a'

async function started(world: ControllerWorld): Promise<() => Promise<void>> {
  const { caches, clock, recorder, metrics } = world
  const pauseOf = (name: string) => {
    const pool = caches.of(nodePools).get({ name })
    return pool === undefined ? undefined : objectPause(pool, clock.now())
  }
  return world.start(...steeringControllers({ caches, clock, recorder, metrics, pauseOf }))
}

async function annotate(
  world: ControllerWorld,
  annotations: Record<string, string | null>,
): Promise<readonly string[]> {
  const before = world.recorder.published.length
  await world.kube.patch(nodePools, { name: 'general' }, { kind: 'merge', body: { metadata: { annotations } } })
  await world.run(1_000)
  return world.recorder.published.slice(before).map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
}

async function aWorldWithPool(): Promise<ControllerWorld> {
  const world = aControllerWorld()
  await world.kube.create(nodePools, aPool('general', {}, { target }))
  await started(world)
  await world.run(1_000)
  return world
}

test('a pause is told when it begins and when its time is over, and is measured in between', async () => {
  const world = await aWorldWithPool()
  const gauge = () => world.counts.observed('joinery_disruption_paused', { nodepool: 'general' }).at(-1)
  expect(gauge()).toBe(0)
  const until = toTimestamp(world.clock.now() + 10 * minute)
  expect(await annotate(world, { 'joinery.dev/pause-until': until })).toEqual([
    `Normal DisruptionPaused: No voluntary disruption until ${until}`,
  ])
  expect(gauge()).toBe(1)
  await world.run(9 * minute)
  expect(world.events('DisruptionResumed')).toEqual([])
  await world.run(minute)
  expect(world.events('DisruptionResumed')).toEqual(['Voluntary disruption goes on'])
  expect(gauge()).toBe(0)
})

test('a pause that is taken back ends at once', async () => {
  const world = await aWorldWithPool()
  await annotate(world, { 'joinery.dev/pause-until': toTimestamp(world.clock.now() + 10 * minute) })
  expect(await annotate(world, { 'joinery.dev/pause-until': null })).toEqual([
    'Normal DisruptionResumed: Voluntary disruption goes on',
  ])
})

test.each<[string, Record<string, string>, string]>([
  [
    'an approval of the target',
    { 'joinery.dev/approve': target },
    `Normal TargetApproved: Target ${target} is approved`,
  ],
  [
    'an approval of something else',
    { 'joinery.dev/approve': '9-00000000' },
    `Warning TargetApproved: Target 9-00000000 is approved, but the target now is ${target}: the approval has no effect`,
  ],
  [
    'a restart',
    { 'joinery.dev/restart-at': '2025-01-01T00:00:00Z' },
    'Normal RestartRequested: Nodes made before 2025-01-01T00:00:00Z are to be replaced',
  ],
  [
    'a retirement',
    { 'joinery.dev/retire': 'general' },
    'Normal RetireRequested: NodePool general is retired: it gets no new nodes, and present ones are drained',
  ],
  [
    'a retirement under another name',
    { 'joinery.dev/retire': 'yes' },
    'Warning AnnotationUnreadable: metadata.annotations[joinery.dev/retire]: "yes" is not the name of this NodePool; to retire it, the value must be "general"',
  ],
])('%s is told once and counted, as a row of the table', async (_name, annotations, want) => {
  const world = await aWorldWithPool()
  expect(await annotate(world, annotations)).toEqual([want])
  expect(await annotate(world, { other: 'x' })).toEqual([])
  expect(world.counts.sum('joinery_rollout_requests_total', { kind: 'NodePool', name: 'general' })).toBe(1)
  for (const { reason, type, message } of world.recorder.published) {
    expect(rowOf({ reason, type, message, kind: 'NodePool' })).toBeDefined()
  }
})

test('a restart in the future is told when its time has come', async () => {
  const world = await aWorldWithPool()
  const at = toTimestamp(world.clock.now() + 5 * minute)
  expect(await annotate(world, { 'joinery.dev/restart-at': at })).toEqual([])
  await world.run(5 * minute)
  expect(world.events('RestartRequested')).toEqual([`Nodes made before ${at} are to be replaced`])
})

test('what an earlier process has told is not told again, what was made since is', async () => {
  const world = await aWorldWithPool()
  await annotate(world, { 'joinery.dev/retire': 'general' })
  const next = aControllerWorld(world)
  await started(next)
  await next.run(minute)
  expect(next.events()).toEqual([])
  const pool = aPool('new')
  await next.kube.create(nodePools, {
    ...pool,
    metadata: { ...pool.metadata, annotations: { 'joinery.dev/retire': 'new' } },
  })
  await next.run(1_000)
  expect(next.events('RetireRequested')).toHaveLength(1)
})

test('a change of the status wakes nobody', async () => {
  const world = await aWorldWithPool()
  const [controller] = steeringControllers({ ...world, pauseOf: () => undefined })
  const before: NodePool = await world.read(nodePools, { name: 'general' })
  const after = { ...before, status: { ...before.status, nodes: 7 } }
  expect(controller?.sources[0]?.toKeys({ kind: 'updated', before, after })).toEqual([])
  const annotated = { ...before, metadata: { ...before.metadata, annotations: { a: 'b' } } }
  expect(controller?.sources[0]?.toKeys({ kind: 'updated', before, after: annotated })).toHaveLength(1)
})

test('a policy that declares a pause is told as one', async () => {
  const world = await aWorldWithPool()
  const until = toTimestamp(world.clock.now() + 10 * minute)
  await world.run(1_000)
  await world.kube.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'freeze' },
    spec: { nodePoolSelector: {}, pausedUntil: until },
  })
  await world.run(1_000)
  expect(world.events('DisruptionPaused')).toEqual([`No voluntary disruption until ${until}`])
  await world.run(10 * minute)
  expect(world.events('DisruptionResumed')).toHaveLength(1)
})

test('a pool is measured as paused from when a paused policy selects it, and no longer', async () => {
  const world = aControllerWorld()
  const { kube, caches, clock, recorder, metrics } = world
  await kube.create(nodePools, aPool('general'))
  const pausedUntil = toTimestamp(clock.now() + 60 * minute)
  const freeze: Unsaved<RolloutPolicy> = {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'freeze' },
    spec: { nodePoolSelector: { matchLabels: { team: 'web' } }, pausedUntil },
  }
  await kube.create(rolloutPolicies, freeze)
  const fleet = aRolloutFleet(world, undefined)
  const book = new RolloutBook({ policies: caches.of(rolloutPolicies), fleet, clock })
  const pauseOf = (pool: string) => book.pauseOf(pool)
  await world.start(...steeringControllers({ caches, clock, recorder, metrics, pauseOf }))
  await world.run(1_000)
  const gauge = () => world.counts.observed('joinery_disruption_paused', { nodepool: 'general' }).at(-1)
  expect(gauge()).toBe(0)
  await kube.patch(nodePools, { name: 'general' }, { kind: 'merge', body: { metadata: { labels: { team: 'web' } } } })
  await world.run(1_000)
  expect(gauge()).toBe(1)
  const spec = { nodePoolSelector: { matchLabels: { team: 'batch' } } }
  await kube.patch(rolloutPolicies, { name: 'freeze' }, { kind: 'merge', body: { spec } })
  await world.run(1_000)
  expect(gauge()).toBe(0)
})
