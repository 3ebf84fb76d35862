import { expect, test } from 'vitest'
import { runToEnd } from '../../../src/model/sliced.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import {
  type Placement,
  placementInTurn,
  prepare,
  type SchedulingSettings,
  solve,
  turnsOfPromised,
} from '../../../src/scheduling/index.ts'
import { aNode, aPod, aPool, aSnapshot, fakeTypes, zoneKey } from '../../support/scheduling-world.ts'
import { requirementOn, testSettings } from '../../support/solving.ts'

const labels = { app: 'a' }
const maxSkew = 1
const spread = {
  labels,
  topologySpreadConstraints: [
    {
      maxSkew,
      topologyKey: zoneKey,
      whenUnsatisfiable: 'DoNotSchedule' as const,
      labelSelector: { matchLabels: labels },
    },
  ],
}

/** Nine pods that are alike and as old as each other, on nodes that hold some of them; another of their kind runs in the second zone. */
function aPlan(seed: number): { before: Placement; after: Placement; pods: readonly PodInfo[] } {
  const random = new SeededRandom(seed)
  const nodes = [
    aNode({
      name: 'old',
      labels: { [zoneKey]: 'z2' },
      pods: [aPod({ labels, nodeName: 'old' })],
      allocatable: { cpu: '0', pods: '1' },
    }),
  ]
  const pods = Array.from({ length: 9 }, () =>
    aPod({
      ...spread,
      requests: { cpu: '900m' },
      uid: random.uuid(),
    }),
  )
  const context = prepare(aSnapshot({ pools: [aPool()], types: fakeTypes(4), nodes, pods }), testSettings, pods)
  const before = solve(context, { pods })
  return { before, after: runToEnd(placementInTurn(context, before)), pods }
}

/** The largest skew on the way, when pods go by age to where the plan has them. */
function skewOnTheWay({ newNodePlans, existing }: Placement, pods: readonly PodInfo[], inSecondZone = 1): number {
  const zones = [...new Set(newNodePlans.map((plan) => requirementOn(plan, zoneKey) ?? ''))]
  const running = new Map(zones.map((zone) => [zone, zone.includes('z2') ? inSecondZone : 0]))
  expect(existing).toEqual([])
  let skew = 0
  for (const pod of pods.toSorted((a, b) => a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1))) {
    const plan = newNodePlans.find((one) => one.pods.includes(pod))
    const zone = requirementOn(plan, zoneKey) ?? ''
    running.set(zone, (running.get(zone) ?? 0) + 1)
    skew = Math.max(skew, Math.max(...running.values()) - Math.min(...running.values()))
  }
  return skew
}

const seeds = Array.from({ length: 20 }, (_, seed) => seed)

test('pods that go by age to their planned nodes keep to the skew at each step, which the solver by itself does not see to', () => {
  const plans = seeds.map(aPlan)
  expect(plans.filter(({ before, pods }) => skewOnTheWay(before, pods) > maxSkew).length).toBeGreaterThan(5)
  expect(plans.map(({ after, pods }) => skewOnTheWay(after, pods))).toEqual(seeds.map(() => maxSkew))
})

test('pods on nodes that the pods themselves could not use count for no skew', () => {
  const team = { team: 'a' }
  const nodes = [
    aNode({
      name: 'foreign',
      labels: { [zoneKey]: 'z2' },
      pods: Array.from({ length: 3 }, () => aPod({ labels, nodeName: 'foreign' })),
      allocatable: { cpu: '0', pods: '3' },
    }),
  ]
  for (const seed of seeds) {
    const random = new SeededRandom(seed)
    const pods = Array.from({ length: 9 }, () =>
      aPod({ ...spread, requests: { cpu: '900m' }, nodeSelector: team, uid: random.uuid() }),
    )
    const pools = [aPool({ labels: team })]
    const context = prepare(aSnapshot({ pools, types: fakeTypes(4), nodes, pods }), testSettings, pods)
    const plan = runToEnd(placementInTurn(context, solve(context, { pods })))
    expect(skewOnTheWay(plan, pods, 0)).toBe(maxSkew)
  }
})

test('a skew that the cluster gives to pods without one of their own is kept, too', () => {
  const settings: Partial<SchedulingSettings> = {
    ...testSettings,
    defaultSpread: [{ maxSkew, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule' }],
  }
  const metadata = {
    name: 'web',
    namespace: 'default',
    uid: 'web',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  }
  const spreadOwners = { services: [{ apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels } }] }
  for (const seed of seeds) {
    const random = new SeededRandom(seed)
    const pods = Array.from({ length: 9 }, () => aPod({ labels, requests: { cpu: '900m' }, uid: random.uuid() }))
    const world = aSnapshot({ pools: [aPool()], types: fakeTypes(4), pods, spreadOwners })
    const context = prepare(world, settings, pods)
    const plan = runToEnd(placementInTurn(context, solve(context, { pods })))
    expect(skewOnTheWay(plan, pods, 0)).toBe(maxSkew)
  }
})

test('each node keeps as many pods as it had, and each pod has one place', () => {
  for (const seed of seeds) {
    const { before, after, pods } = aPlan(seed)
    expect(after.newNodePlans.map((plan) => plan.pods.length)).toEqual(
      before.newNodePlans.map((plan) => plan.pods.length),
    )
    expect(new Set(after.newNodePlans.flatMap((plan) => plan.pods))).toEqual(new Set(pods))
  }
})

test('many pods are dealt out in slices', () => {
  const pods = Array.from({ length: 250 }, () => aPod({ ...spread, requests: { cpu: '900m' } }))
  const context = prepare(aSnapshot({ pools: [aPool()], types: fakeTypes(4), pods }), testSettings, pods)
  expect([...placementInTurn(context, solve(context, { pods }))]).toHaveLength(3)
})

test('pods without a skew to keep stay where they are', () => {
  const pods = Array.from({ length: 4 }, () => aPod({ labels, requests: { cpu: '900m' } }))
  const context = prepare(aSnapshot({ pools: [aPool()], types: fakeTypes(2), pods }), testSettings, pods)
  const placement = solve(context, { pods })
  expect(runToEnd(placementInTurn(context, placement))).toBe(placement)
})

test('promised pods come before all others, by age and then by name', () => {
  const [young, old, twin, other] = [
    aPod({ name: 'c', created: '2026-01-01T00:00:02Z' }),
    aPod({ name: 'b', created: '2026-01-01T00:00:01Z' }),
    aPod({ name: 'a', created: '2026-01-01T00:00:01Z' }),
    aPod({ name: 'd', created: '2026-01-01T00:00:00Z' }),
  ]
  const promised = new Map([young, old, twin].map(({ uid }) => [uid, 'node']))
  expect([...turnsOfPromised([young, old, twin, other], promised)]).toEqual([
    [twin.uid, -3],
    [old.uid, -2],
    [young.uid, -1],
  ])
})
