import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NodePool } from '../../../../src/api/karpenter.ts'
import type { KubeObject, PodDisruptionBudget } from '../../../../src/api/kubernetes.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import { drainMs, launchMs, minuteMs, runLoop } from '../../../support/disruption-loop.ts'
import {
  aBuffer,
  aFleetClass,
  aFleetPool,
  aMachine,
  aPodOn,
  aWaitingPod,
  fleetNow,
  type FleetPoolOptions,
} from '../../../support/fleet-objects.ts'
import { expectPlanIsDone } from '../../../support/plan-against-loop.ts'
import { planOf } from '../../../support/plan-of.ts'

/*
 * What a plan says is held against the disruption loop's own decisions, taken minute by minute on a fleet whose nodes come and go: one
 * drifted node in each pass, by the survey, the budgets and the simulation of that very moment.
 */

const horizonMs = 3 * 60 * minuteMs

type Budgets = NonNullable<NonNullable<NodePool['spec']['disruption']>['budgets']>

interface Fleet {
  readonly budgets: readonly Budgets[]
  readonly machines: readonly {
    readonly pool: number
    readonly zone: string
    readonly large: boolean
    readonly pods: readonly FleetPod[]
    readonly driftedMinutesAgo: number | undefined
    readonly podEventMinutesAgo: number
    readonly guarded: boolean
    readonly doNotDisrupt: boolean
  }[]
  /** Millicores of pods that wait for a node. */
  readonly waiting: readonly number[]
  readonly changes: readonly Change[]
}

interface FleetPod {
  readonly milli: number
  /** Whether it runs in the zone of its node only. */
  readonly zonal: boolean
  readonly doNotDisrupt: boolean
}

/** Of the first pool, unless they say otherwise. */
const changeKinds = [
  'label',
  'labelOfSecond',
  'weight',
  'tags',
  'requirement',
  'taint',
  'limit',
  'budgetOfSecond',
  'expireAfter',
  'consolidate',
] as const
type Change = (typeof changeKinds)[number]

const budgetLists: readonly Budgets[] = [
  [{ nodes: '1' }],
  [{ nodes: '2' }],
  [{ nodes: '50%' }],
  [{ nodes: '100%' }],
  [{ nodes: '0' }],
  [{ nodes: '3' }, { nodes: '0', schedule: '0 12 * * *', duration: '1h' }],
  [{ nodes: '2' }, { nodes: '1', schedule: '5 12 * * *', duration: '10m' }],
  [
    { nodes: '1', reasons: ['Empty'] },
    { nodes: '2', reasons: ['Drifted', 'Underutilized'] },
  ],
  [{ nodes: '0', reasons: ['Drifted'], schedule: '0 12 * * *', duration: '20m' }],
  [{ nodes: '0', reasons: ['Empty'] }, { nodes: '100%' }],
]

/** True once in so many times. */
function seldom(times: number): fc.Arbitrary<boolean> {
  return fc.nat(times - 1).map((dice) => dice === 0)
}

const fleets: fc.Arbitrary<Fleet> = fc.record({
  budgets: fc.array(fc.constantFrom(...budgetLists), { minLength: 2, maxLength: 2 }),
  machines: fc.array(
    fc.record({
      pool: fc.nat(1),
      zone: fc.constantFrom('us-east-1a', 'us-east-1b'),
      large: fc.boolean(),
      pods: fc.array(fc.record({ milli: fc.constantFrom(200, 500, 900), zonal: seldom(4), doNotDisrupt: seldom(20) }), {
        maxLength: 2,
      }),
      driftedMinutesAgo: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 3 }),
      podEventMinutesAgo: fc.integer({ min: 1, max: 5 }),
      guarded: seldom(10),
      doNotDisrupt: seldom(10),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  waiting: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(fc.constantFrom(300, 1_800), { maxLength: 2 })),
  changes: fc.uniqueArray(fc.constantFrom(...changeKinds, 'consolidate', 'consolidate'), { maxLength: 3 }),
})

const poolNames = ['blue', 'green']
const now = Date.parse(fleetNow)

function objectsOf({ budgets, machines, waiting, changes }: Fleet) {
  const optionsOf = (index: number): FleetPoolOptions => ({
    name: poolNames[index] ?? '',
    disruption: {
      consolidateAfter: 'Never',
      consolidationPolicy: 'WhenEmpty',
      budgets: budgets[index] ?? [],
    },
  })
  const pools = poolNames.map((_, index) => aFleetPool(optionsOf(index)))
  const nodeClass = aFleetClass()
  const nodes = machines.flatMap((machine, at) => {
    const { pool: index, zone, large, pods, driftedMinutesAgo, podEventMinutesAgo, guarded, doNotDisrupt } = machine
    const pool = pools[index] ?? aFleetPool()
    const name = `n${at}`
    const lastPodEventTime = toTimestamp(now - podEventMinutesAgo * minuteMs)
    const [claim, node] = aMachine(name, pool, nodeClass, {
      zone,
      type: large ? 'm5.xlarge' : 'm5.large',
      ...(driftedMinutesAgo === undefined ? {} : { driftedSince: toTimestamp(now - driftedMinutesAgo * minuteMs) }),
      ...(doNotDisrupt ? { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } : {}),
    })
    return [
      { ...claim, status: { ...claim.status, lastPodEventTime } },
      node,
      ...pods.map(({ milli, zonal, doNotDisrupt: isFixed }, slot) =>
        aPodOn(name, `pod-${at}-${slot}`, {
          cpu: `${milli}m`,
          memory: '256Mi',
          labels: guarded ? { app: 'guarded' } : {},
          ...(zonal ? { nodeSelector: { 'topology.kubernetes.io/zone': zone } } : {}),
          ...(isFixed ? { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } : {}),
        }),
      ),
    ]
  })
  const has = (change: Change): boolean => changes.includes(change)
  const first = aFleetPool({
    ...optionsOf(0),
    ...(has('label') ? { labels: { team: 'a' } } : {}),
    ...(has('weight') ? { weight: 7 } : {}),
    ...(has('limit') ? { limits: { cpu: '8' } } : {}),
    ...(has('consolidate')
      ? { disruption: { consolidateAfter: '3m', consolidationPolicy: 'WhenEmpty', budgets: budgets[0] ?? [] } }
      : {}),
    template: {
      ...(has('requirement') ? { requirements: onlyLarge() } : {}),
      ...(has('taint') ? { taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] } : {}),
      ...(has('expireAfter') ? { expireAfter: '360h' } : {}),
    },
  })
  const second = aFleetPool({
    ...optionsOf(has('budgetOfSecond') ? 0 : 1),
    name: poolNames[1] ?? '',
    ...(has('labelOfSecond') ? { labels: { team: 'a' } } : {}),
  })
  const manifests: KubeObject[] = [first, second, ...(has('tags') ? [aFleetClass({ tags: { a: 'b' } })] : [])]
  const pods = waiting.map((milli, at) => aWaitingPod(`waiting-${at}`, { cpu: `${milli}m`, memory: '256Mi' }))
  return { cluster: [...pools, nodeClass, ...nodes, ...pods, guard], manifests }
}

function onlyLarge() {
  return aFleetPool().spec.template.spec.requirements.map((entry) =>
    entry.key === 'node.kubernetes.io/instance-type' ? { ...entry, values: ['m5.large'] } : entry,
  )
}

const guard: PodDisruptionBudget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: {
    name: 'guard',
    namespace: 'default',
    uid: 'guard',
    resourceVersion: '1',
    creationTimestamp: '2026-06-01T00:00:00Z',
  },
  spec: { selector: { matchLabels: { app: 'guarded' } } },
  status: { disruptionsAllowed: 0 },
}

test('what a plan says is what the disruption loop then does', async () => {
  let [replaced, emptied] = [0, 0]
  await fc.assert(
    fc.asyncProperty(fleets, async (fleet) => {
      const counts = await expectPlanIsDone({ ...objectsOf(fleet), untilMs: horizonMs })
      replaced += counts.disrupted
      emptied += counts.emptied
    }),
    { numRuns: 150, seed: 8 },
  )
  // A property of fleets that never change would prove nothing.
  expect(replaced).toBeGreaterThan(110)
  expect(emptied).toBeGreaterThan(10)
}, 120_000)

test('where capacity buffers hold room, too', async () => {
  let replaced = 0
  const buffers = fc.record({ milli: fc.constantFrom(300, 900, 1_800), replicas: fc.integer({ min: 1, max: 3 }) })
  await fc.assert(
    fc.asyncProperty(fleets, buffers, async (fleet, { milli, replicas }) => {
      // Which of the empty nodes has the room, may change with every look, and a plan takes it that it does not.
      const changes: readonly Change[] = [
        ...fleet.changes.filter((change) => change !== 'consolidate'),
        'labelOfSecond',
      ]
      const { cluster, manifests } = objectsOf({ ...fleet, changes })
      const held = [...cluster, ...aBuffer(`${milli}m`, replicas)]
      replaced += (await expectPlanIsDone({ cluster: held, manifests, untilMs: horizonMs })).disrupted
    }),
    { numRuns: 100, seed: 10 },
  )
  expect(replaced).toBeGreaterThan(50)
}, 120_000)

test('a change whose plan is empty disrupts nothing', async () => {
  let empty = 0
  await fc.assert(
    fc.asyncProperty(fleets, async (fleet) => {
      const { cluster, manifests } = objectsOf(fleet)
      const plan = planOf(cluster, manifests, { timing: { launchMs, drainMs } })
      if (plan.nodes.some(({ action }) => action === 'replace' || action === 'remove')) return
      empty += 1
      expect((await runLoop({ cluster, manifests, untilMs: horizonMs })).starts).toEqual([])
    }),
    { numRuns: 60, seed: 9 },
  )
  expect(empty).toBeGreaterThan(10)
})
