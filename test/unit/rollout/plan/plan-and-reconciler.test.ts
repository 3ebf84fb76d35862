import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeClaimConditions, setCondition, setConditionTrue } from '../../../../src/api/conditions.ts'
import { ec2NodeClassHashAnnotations, hashesDiffer } from '../../../../src/api/hash/index.ts'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../../../src/api/karpenter.ts'
import type { KubeObject, Node, PodDisruptionBudget } from '../../../../src/api/kubernetes.ts'
import { resolveInstanceTypes } from '../../../../src/cli/simulate/instance-types.ts'
import { sortObjects } from '../../../../src/cli/simulate/objects.ts'
import { buildWorld } from '../../../../src/cli/simulate/world.ts'
import { toStateNode } from '../../../../src/cluster/state-node.ts'
import { computeBudgets } from '../../../../src/disruption/budgets.ts'
import { type Candidate, surveyCandidates } from '../../../../src/disruption/candidates.ts'
import { decideConsolidatable, driftFromPool } from '../../../../src/disruption/conditions.ts'
import { decideDrift, filterDrifted } from '../../../../src/disruption/drift.ts'
import { decideEmptiness, filterEmpty } from '../../../../src/disruption/emptiness.ts'
import { isReschedulable } from '../../../../src/disruption/pod-eviction.ts'
import { runToEnd } from '../../../../src/disruption/simulation.ts'
import { simulatorOn } from '../../../../src/disruption/what-if.ts'
import { allocatableOf } from '../../../../src/model/instance-type.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import { compareText } from '../../../../src/model/order.ts'
import { toResourceList } from '../../../../src/model/resources.ts'
import type { Snapshot, StateNode } from '../../../../src/model/snapshot.ts'
import {
  defaultSettings,
  type NodePlan,
  type Placement,
  prepare,
  solve,
  toNodeClaim,
} from '../../../../src/scheduling/index.ts'
import {
  aFleetCatalogue,
  aFleetClass,
  aFleetPool,
  aMachine,
  aPodOn,
  fleetNow,
  type FleetPoolOptions,
} from '../../../support/fleet-objects.ts'
import { planOf } from '../../../support/plan-of.ts'

/*
 * What a plan says is held against the disruption loop's own decisions, taken minute by minute on a fleet whose nodes come and go: one
 * drifted node in each pass, by the survey, the budgets and the simulation of that very moment.
 */

const minuteMs = 60_000
const launchMs = 2 * minuteMs
const drainMs = minuteMs
const horizonMs = 3 * 60 * minuteMs

interface Fleet {
  readonly budgets: readonly NonNullable<NonNullable<NodePool['spec']['disruption']>['budgets']>[]
  readonly machines: readonly {
    readonly pool: number
    readonly zone: string
    readonly large: boolean
    readonly pods: readonly number[]
    readonly driftedMinutesAgo: number | undefined
    readonly podEventMinutesAgo: number
    readonly guarded: boolean
    readonly doNotDisrupt: boolean
  }[]
  readonly changes: readonly Change[]
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

const budgetLists = [
  [{ nodes: '1' }],
  [{ nodes: '2' }],
  [{ nodes: '50%' }],
  [{ nodes: '100%' }],
  [{ nodes: '0' }],
  [{ nodes: '3' }, { nodes: '0', schedule: '0 12 * * *', duration: '1h' }],
  [{ nodes: '2' }, { nodes: '1', schedule: '5 12 * * *', duration: '10m' }],
] as const

const fleets: fc.Arbitrary<Fleet> = fc.record({
  budgets: fc.array(fc.constantFrom(...budgetLists.map((list) => [...list])), { minLength: 2, maxLength: 2 }),
  machines: fc.array(
    fc.record({
      pool: fc.nat(1),
      zone: fc.constantFrom('us-east-1a', 'us-east-1b'),
      large: fc.boolean(),
      pods: fc.array(fc.constantFrom(200, 500, 900), { maxLength: 2 }),
      driftedMinutesAgo: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 3 }),
      podEventMinutesAgo: fc.integer({ min: 1, max: 5 }),
      guarded: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
      doNotDisrupt: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  changes: fc.uniqueArray(fc.constantFrom(...changeKinds, 'consolidate', 'consolidate'), { maxLength: 3 }),
})

const poolNames = ['blue', 'green']
const now = Date.parse(fleetNow)

function objectsOf({ budgets, machines, changes }: Fleet) {
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
      ...pods.map((milli, slot) =>
        aPodOn(name, `pod-${at}-${slot}`, {
          cpu: `${milli}m`,
          memory: '256Mi',
          labels: guarded ? { app: 'guarded' } : {},
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
  return { cluster: [...pools, nodeClass, ...nodes, guard], manifests }
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

/** What the disruption loop does once the manifests are applied: which nodes start when, and why. */
function reconcile(cluster: readonly KubeObject[], manifests: readonly KubeObject[]) {
  // The builders stamp hashes as the controllers would, so the manifests stand for the stored objects.
  const applied = cluster.map(
    (object) =>
      manifests.find(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name) ?? object,
  )
  const objects = sortObjects(
    [...applied, aFleetCatalogue()].map((object, index) => ({
      file: 'test',
      index,
      content: { kind: 'object', object: { ...object } },
      locate: () => ({ line: 1, column: 1 }),
    })),
  )
  const { instanceTypes, vocabulary } = resolveInstanceTypes(objects, 'us-east-1')
  const base = buildWorld(objects, { now, instanceTypes })
  const settings = { ...defaultSettings, vocabulary }
  const reasons = new Map<string, string>()
  const nodes = new Map<string, StateNode>()
  for (const node of base.nodes) nodes.set(node.key, withDrift(node, base, objects.nodeClasses[0], reasons))
  const originals = new Set(nodes.keys())
  const starts: { readonly at: number; readonly node: string }[] = []
  let underWay: { readonly key: string; readonly readyAt: number; readonly coming: readonly string[] }[] = []
  const snapshotAt = (at: number): Snapshot => ({
    ...base,
    now: at,
    nodes: [...nodes.values()].toSorted((a, b) => compareText(a.name, b.name)),
  })
  for (let at = now; at <= now + horizonMs; at += minuteMs) {
    for (const { key, coming } of underWay.filter((it) => it.coming.length > 0 && it.readyAt === at)) {
      for (const name of coming) update(nodes, name, asInitialized)
      drain(key, nodes, snapshotAt(at), settings)
    }
    for (const { key } of underWay.filter((it) => it.readyAt + drainMs === at)) nodes.delete(key)
    underWay = underWay.filter((it) => it.readyAt + drainMs > at)
    for (const candidate of emptiesAt(snapshotAt(at), originals, underWay)) {
      starts.push({ at, node: candidate.name })
      update(nodes, candidate.providerID, (node) => ({ ...node, markedForDeletion: true }))
      underWay.push({ key: candidate.providerID, readyAt: at, coming: [] })
    }
    for (;;) {
      const snapshot = snapshotAt(at)
      const queued = new Set(underWay.map(({ key }) => key))
      const { candidates } = surveyCandidates(snapshot, { disruptionClass: 'eventual', queued })
      const budgets = computeBudgets(snapshot.nodePools, snapshot.nodes, 'Drifted', at)
      const { command } = runToEnd(decideDrift(filterDrifted(candidates), budgets, simulatorOn(snapshot, settings)))
      if (command === undefined) break
      const [candidate] = command.candidates
      starts.push({ at, node: candidate.name })
      update(nodes, candidate.providerID, (node) => ({ ...node, markedForDeletion: true }))
      const coming = command.replacements.map((plan, index) => {
        const node = aNewNode(plan, `new-${starts.length}-${index}`)
        nodes.set(node.key, node)
        return node.key
      })
      // Without a replacement to wait for, the node is drained at once.
      underWay.push({ key: candidate.providerID, readyAt: coming.length === 0 ? at : at + launchMs, coming })
      if (coming.length === 0) drain(candidate.providerID, nodes, snapshotAt(at), settings)
    }
  }
  return { starts, reasons }
}

/** What emptiness takes in a pass. Nodes that come with the change, and then stand empty, are nothing that a plan tells of. */
function emptiesAt(
  snapshot: Snapshot,
  originals: ReadonlySet<string>,
  underWay: readonly { readonly key: string }[],
): readonly Candidate[] {
  const pools = new Map(snapshot.nodePools.map((pool) => [pool.metadata.name, pool]))
  const nodes = snapshot.nodes.map((node): StateNode => {
    const { nodeClaim } = node
    const pool = pools.get(node.nodePool)
    if (nodeClaim === undefined || pool === undefined || !originals.has(node.key)) return node
    const isOpen = decideConsolidatable(nodeClaim, pool, snapshot.now).kind === 'consolidatable'
    return isOpen
      ? { ...node, nodeClaim: setConditionTrue(nodeClaim, nodeClaimConditions, 'Consolidatable', snapshot.now) }
      : node
  })
  const queued = new Set(underWay.map(({ key }) => key))
  const { candidates } = surveyCandidates({ ...snapshot, nodes }, { disruptionClass: 'graceful', queued })
  const { eligible } = filterEmpty(candidates, new Set())
  const decision = decideEmptiness(eligible, computeBudgets(snapshot.nodePools, nodes, 'Empty', snapshot.now))
  return decision.kind === 'command' ? decision.command.candidates : []
}

function withDrift(
  node: StateNode,
  { nodePools }: Snapshot,
  nodeClass: EC2NodeClass | undefined,
  reasons: Map<string, string>,
): StateNode {
  const { nodeClaim } = node
  const pool = nodePools.find(({ metadata }) => metadata.name === node.nodePool)
  if (nodeClaim === undefined || pool === undefined || nodeClass === undefined) return node
  const reason =
    driftFromPool(nodeClaim, pool, new Map()) ??
    (hashesDiffer(nodeClass, nodeClaim, ec2NodeClassHashAnnotations) ? 'NodeClassDrift' : undefined)
  const others = (nodeClaim.status?.conditions ?? []).filter(({ type }) => type !== 'Drifted')
  const healthy = { ...nodeClaim, status: { ...nodeClaim.status, conditions: others } }
  if (reason === undefined) return { ...node, nodeClaim: healthy }
  reasons.set(node.name, reason)
  return {
    ...node,
    nodeClaim: setCondition(nodeClaim, nodeClaimConditions, { type: 'Drifted', status: 'True', reason }, now),
  }
}

function update(nodes: Map<string, StateNode>, key: string, change: (node: StateNode) => StateNode): void {
  const node = nodes.get(key)
  if (node !== undefined) nodes.set(key, change(node))
}

/** The pods start elsewhere, on nodes that are there. */
function drain(key: string, nodes: Map<string, StateNode>, snapshot: Snapshot, settings: typeof defaultSettings): void {
  const moving = nodes.get(key)?.pods.filter(isReschedulable) ?? []
  update(nodes, key, (node) => ({ ...node, pods: node.pods.filter((pod) => !isReschedulable(pod)) }))
  const emptied = { ...snapshot, nodes: snapshot.nodes.map((node) => nodes.get(node.key) ?? node) }
  const placement: Placement = solve(prepare(emptied, settings), { pods: moving, reservedMode: 'fallback' })
  for (const { node, pods } of placement.existing) {
    update(nodes, node.key, (current) => ({
      ...current,
      pods: [...current.pods, ...pods.map((pod) => ({ ...pod, nodeName: node.name }))],
    }))
  }
}

function aNewNode(plan: NodePlan, name: string): StateNode {
  const draft = toNodeClaim(plan)
  const [type] = plan.instanceTypes
  if (type === undefined) throw new Error('a plan has a type')
  const labels = {
    ...draft.metadata.labels,
    'karpenter.sh/nodepool': plan.nodePool,
    'karpenter.sh/capacity-type': 'on-demand',
    'node.kubernetes.io/instance-type': type.name,
    'topology.kubernetes.io/zone':
      [...(plan.requirements.get('topology.kubernetes.io/zone')?.values ?? [])][0] ?? 'us-east-1a',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'kubernetes.io/hostname': name,
  }
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: toTimestamp(now), labels }
  const conditions = [
    {
      type: 'Launched',
      status: 'True' as const,
      lastTransitionTime: toTimestamp(now),
      reason: 'Launched',
      message: '',
    },
  ]
  const claim: NodeClaim = { ...draft, metadata, spec: draft.spec, status: { providerID: name, conditions } }
  const amounts = toResourceList(allocatableOf(type.capacity, type.overhead))
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { ...metadata, labels: { ...labels, 'karpenter.sh/registered': 'true' } },
    spec: { providerID: name },
    status: {
      capacity: toResourceList(type.capacity),
      allocatable: amounts,
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: toTimestamp(now), reason: 'Ready', message: '' },
      ],
    },
  }
  return toStateNode({
    key: name,
    node,
    nodeClaim: claim,
    csiNode: undefined,
    pods: [],
    nominatedUntil: 0,
    marked: false,
  })
}

function asInitialized(node: StateNode): StateNode {
  return { ...node, initialized: true }
}

test('what a plan says is what the disruption loop then does', () => {
  let [replaced, emptied] = [0, 0]
  fc.assert(
    fc.property(fleets, (fleet) => {
      const { cluster, manifests } = objectsOf(fleet)
      const plan = planOf(cluster, manifests, { timing: { launchMs, drainMs } })
      const { starts, reasons } = reconcile(cluster, manifests)
      replaced += starts.length
      const planned = plan.waves.flatMap(({ notBefore, nodes }) => nodes.map((node) => `${notBefore} ${node}`))
      expect(planned).toEqual(starts.map(({ at, node }) => `${toTimestamp(at)} ${node}`))
      const drifted = plan.nodes.filter(({ action }) => action === 'replace')
      expect(new Map(drifted.map(({ node, reason }) => [node, reason]))).toEqual(reasons)
      emptied += plan.nodes.filter(({ reason, wave }) => reason === 'Empty' && wave !== null).length
      // Whoever is to go either has a wave or is told to be held back.
      const held = new Set(plan.blockedBy.map(({ node }) => node))
      for (const { node, action, wave } of plan.nodes)
        expect((action === 'replace' || action === 'remove') && wave === null).toBe(held.has(node))
    }),
    { numRuns: 150, seed: 8 },
  )
  // A property of fleets that never change would prove nothing.
  expect(replaced).toBeGreaterThan(110)
  expect(emptied).toBeGreaterThan(10)
})

test('a change whose plan is empty disrupts nothing', () => {
  let empty = 0
  fc.assert(
    fc.property(fleets, (fleet) => {
      const { cluster, manifests } = objectsOf(fleet)
      const plan = planOf(cluster, manifests, { timing: { launchMs, drainMs } })
      if (plan.nodes.some(({ action }) => action === 'replace' || action === 'remove')) return
      empty += 1
      expect(reconcile(cluster, manifests).starts).toEqual([])
    }),
    { numRuns: 60, seed: 9 },
  )
  expect(empty).toBeGreaterThan(10)
})
