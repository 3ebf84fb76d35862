import { conditionOf, isConditionTrue } from '../../api/conditions.ts'
import type { EC2NodeClass, NodeClaim, NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import { labelCapacityType, labelInstanceType, labelNodePool, labelZone } from '../../api/labels.ts'
import { type BlockCode, nodePrice } from '../../disruption/candidates.ts'
import { parseTimestamp } from '../../model/clock.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { hasLostNode } from '../../model/lost-node.ts'
import { compareText } from '../../model/order.ts'
import { Quantity } from '../../model/quantity.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { govern } from '../../rollout/engine/govern.ts'
import { type Standing, standingAmong, standingOf } from '../../rollout/standing.ts'
import { drainBlocks } from './drain-blocks.ts'

/** What those see who look rather than read: `joinery top` and the operator's web page show just this. Plain JSON. */
export interface FleetView {
  readonly cluster: string
  readonly totals: FleetTotals
  /** By name. */
  readonly pools: readonly PoolView[]
  /** By name. */
  readonly classes: readonly Standing[]
  /** By pool, then name. */
  readonly nodes: readonly NodeView[]
}

interface FleetTotals {
  readonly nodes: number
  readonly readyNodes: number
  /** Pods on nodes. */
  readonly pods: number
  /** Pods that run nowhere yet. */
  readonly waitingPods: number
  readonly cpu: Usage
  readonly memory: Usage
  readonly cost: Cost
}

/** Requests over what pods may use, in cores or bytes. */
export interface Usage {
  readonly requested: number
  readonly allocatable: number
}

export interface Cost {
  /** Of the nodes whose price is known. */
  readonly usdPerHour: number
  readonly unknownNodes: number
}

export interface PoolView extends Standing {
  readonly nodeClass: string
  /** Nodes and launching claims that are there, whatever the status says. */
  readonly presentNodes: number
  readonly cpu: Usage
  readonly memory: Usage
  readonly cost: Cost
}

export type NodePhase = 'Launching' | 'Registering' | 'Initializing' | 'Ready' | 'NotReady' | 'Cordoned' | 'Draining'

export interface NodeView {
  readonly name: string
  /** Empty for nodes that are not ours. */
  readonly claim: string
  readonly pool: string
  readonly state: NodePhase
  readonly instanceType: string
  readonly zone: string
  readonly capacityType: string
  readonly cpu: Usage
  readonly memory: Usage
  readonly pods: number
  readonly usdPerHour: number | null
  /** In ms since the epoch. */
  readonly createdAt: number
  /** Why it is to be replaced; null when it is not. */
  readonly drifted: { readonly reason: string; readonly message: string } | null
  /** What keeps it from being disrupted; of a node that is drained, what holds its pods. */
  readonly blocked: readonly NodeBlock[]
}

export interface NodeBlock {
  readonly code: string
  readonly message: string
}

export interface FleetInput {
  readonly cluster: string
  readonly snapshot: Pick<Snapshot, 'now' | 'nodes' | 'unboundPods' | 'nodePools' | 'podDisruptionBudgets'>
  readonly nodeClasses: readonly EC2NodeClass[]
  readonly policies: readonly RolloutPolicy[]
  /** All of them; those that have no instance yet are nodes to come. */
  readonly nodeClaims: readonly NodeClaim[]
  readonly priceOf: PriceLookup
  /** Why nodes were left alone when somebody last looked, by name of the node. */
  readonly blocked: ReadonlyMap<string, readonly NodeBlock[]>
}

/** USD per hour; undefined when it is not known. */
export type PriceLookup = (pool: string, labels: Readonly<Record<string, string>>) => number | undefined

/** Everyday answers: a node that is new, busy or simply not worth the trouble is not blocked. */
const everydayCodes: ReadonlySet<string> = new Set<BlockCode>([
  'InQueue',
  'NotManaged',
  'NoNode',
  'NotInitialized',
  'Deleting',
  'ConsolidationDisabled',
  'PolicyWhenEmpty',
  'NotConsolidatable',
  'NeedsSeveralReplacements',
  'NoCheaperReplacement',
  'MinValues',
  'SpotToSpotDisabled',
  'SpotToSpotFlexibility',
  'ScoreTooLow',
])

export function fleetView(input: FleetInput): FleetView {
  const { snapshot, nodeClasses, cluster } = input
  const { now } = snapshot
  const launching = input.nodeClaims
    .filter(({ status }) => (status?.providerID ?? '') === '')
    .map((claim) => toLaunchingView(claim, now))
  const nodes = [...snapshot.nodes.map((node) => toNodeView(node, input)), ...launching].toSorted(
    (a, b) => compareText(a.pool, b.pool) || compareText(a.name, b.name) || compareText(a.claim, b.claim),
  )
  const byPool = Map.groupBy(nodes, ({ pool }) => pool)
  const { governing } = govern(input.policies, snapshot.nodePools)
  return {
    cluster,
    totals: {
      nodes: nodes.length,
      readyNodes: nodes.filter(({ state }) => state === 'Ready').length,
      pods: nodes.reduce((sum, { pods }) => sum + pods, 0),
      waitingPods: snapshot.unboundPods.length,
      ...summed(nodes),
    },
    pools: snapshot.nodePools
      .map((pool) =>
        toPoolView(
          pool,
          standingAmong(pool, { classes: nodeClasses, governing }, now),
          byPool.get(pool.metadata.name) ?? [],
        ),
      )
      .toSorted(byName),
    classes: nodeClasses.map((nodeClass) => standingOf(nodeClass, now)).toSorted(byName),
    nodes,
  }
}

/** Looks prices up in instance types that were listed now or some time ago. */
export function pricesFrom(types: (pool: string) => ReadonlyMap<string, InstanceType> | undefined): PriceLookup {
  return (pool, labels) => {
    const type = types(pool)?.get(labels[labelInstanceType] ?? '')
    const price = nodePrice(type, labels[labelCapacityType] ?? '', labels[labelZone] ?? '')
    return price > 0 ? price : undefined
  }
}

function toPoolView(pool: NodePool, standing: Standing, nodes: readonly NodeView[]): PoolView {
  return {
    ...standing,
    nodeClass: pool.spec.template.spec.nodeClassRef.name,
    presentNodes: nodes.length,
    ...summed(nodes),
  }
}

function toNodeView(state: StateNode, { priceOf, blocked, snapshot }: FleetInput): NodeView {
  const { node, nodeClaim, labels, name } = state
  const created = (nodeClaim ?? node)?.metadata.creationTimestamp
  return {
    name,
    claim: nodeClaim?.metadata.name ?? '',
    pool: state.nodePool,
    state: stateOf(state, snapshot.now),
    ...placeOf(labels),
    ...usagesOf(state),
    pods: state.pods.length,
    usdPerHour: priceOf(state.nodePool, labels) ?? null,
    createdAt: parseTimestamp(created) ?? snapshot.now,
    drifted: driftOf(nodeClaim),
    // Why it was left alone before is the past by then.
    blocked:
      drainBlocks(state, snapshot) ??
      (blocked.get(name) ?? []).filter(({ code }) => isWorthTelling(code, state, snapshot.now)),
  }
}

function toLaunchingView({ metadata }: NodeClaim, now: number): NodeView {
  const labels = metadata.labels ?? {}
  const none: Usage = { requested: 0, allocatable: 0 }
  return {
    name: metadata.name,
    claim: metadata.name,
    pool: labels[labelNodePool] ?? '',
    state: 'Launching',
    ...placeOf(labels),
    cpu: none,
    memory: none,
    pods: 0,
    usdPerHour: null,
    createdAt: parseTimestamp(metadata.creationTimestamp) ?? now,
    drifted: null,
    blocked: [],
  }
}

function placeOf(labels: Readonly<Record<string, string>>): Pick<NodeView, 'instanceType' | 'zone' | 'capacityType'> {
  return {
    instanceType: labels[labelInstanceType] ?? '',
    zone: labels[labelZone] ?? '',
    capacityType: labels[labelCapacityType] ?? '',
  }
}

/** Without a Node is every claim for a while; one that has lost its Node stays so. */
function isWorthTelling(code: string, state: StateNode, now: number): boolean {
  return !everydayCodes.has(code) || (code === 'NoNode' && hasLostNode(state, now))
}

function stateOf(state: StateNode, now: number): NodePhase {
  const { node, registered, initialized, markedForDeletion } = state
  if (markedForDeletion || node?.metadata.deletionTimestamp !== undefined) return 'Draining'
  if (hasLostNode(state, now)) return 'NotReady'
  if (node === undefined || !registered) return 'Registering'
  if (!initialized) return 'Initializing'
  if (!isConditionTrue(node, 'Ready')) return 'NotReady'
  return node.spec.unschedulable === true ? 'Cordoned' : 'Ready'
}

function driftOf(claim: NodeClaim | undefined): NodeView['drifted'] {
  if (claim === undefined || !isConditionTrue(claim, 'Drifted')) return null
  const { reason = '', message = '' } = conditionOf(claim, 'Drifted') ?? {}
  return { reason, message }
}

type Usages = Pick<NodeView, 'cpu' | 'memory'>

/** A page asks every few seconds, and few nodes are not the same then: adding up the pods of all others again would hold up the rest. */
const knownUsages = new WeakMap<StateNode, Usages>()

function usagesOf(state: StateNode): Usages {
  const known = knownUsages.get(state)
  if (known !== undefined) return known
  const usages = { cpu: usageOf('cpu', state), memory: usageOf('memory', state) }
  knownUsages.set(state, usages)
  return usages
}

function usageOf(name: 'cpu' | 'memory', { pods, allocatable }: StateNode): Usage {
  let requested = Quantity.zero
  for (const { requests } of pods) requested = requested.add(requests.get(name) ?? Quantity.zero)
  return { requested: requested.toNumber(), allocatable: allocatable.get(name)?.toNumber() ?? 0 }
}

function summed(nodes: readonly NodeView[]): Pick<FleetTotals, 'cpu' | 'memory' | 'cost'> {
  const prices = nodes.flatMap(({ usdPerHour }) => usdPerHour ?? [])
  return {
    cpu: sumUsage(nodes.map(({ cpu }) => cpu)),
    memory: sumUsage(nodes.map(({ memory }) => memory)),
    // Summed in millionths, so that the order of the nodes does not show in the last digits.
    cost: {
      usdPerHour: prices.reduce((sum, price) => sum + Math.round(price * 1e6), 0) / 1e6,
      unknownNodes: nodes.length - prices.length,
    },
  }
}

/** In thousandths, as CPU is counted: sums of fractions would depend on their order. */
function sumUsage(usages: readonly Usage[]): Usage {
  const sum = (of: (usage: Usage) => number): number =>
    usages.reduce((total, usage) => total + Math.round(of(usage) * 1000), 0) / 1000
  return { requested: sum(({ requested }) => requested), allocatable: sum(({ allocatable }) => allocatable) }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return compareText(a.name, b.name)
}
