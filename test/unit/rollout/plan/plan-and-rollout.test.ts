import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EC2NodeClass, NodePool, RolloutPolicy, RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { minuteMs } from '../../../support/disruption-loop.ts'
import { targetsOf } from '../../../support/engine-model.ts'
import {
  aFleetClass,
  aFleetPool,
  aMachine,
  annotated,
  aPodOn,
  aWaitingPod,
  type FleetPoolOptions,
} from '../../../support/fleet-objects.ts'
import { expectPlanIsDone } from '../../../support/plan-against-loop.ts'

/*
 * The same property as without policies, for what rollouts add: images and other finds of the node class, pools that go or have a fixed
 * number of nodes, and everything in a policy that says when and how many.
 */

const horizonMs = 4 * 60 * minuteMs

interface Fleet {
  readonly budgets: readonly string[]
  readonly machines: readonly {
    readonly pool: number
    readonly zone: string
    readonly pods: readonly number[]
    readonly isOld: boolean
  }[]
  readonly change: Change
  /** Replicas of the second pool before, and what the change makes of them; undefined: it is dynamic. */
  readonly fewer: number | undefined
  readonly policies: readonly Spec[]
  /** Of what the change makes of the first pool and its class. */
  readonly approval: Approval
  /** Until when an annotation of the class pauses its pools. */
  readonly classPause: string | undefined
  /** Whether the change lets empty nodes of the first pool go. */
  readonly opens: boolean
  /** Millicores of pods that wait for a node. */
  readonly waiting: readonly number[]
}

const approvals = ['none', 'pool', 'nodeClass', 'another'] as const
type Approval = (typeof approvals)[number]

type Spec = Omit<RolloutPolicySpec, 'nodePoolSelector'>

const changes = [
  'image',
  'imageSame',
  'groups',
  'subnets',
  'label',
  'labels',
  'removed',
  'retired',
  'restart',
  'restartClass',
  'nothing',
] as const
type Change = (typeof changes)[number]

/** Mostly nothing, so that what is there stands by itself as well as with others. */
function seldom<T>(values: readonly T[]): fc.Arbitrary<T | undefined> {
  return fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })
}

const specs: fc.Arbitrary<Spec> = fc
  .record({
    mode: seldom<RolloutPolicySpec['mode']>(['NewNodesOnly', 'Observe', 'Approve', 'Approve']),
    steps: seldom<RolloutPolicySpec['steps']>([
      [{ nodes: 1, soak: '10m' }],
      [{ nodes: '30%' }, { nodes: '60%', soak: '7m' }],
      [{ nodes: 2, soak: '1h' }, { nodes: '100%' }],
    ]),
    // From 12:15 and from 13:00 in UTC; on a Sunday.
    windows: seldom<RolloutPolicySpec['windows']>([
      [{ schedule: '45 17 * * *', duration: '30m', timeZone: 'Asia/Kolkata' }],
      [{ schedule: '0 9 * * 0', duration: '1h', timeZone: 'America/New_York' }],
    ]),
    blackoutDates: seldom<RolloutPolicySpec['blackoutDates']>([[{ from: '2026-06-14' }], [{ from: '2026-06-15' }]]),
    rate: seldom<RolloutPolicySpec['rate']>([
      { nodes: 1, per: '10m' },
      { nodes: 2, per: '30m' },
    ]),
    sharedBudget: seldom(['1', '2', '50%']),
    deadline: seldom(['15m', '2h']),
    order: seldom<RolloutPolicySpec['order']>([
      { by: 'Zone', first: ['us-east-1b'] },
      { by: 'Age' },
      { by: 'NodePool', first: ['green'] },
      { by: 'Label', label: 'topology.kubernetes.io/zone' },
    ]),
    // The new image was first seen at nine.
    minImageAge: seldom(['3h20m', '2h']),
    pausedUntil: seldom(['2026-06-14T12:20:00Z']),
    covers: seldom<RolloutPolicySpec['covers']>([['Consolidation'], ['Drift', 'Consolidation']]),
    softExpireAfter: fc.constantFrom(undefined, '24h'),
  })
  .map((spec) =>
    Object.fromEntries(Object.entries({ ...spec, softExpireJitter: '0%' }).filter(([, value]) => value !== undefined)),
  )

const fleets: fc.Arbitrary<Fleet> = fc.record({
  budgets: fc.array(fc.constantFrom('1', '2', '50%', '100%'), { minLength: 2, maxLength: 2 }),
  machines: fc.array(
    fc.record({
      pool: fc.nat(1),
      zone: fc.constantFrom('us-east-1a', 'us-east-1b'),
      pods: fc.array(fc.constantFrom(300, 900, 1_500), { maxLength: 2 }),
      isOld: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  change: fc.constantFrom(...changes),
  fewer: fc.option(fc.nat(2), { nil: undefined, freq: 2 }),
  policies: fc.array(specs, { maxLength: 2 }),
  approval: fc.constantFrom(...approvals),
  classPause: fc.option(fc.constant('2026-06-14T12:25:00Z'), { nil: undefined, freq: 1 }),
  opens: fc.boolean(),
  waiting: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(fc.constantFrom(300, 1_800), { maxLength: 2 })),
})

const poolNames = ['blue', 'green']

function inputOf(fleet: Fleet) {
  const { budgets, machines, change, fewer, policies, approval, classPause, opens, waiting } = fleet
  const staticNodes = machines.filter(({ pool }) => pool === 1).length
  const pool = (index: number, extra: Partial<FleetPoolOptions> = {}): NodePool =>
    aFleetPool({
      name: poolNames[index] ?? '',
      disruption: {
        consolidateAfter: 'Never',
        consolidationPolicy: 'WhenEmpty',
        budgets: [{ nodes: budgets[index] ?? '1' }],
      },
      ...(index === 1 && fewer !== undefined ? { replicas: staticNodes, template: { requirements: onlyLarge } } : {}),
      ...extra,
    })
  const pools = [pool(0), pool(1)]
  const nodeClass = aFleetClass()
  const cluster: KubeObject[] = [
    ...pools,
    nodeClass,
    ...machines.flatMap((machine, at) => [
      ...aMachine(`n${at}`, pools[machine.pool] ?? pool(0), nodeClass, {
        zone: machine.zone,
        createdAt: machine.isOld ? '2026-06-12T09:00:00Z' : '2026-06-14T09:00:00Z',
      }),
      ...machine.pods.map((milli, slot) =>
        aPodOn(`n${at}`, `pod-${at}-${slot}`, { cpu: `${milli}m`, memory: '256Mi' }),
      ),
    ]),
    ...waiting.map((milli, at) => aWaitingPod(`waiting-${at}`, { cpu: `${milli}m`, memory: '256Mi' })),
  ]
  const shrunk = fewer === undefined ? {} : { replicas: Math.max(0, staticNodes - fewer) }
  const labels = { labels: { team: 'a' } }
  const resolved = found[change]
  const first = pool(0, {
    ...(change === 'label' || change === 'labels' ? labels : {}),
    ...(opens ? { disruption: { ...pools[0]?.spec.disruption, consolidateAfter: '3m' } } : {}),
  })
  const changedClass = changedClasses[change] ?? aFleetClass()
  const targets = targetsOf(first, { ...changedClass, status: { ...changedClass.status, ...resolved } })
  const manifests: KubeObject[] = [
    annotated(first, {
      ...(change === 'restart' ? { 'joinery.dev/restart-at': '2026-06-13T00:00:00Z' } : {}),
      ...(change === 'retired' ? { 'joinery.dev/retire': 'blue' } : {}),
      ...(approval === 'pool' ? { 'joinery.dev/approve': targets.pool } : {}),
      ...(approval === 'another' ? { 'joinery.dev/approve': targets.nodeClass } : {}),
    }),
    ...(change === 'removed' ? [] : [pool(1, { ...shrunk, ...(change === 'labels' ? labels : {}) })]),
    annotated(changedClass, {
      ...(change === 'restartClass' ? { 'joinery.dev/restart-at': '2026-06-13T00:00:00Z' } : {}),
      ...(classPause === undefined ? {} : { 'joinery.dev/pause-until': classPause }),
      ...(approval === 'nodeClass' ? { 'joinery.dev/approve': targets.nodeClass } : {}),
    }),
    ...policies.map((spec, index) =>
      aPolicy(spec, index, policies.length === 1 ? poolNames : poolNames.slice(index, index + 1)),
    ),
  ]
  return {
    cluster,
    manifests,
    prune: change === 'removed',
    untilMs: horizonMs,
    ...(resolved === undefined ? {} : { resolved }),
  }
}

const onlyLarge = aFleetPool().spec.template.spec.requirements.map((entry) =>
  entry.key === 'node.kubernetes.io/instance-type' ? { ...entry, values: ['m5.large'] } : entry,
)

function aPolicy(spec: Spec, index: number, names: readonly string[]): RolloutPolicy {
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: {
      name: `p${index}`,
      uid: `p${index}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-06-01T00:00:00Z',
    },
    spec: { nodePoolSelector: { names: [...names] }, ...spec },
  }
}

const newAlias = { amiSelectorTerms: [{ alias: 'al2023@v20260701' }] }
const changedClasses: Partial<Record<Change, EC2NodeClass>> = {
  image: aFleetClass(newAlias),
  imageSame: aFleetClass(newAlias),
  groups: aFleetClass({ securityGroupSelectorTerms: [{ tags: { team: 'a' } }] }),
  subnets: aFleetClass({ subnetSelectorTerms: [{ id: 'subnet-b' }, { id: 'subnet-c' }] }),
}

const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]
/** What the changed selectors find. */
const found: Partial<Record<Change, EC2NodeClass['status']>> = {
  image: {
    amis: [{ id: 'ami-2', name: 'al2023-v20260701', requirements }],
    imageHistory: [
      {
        revision: 2,
        images: [{ id: 'ami-2', name: 'al2023-v20260701' }],
        firstSeen: '2026-06-14T09:00:00Z',
        outcome: 'unknown',
      },
    ],
  },
  imageSame: { amis: [{ id: 'ami-1', name: 'al2023-v20260601', requirements }] },
  groups: { securityGroups: [{ id: 'sg-2', name: 'others' }] },
  subnets: { subnets: ['b', 'c'].map((zone) => ({ id: `subnet-${zone}`, zone: `us-east-1${zone}` })) },
}

test('a plan of a rollout is what the engine and the loop then do', async () => {
  const disrupted = new Map<Change, number>()
  const approved = new Set<Approval>()
  await fc.assert(
    fc.asyncProperty(fleets, async (fleet) => {
      const counts = await expectPlanIsDone(inputOf(fleet))
      disrupted.set(fleet.change, (disrupted.get(fleet.change) ?? 0) + counts.disrupted)
      if (fleet.policies.some(({ mode }) => mode === 'Approve') && counts.disrupted > 0) approved.add(fleet.approval)
    }),
    { numRuns: 100, seed: 7 },
  )
  // A property of fleets that never change would prove nothing.
  for (const change of changes) if (change !== 'imageSame') expect(disrupted.get(change), change).toBeGreaterThan(3)
  expect([...approved]).toEqual(expect.arrayContaining(['pool', 'nodeClass']))
}, 240_000)
