import { nodeClaimConditions, setCondition, setConditionTrue } from '../../src/api/conditions.ts'
import { ec2NodeClassHashAnnotations, hashesDiffer } from '../../src/api/hash/index.ts'
import type { EC2NodeClass, NodeClaim, RolloutPolicy } from '../../src/api/karpenter.ts'
import type { KubeObject, Node } from '../../src/api/kubernetes.ts'
import { virtualBufferPods } from '../../src/cli/simulate/buffers.ts'
import { resolveInstanceTypes } from '../../src/cli/simulate/instance-types.ts'
import { sortObjects } from '../../src/cli/simulate/objects.ts'
import { buildWorld } from '../../src/cli/simulate/world.ts'
import { dynamicDrift } from '../../src/cloud/aws/drift.ts'
import type { EC2Instance } from '../../src/cloud/aws/instance/ec2-instance.ts'
import { toStateNode } from '../../src/cluster/state-node.ts'
import { computeBudgets, type VoluntaryReason } from '../../src/disruption/budgets.ts'
import { type Candidate, surveyCandidates } from '../../src/disruption/candidates.ts'
import { decideConsolidatable, driftFromPool } from '../../src/disruption/conditions.ts'
import { decideDrift, filterDrifted } from '../../src/disruption/drift.ts'
import { decideEmptiness, filterEmpty } from '../../src/disruption/emptiness.ts'
import { type DisruptionGate, limitBudgets, throughGate } from '../../src/disruption/gate.ts'
import { isReschedulable } from '../../src/disruption/pod-eviction.ts'
import { runToEnd } from '../../src/model/sliced.ts'
import { chooseScaleDown } from '../../src/disruption/static-capacity.ts'
import { decideStaticDrift, filterStaticDrifted } from '../../src/disruption/static-drift.ts'
import { simulatorOn } from '../../src/disruption/what-if.ts'
import { allocatableOf } from '../../src/model/instance-type.ts'
import { toTimestamp } from '../../src/model/clock.ts'
import { compareText } from '../../src/model/order.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import { toResourceList } from '../../src/model/resources.ts'
import type { Snapshot, StateNode } from '../../src/model/snapshot.ts'
import { govern } from '../../src/rollout/engine/index.ts'
import { ownDriftOf } from '../../src/rollout/own-drift.ts'
import {
  defaultSettings,
  type NodePlan,
  type Placement,
  prepare,
  solve,
  toNodeClaim,
} from '../../src/scheduling/index.ts'
import { EngineModel } from './engine-model.ts'
import { aFleetCatalogue, fleetNow } from './fleet-objects.ts'

/*
 * A model of the operator on a fleet, minute by minute, made of its own decisions: drift, the survey, budgets, the simulation, and the
 * rollout engine, each asked anew in the state of that moment. What the cloud and the kubelets do is assumed as a plan assumes it.
 */

export const minuteMs = 60_000
export const launchMs = 2 * minuteMs
export const drainMs = 60_000

interface LoopStart {
  readonly at: number
  readonly node: string
}

export interface LoopResult {
  /** What was disrupted, in order. */
  readonly starts: readonly LoopStart[]
  /** By node: why it drifts. */
  readonly reasons: ReadonlyMap<string, string>
  /** Those that went at once: of a removed pool, or too many of a static one. */
  readonly atOnce: readonly string[]
}

export interface LoopInput {
  readonly cluster: readonly KubeObject[]
  /** As in Git. With `prune`, pools that none of them names are removed. */
  readonly manifests: readonly KubeObject[]
  readonly prune?: boolean
  /** What the class resolves to once it is applied. */
  readonly resolved?: EC2NodeClass['status']
  readonly untilMs: number
}

interface UnderWay {
  readonly key: string
  readonly readyAt: number
  readonly coming: readonly string[]
}

const now = Date.parse(fleetNow)

/** What the operator does once the manifests are applied. */
export async function runLoop(input: LoopInput): Promise<LoopResult> {
  const fleet = await LoopFleet.of(input)
  fleet.begin()
  for (let at = now; at <= now + input.untilMs; at += minuteMs) fleet.pass(at)
  return { starts: fleet.starts, reasons: fleet.reasons, atOnce: fleet.atOnce }
}

class LoopFleet {
  readonly starts: LoopStart[] = []
  readonly atOnce: string[] = []
  readonly reasons: ReadonlyMap<string, string>
  #base: Snapshot
  #made = 0
  readonly #settings: typeof defaultSettings
  readonly #nodes: Map<string, StateNode>
  readonly #originals: ReadonlySet<string>
  readonly #present: ReadonlySet<string>
  /** Of capacity buffers: they want their room in every look, and never run. */
  readonly #standIns: readonly PodInfo[]
  readonly #engine: EngineModel
  #underWay: UnderWay[] = []

  static async of({ cluster, manifests, prune = false, resolved }: LoopInput): Promise<LoopFleet> {
    // The builders stamp hashes as the controllers would, so the manifests stand for the stored objects.
    const isNamed = (object: KubeObject): boolean =>
      manifests.some(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name)
    const kept = cluster.filter((object) => isNamed(object) || !prune || object.kind !== 'NodePool')
    const applied = [...kept.filter((object) => !isNamed(object)), ...manifests].map((object) =>
      object.kind === 'EC2NodeClass' && resolved !== undefined
        ? {
            ...object,
            status: { ...('status' in object && object.status !== null ? Object(object.status) : {}), ...resolved },
          }
        : object,
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
    const [nodeClass] = objects.nodeClasses
    if (nodeClass === undefined) throw new Error('the fleet has a class')
    const presentPools = new Set(cluster.flatMap(({ kind, metadata }) => (kind === 'NodePool' ? [metadata.name] : [])))
    const reasons = new Map<string, string>()
    for (const node of base.nodes) {
      const reason = await driftReason(node, base, nodeClass, objects.rolloutPolicies)
      if (reason !== undefined) reasons.set(node.name, reason)
    }
    const standIns = virtualBufferPods(objects)
    const { rolloutPolicies: policies } = objects
    return new LoopFleet({ base, nodeClass, presentPools, reasons, policies, vocabulary, standIns })
  }

  constructor(made: {
    readonly base: Snapshot
    readonly nodeClass: EC2NodeClass
    readonly presentPools: ReadonlySet<string>
    readonly reasons: ReadonlyMap<string, string>
    readonly policies: readonly RolloutPolicy[]
    readonly vocabulary: (typeof defaultSettings)['vocabulary']
    readonly standIns: readonly PodInfo[]
  }) {
    this.#base = made.base
    this.#present = made.presentPools
    this.#standIns = made.standIns
    this.#settings = { ...defaultSettings, vocabulary: made.vocabulary }
    const reasons = new Map(made.reasons)
    this.#nodes = new Map(made.base.nodes.map((node) => [node.key, withDrift(node, reasons.get(node.name))]))
    this.#originals = new Set(this.#nodes.keys())
    this.#engine = new EngineModel(made.policies, made.base.nodePools, made.nodeClass)
    this.reasons = reasons
  }

  /** Nodes of pools that are no more, and those that a static pool has too many of: neither asks a budget. Pods that wait get nodes. */
  begin(): void {
    const going = [...this.#nodes.values()].filter((node) => this.#isOfRemovedPool(node))
    for (const pool of this.#base.nodePools) {
      const { replicas } = pool.spec
      const nodes = [...this.#nodes.values()].filter(({ nodePool }) => nodePool === pool.metadata.name)
      if (replicas === undefined) continue
      const claims = nodes.flatMap(({ nodeClaim }) => nodeClaim ?? [])
      const chosen = new Set(
        chooseScaleDown({ excess: claims.length - replicas, claims, nodes, now }).map(({ key }) => key),
      )
      going.push(...nodes.filter(({ key }) => chosen.has(key)))
    }
    for (const { key, name } of going) {
      this.atOnce.push(name)
      this.#update(key, (node) => ({ ...node, markedForDeletion: true }))
      this.#underWay.push({ key, readyAt: now, coming: [] })
    }
    // All of them at once, so that no pod moves to a node that goes as well; what comes for them is taken to be there.
    const moving = [...this.#base.unboundPods, ...this.#evicted(going.map(({ key }) => key))]
    this.#base = { ...this.#base, unboundPods: [] }
    this.#bind(moving, now, { makes: true })
  }

  pass(at: number): void {
    for (const { key, coming } of this.#underWay.filter((it) => it.coming.length > 0 && it.readyAt === at)) {
      for (const name of coming) this.#update(name, (node) => ({ ...node, initialized: true }))
      this.#drain(key, at)
    }
    for (const { key } of this.#underWay.filter((it) => it.readyAt + drainMs === at)) this.#nodes.delete(key)
    this.#underWay = this.#underWay.filter((it) => it.readyAt + drainMs > at)
    while (this.#disruptNext(at)) continue
  }

  #isOfRemovedPool({ nodePool }: StateNode): boolean {
    return this.#present.has(nodePool) && !this.#base.nodePools.some(({ metadata }) => metadata.name === nodePool)
  }

  /** As one pass of the loop: the first method that finds something ends it. */
  #disruptNext(at: number): boolean {
    const snapshot = this.#snapshotAt(at)
    const gate = this.#engine.look(snapshot, counted(snapshot))
    return this.#empty(snapshot, gate) || this.#replaceStatic(snapshot, gate) || this.#replace(snapshot, gate)
  }

  /** Nodes that come with the change, and then stand empty, are nothing that a plan tells of. */
  #empty(snapshot: Snapshot, gate: DisruptionGate): boolean {
    const pools = new Map(snapshot.nodePools.map((pool) => [pool.metadata.name, pool]))
    const nodes = snapshot.nodes.map((node): StateNode => {
      const { nodeClaim } = node
      const pool = pools.get(node.nodePool)
      if (nodeClaim === undefined || pool === undefined || !this.#originals.has(node.key)) return node
      const isOpen = decideConsolidatable(nodeClaim, pool, snapshot.now).kind === 'consolidatable'
      return isOpen
        ? { ...node, nodeClaim: setConditionTrue(nodeClaim, nodeClaimConditions, 'Consolidatable', snapshot.now) }
        : node
    })
    const { candidates } = surveyCandidates(
      { ...snapshot, nodes },
      { disruptionClass: 'graceful', queued: this.#queued() },
    )
    const { eligible } = throughGate(filterEmpty(candidates, new Set()).eligible, 'Empty', gate)
    const decision = decideEmptiness(eligible, this.#budgets({ ...snapshot, nodes }, 'Empty', gate))
    if (decision.kind !== 'command') return false
    for (const candidate of decision.command.candidates) this.#begin(candidate, snapshot.now, [])
    return true
  }

  #replaceStatic(snapshot: Snapshot, gate: DisruptionGate): boolean {
    const eligible = throughGate(
      filterStaticDrifted(this.#candidates(snapshot), gate.driftOrder),
      'Drifted',
      gate,
    ).eligible
    const counts = new Map(
      snapshot.nodePools.map(({ metadata: { name } }) => {
        const own = snapshot.nodes.filter(({ nodePool }) => nodePool === name)
        const pendingDisruption = this.#underWay.filter(
          ({ key, coming }) => coming.length > 0 && own.some((node) => node.key === key),
        ).length
        return [name, { active: own.filter(({ markedForDeletion }) => !markedForDeletion).length, pendingDisruption }]
      }),
    )
    const wishes = decideStaticDrift(eligible, this.#budgets(snapshot, 'Drifted', gate), counts)
    for (const { candidates } of wishes)
      for (const candidate of candidates) {
        const name = `new-${this.starts.length}`
        const { stateNode } = candidate
        const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: toTimestamp(snapshot.now) }
        const claim = { ...candidate.nodeClaim, metadata: { ...candidate.nodeClaim.metadata, ...metadata } }
        const healthy = withDrift({ ...stateNode, nodeClaim: claim }, undefined)
        this.#nodes.set(name, { ...healthy, key: name, name, hostname: name, initialized: false, pods: [] })
        this.#engine.went(candidate)
        this.#begin(candidate, snapshot.now, [name])
      }
    return wishes.length > 0
  }

  #replace(snapshot: Snapshot, gate: DisruptionGate): boolean {
    const eligible = throughGate(filterDrifted(this.#candidates(snapshot)), 'Drifted', gate).eligible
    const budgets = this.#budgets(snapshot, 'Drifted', gate)
    const simulator = simulatorOn(snapshot, this.#settings, { virtual: this.#standIns })
    const { command } = runToEnd(decideDrift(eligible, budgets, simulator, gate.driftOrder))
    if (command === undefined) return false
    const [candidate] = command.candidates
    const coming = command.replacements.map((plan, index) => {
      const node = aNewNode(plan, `new-${this.starts.length}-${index}`, snapshot.now)
      this.#nodes.set(node.key, node)
      return node.key
    })
    this.#engine.went(candidate)
    this.#begin(candidate, snapshot.now, coming)
    return true
  }

  /** Without a replacement to wait for, the node is drained at once. */
  #begin(candidate: Candidate, at: number, coming: readonly string[]): void {
    this.starts.push({ at, node: candidate.name })
    this.#update(candidate.providerID, (node) => ({ ...node, markedForDeletion: true }))
    this.#underWay.push({ key: candidate.providerID, readyAt: coming.length === 0 ? at : at + launchMs, coming })
    if (coming.length === 0) this.#drain(candidate.providerID, at)
  }

  #candidates(snapshot: Snapshot): readonly Candidate[] {
    return surveyCandidates(snapshot, { disruptionClass: 'eventual', queued: this.#queued() }).candidates
  }

  #budgets(snapshot: Snapshot, reason: VoluntaryReason, gate: DisruptionGate) {
    const nodes = counted(snapshot)
    return limitBudgets(computeBudgets(snapshot.nodePools, nodes, reason, snapshot.now), reason, gate)
  }

  #queued(): ReadonlySet<string> {
    return new Set(this.#underWay.map(({ key }) => key))
  }

  #snapshotAt(at: number): Snapshot {
    const nodes = [...this.#nodes.values()].toSorted((a, b) => compareText(a.name, b.name))
    return { ...this.#base, now: at, nodes }
  }

  #update(key: string, change: (node: StateNode) => StateNode): void {
    const node = this.#nodes.get(key)
    if (node !== undefined) this.#nodes.set(key, change(node))
  }

  /** The pods start elsewhere, on nodes that are there. */
  #drain(key: string, at: number): void {
    this.#bind(this.#evicted([key]), at, { makes: false })
    if (this.#standIns.length > 0) this.#bind([], at, { makes: true })
  }

  #evicted(keys: readonly string[]): readonly PodInfo[] {
    return keys.flatMap((key) => {
      const moving = this.#nodes.get(key)?.pods.filter(isReschedulable) ?? []
      this.#update(key, (node) => ({ ...node, pods: node.pods.filter((pod) => !moving.includes(pod)) }))
      return moving
    })
  }

  /** With `makes`, also on nodes that are made for them. */
  #bind(moving: readonly PodInfo[], at: number, { makes }: { readonly makes: boolean }): void {
    const pods = makes ? [...moving, ...this.#standIns] : moving
    if (pods.length === 0) return
    const placement: Placement = solve(prepare(this.#snapshotAt(at), this.#settings), {
      pods,
      reservedMode: 'fallback',
    })
    const isReal = ({ virtualBuffer }: PodInfo): boolean => virtualBuffer === undefined
    for (const { node, pods: placed } of placement.existing) {
      const here = placed.filter(isReal).map((pod) => ({ ...pod, nodeName: node.name }))
      this.#update(node.key, (current) => ({ ...current, pods: [...current.pods, ...here] }))
    }
    if (!makes) return
    for (const plan of placement.newNodePlans) {
      const node = aNewNode(plan, `${madeFirst}${this.#made}`, at)
      this.#made += 1
      const here = plan.pods.filter(isReal).map((pod) => ({ ...pod, nodeName: node.name }))
      this.#nodes.set(node.key, { ...node, initialized: true, pods: here })
    }
  }
}

/** Of nodes that are made as soon as it begins. As a plan's own, they are looked at after those of the fleet and before replacements. */
const madeFirst = 'nearby-'

/** Nodes that were made when it began are a place for pods at once, but for budgets they come when they would be ready. */
function counted({ nodes, now: at }: Snapshot): readonly StateNode[] {
  return at >= now + launchMs ? nodes : nodes.filter(({ name }) => !name.startsWith(madeFirst))
}

/** As the controllers find it, one look after the other. */
async function driftReason(
  node: StateNode,
  { nodePools, instanceTypes }: Snapshot,
  nodeClass: EC2NodeClass,
  policies: readonly RolloutPolicy[],
): Promise<string | undefined> {
  const { nodeClaim } = node
  const pool = nodePools.find(({ metadata }) => metadata.name === node.nodePool)
  if (nodeClaim === undefined || pool === undefined) return undefined
  const own = driftFromPool(nodeClaim, pool, new Map())
  if (own !== undefined) return own
  if (hashesDiffer(nodeClass, nodeClaim, ec2NodeClassHashAnnotations)) return 'NodeClassDrift'
  const types = instanceTypes.get(pool.metadata.name)
  const typeName = node.labels['node.kubernetes.io/instance-type']
  const zone = node.labels['topology.kubernetes.io/zone'] ?? ''
  const found = await dynamicDrift({
    nodeClaim,
    nodeClass,
    // As the fleet's class found them when the node was launched.
    instance: anInstance(zone),
    type: types?.kind === 'resolved' ? types.types.find(({ name }) => name === typeName) : undefined,
    placementGroupID: '',
    identify: async (id) => ({ id }),
    reservationSelected: async () => false,
  })
  if (found !== undefined) return found.reason
  const policy = govern(policies, nodePools).governing.get(pool.metadata.name)
  const asked = ownDriftOf(nodeClaim, { pool, nodeClass, policy }, now)
  return asked.kind === 'drifted' ? asked.reason : undefined
}

function anInstance(zone: string): EC2Instance {
  return {
    id: 'i-1',
    launchedAt: now,
    state: 'running',
    imageID: 'ami-1',
    instanceType: 'm5.large',
    zone,
    zoneID: undefined,
    capacityType: 'on-demand',
    reservation: undefined,
    tenancy: 'default',
    securityGroupIDs: ['sg-1'],
    subnetID: `subnet-${zone.at(-1)}`,
    tags: {},
    efaCount: 0,
    placementGroupID: undefined,
    partition: 0,
  }
}

/** A node that has drifted before keeps its place in the queue. */
function withDrift(node: StateNode, reason: string | undefined): StateNode {
  const { nodeClaim } = node
  if (nodeClaim === undefined) return node
  const others = (nodeClaim.status?.conditions ?? []).filter(({ type }) => type !== 'Drifted')
  if (reason === undefined)
    return { ...node, nodeClaim: { ...nodeClaim, status: { ...nodeClaim.status, conditions: others } } }
  return {
    ...node,
    nodeClaim: setCondition(nodeClaim, nodeClaimConditions, { type: 'Drifted', status: 'True', reason }, now),
  }
}

function aNewNode(plan: NodePlan, name: string, at: number): StateNode {
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
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: toTimestamp(at), labels }
  const conditions = [
    {
      type: 'Launched',
      status: 'True' as const,
      lastTransitionTime: toTimestamp(at),
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
        { type: 'Ready', status: 'True', lastTransitionTime: toTimestamp(at), reason: 'Ready', message: '' },
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
