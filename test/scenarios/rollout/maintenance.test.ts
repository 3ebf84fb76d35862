import { expect, test } from 'vitest'
import { conditionOf } from '../../../src/api/conditions.ts'
import { annotationPauseUntil, annotationRestartAt } from '../../../src/api/joinery-annotations.ts'
import { labelNodePool } from '../../../src/api/labels.ts'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { startStack } from '../../../src/cli/embedded/stack.ts'
import { rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { createRolloutWorld, hour, minute, newVersion, watchFleet } from './world.ts'

interface CustomResourceDefinition extends KubeObject {
  readonly spec: { readonly group: string }
}

const crdKind: Resource<CustomResourceDefinition> = Object.freeze({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
})

test('nodes whose time has come are replaced in the window, at the rate, and not before', async () => {
  const world = await createRolloutWorld({
    nodes: 3,
    policy: {
      softExpireAfter: '2h',
      softExpireJitter: '0%',
      windows: [{ schedule: '0 3 * * *', duration: '3h' }],
      rate: { nodes: 1, per: '30m' },
    },
  })
  const { clock } = world.stack.cluster
  const watch = watchFleet(world)
  const midnight = Date.parse('2026-01-01T00:00:00Z')
  await world.run(midnight + 3 * hour - clock.now() - minute)
  expect(world.claims().map((claim) => conditionOf(claim, 'Drifted')?.reason)).toEqual(Array(3).fill('SoftExpired'))
  expect(watch.touched.size).toBe(0)
  await world.run(20 * minute)
  expect(watch.touched.size).toBe(1)
  await world.run(100 * minute)
  expect(watch.touched.size).toBe(3)
  expect(world.status().phase).not.toBe('Halted')
  await world.stack.stop()
}, 180_000)

test('what expires waits for the window, up to the grace that its claim promises; softly expired nodes go within the rate', async () => {
  const world = await createRolloutWorld({
    pools: [
      { name: 'patient', nodes: 3, expireAfter: '5h' },
      { name: 'strict', nodes: 1, expireAfter: '5h', terminationGracePeriod: '1h' },
    ],
    policy: {
      covers: ['Drift', 'Expiration'],
      softExpireAfter: '3h',
      softExpireJitter: '0%',
      windows: [{ schedule: '0 */4 * * *', duration: '30m' }],
      rate: { nodes: 1, per: '100h' },
      order: { by: 'NodePool', first: ['patient'] },
    },
  })
  const { clock } = world.stack.cluster
  const midnight = Date.parse('2026-01-01T00:00:00Z')
  const watch = watchFleet(world)
  const isStrict = new Map(
    world.claims().map(({ metadata }) => [metadata.name, metadata.labels?.[labelNodePool] === 'strict']),
  )
  const gone = (): { patient: number; strict: number } => {
    const strict = [...watch.touched].filter((name) => isStrict.get(name)).length
    return { patient: watch.touched.size - strict, strict }
  }
  const goneBy = async (hours: number, minutes = 0): Promise<{ patient: number; strict: number }> => {
    await world.run(midnight + hours * hour + minutes * minute - clock.now())
    return gone()
  }
  expect(await goneBy(3, 59)).toEqual({ patient: 0, strict: 0 })
  // Softly expired since three o'clock and a little: the window lets them go, and the one token one of them.
  expect(await goneBy(4, 25)).toEqual({ patient: 1, strict: 0 })
  // Expired since five o'clock and a little.
  expect(await goneBy(5, 50)).toEqual({ patient: 1, strict: 0 })
  expect(await goneBy(6, 20)).toEqual({ patient: 1, strict: 1 })
  expect(await goneBy(7, 59)).toEqual({ patient: 1, strict: 1 })
  expect(await goneBy(8, 2)).toEqual({ patient: 3, strict: 1 })
  expect(await world.until(world.allRun, 20 * minute)).toBe(true)
  await world.stack.stop()
}, 180_000)

test('a younger policy says that the older one governs, and a pause holds until it ends', async () => {
  const world = await createRolloutWorld({ nodes: 2, policy: {} })
  const { client, clock } = world.stack.cluster
  await client.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'another' },
    spec: { nodePoolSelector: { names: ['default'] }, mode: 'NewNodesOnly' },
  })
  await world.run(minute)
  const another = await client.get(rolloutPolicies, { name: 'another' })
  expect(conditionOf(another, 'Conflicting')).toMatchObject({
    status: 'True',
    message: 'NodePool default is governed by careful',
  })
  expect(another.status?.nodePools).toEqual([{ name: 'default', governedBy: 'careful' }])

  const watch = watchFleet(world)
  const until = new Date(clock.now() + 2 * hour).toISOString()
  await world.annotate('pool', { [annotationPauseUntil]: until })
  await world.editAlias(newVersion)
  await world.run(2 * hour - minute)
  expect(watch.touched.size).toBe(0)
  expect(await world.until(() => world.onNewImage().length === 2 && world.claims().length === 2, 2 * hour)).toBe(true)

  // A restart makes the same fleet anew, though nothing about it has changed.
  const before = new Set(world.claims().map(({ metadata }) => metadata.name))
  await world.annotate('pool', { [annotationRestartAt]: new Date(clock.now()).toISOString() })
  const isNew = (): boolean =>
    world.claims().length === 2 && world.claims().every(({ metadata }) => !before.has(metadata.name))
  expect(await world.until(isNew, 2 * hour)).toBe(true)
  await world.stack.stop()
}, 180_000)

test("a cluster with Karpenter's own definitions alone works without policies, says so once, and with them once they come", async () => {
  const lines: string[] = []
  const definitions = customResourceDefinitions as unknown as readonly CustomResourceDefinition[]
  const isOurs = ({ spec }: CustomResourceDefinition): boolean => spec.group === 'joinery.dev'
  const stack = await startStack({
    seed: 1,
    crds: definitions.filter((definition) => !isOurs(definition)),
    onLogLine: (line) => lines.push(line),
  })
  await stack.cluster.clock.run({ until: () => stack.operator.lifecycle.state === 'running', withinMs: minute })
  await stack.cluster.clock.run({ until: () => false, withinMs: 30 * minute })
  expect(stack.operator.lifecycle.state).toBe('running')
  expect(stack.operator.caches.pending).toEqual([])
  expect(lines.filter((line) => line.includes('working without an optional kind'))).toHaveLength(1)

  const { client, clock } = stack.cluster
  for (const definition of definitions.filter(isOurs)) await client.create(crdKind, definition)
  await client.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'late' },
    spec: { nodePoolSelector: {} },
  })
  await clock.run({ until: () => false, withinMs: 2 * minute })
  expect((await client.get(rolloutPolicies, { name: 'late' })).status).toMatchObject({ reason: 'NoNodePools' })
  await stack.stop()
}, 60_000)
