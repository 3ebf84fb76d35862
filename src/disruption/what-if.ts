import { conditionOf } from '../api/conditions.ts'
import { nillableDurationMs } from '../api/duration.ts'
import type { NodePool } from '../api/karpenter.ts'
import { restText } from '../model/list-text.ts'
import { annotatedPods, isDoNotDisruptActive } from './do-not-disrupt.ts'
import { byNamespace } from './pdb.ts'
import { isCurrentlyReschedulable } from './pod-eviction.ts'
import type { Candidate } from './candidates.ts'
import type { Simulate, SimulationRequest, SimulationResult } from './simulation.ts'
import type { Sliced } from '../model/sliced.ts'
import { parseTimestamp } from '../model/clock.ts'
import { isProvisionable, type PodInfo, podKey } from '../model/pod.ts'
import type { Snapshot, StateNode } from '../model/snapshot.ts'
import {
  type NodePlan,
  type Placement,
  prepareInSlices,
  type SchedulingSettings,
  type SolveContext,
  solveInSlices,
  type SolveRequest,
} from '../scheduling/index.ts'
import type { DestinationFilter } from '../scheduling/existing-nodes.ts'
import { rejectionOf, standInRejectionOf } from '../scheduling/pod-validation.ts'

/** How many pods the text of a failed simulation names. */
const namedMax = 5

export interface SimulatorOptions {
  /** The stand-ins of capacity buffers, which want their room as pending pods do. */
  readonly virtual?: readonly PodInfo[] | undefined
  /** By UID, stand-ins for which no node may be made now, and why not. */
  readonly held?: SolveRequest['held'] | undefined
  /** Keys of nodes whose room is promised to pods that wait. */
  readonly awaiting?: ReadonlySet<string> | undefined
  /** Hears how many pods are still to be placed. */
  readonly onProgress?: (queued: number) => void
}

/** Simulations of disruption on one snapshot. What they share is prepared with the first of them. */
export function simulatorOn(
  snapshot: Snapshot,
  settings: SchedulingSettings,
  { virtual, held, awaiting, onProgress }: SimulatorOptions = {},
): Simulate<NodePlan> {
  let shared: WhatIf | undefined
  return function* simulate(request: SimulationRequest): Sliced<SimulationResult<NodePlan>> {
    shared ??= yield* prepareWhatIf(snapshot, settings, virtual, awaiting)
    const { marked, fromMarked } = shared
    if (request.candidates.some(({ stateNode }) => marked.has(stateNode.key))) return { kind: 'candidateDeleting' }
    const placement = yield* placeWithout(shared, { ...request, held, onProgress })
    return {
      kind: 'placed',
      replacements: placement.newNodePlans,
      destinations: placement.existing
        .map(({ node, pods }) => ({ node, pods: pods.filter((pod) => pod.virtualBuffer === undefined) }))
        .filter(({ pods }) => pods.length > 0),
      unplaced: unplacedText(unplacedPods(placement, fromMarked)),
    }
  }
}

/** A snapshot made ready for any number of questions of the kind: where would the pods go if these nodes were gone? */
export interface WhatIf {
  readonly snapshot: Snapshot
  readonly context: SolveContext
  readonly budgets: ReturnType<typeof byNamespace>
  readonly pending: readonly PodInfo[]
  /** Of nodes that are on their way out anyway. */
  readonly markedPods: readonly PodInfo[]
  /** Their UIDs. */
  readonly fromMarked: ReadonlySet<string>
  readonly marked: ReadonlySet<string>
  /** What consolidation asks of a node before it moves a pod there. */
  readonly isStable: DestinationFilter
}

/** `virtual`: stand-ins of capacity buffers, which want room as well. `awaiting`: keys of nodes that pods are awaited on; none is moved there. */
export function* prepareWhatIf(
  snapshot: Snapshot,
  settings: SchedulingSettings,
  virtual: readonly PodInfo[] = [],
  awaiting: ReadonlySet<string> = new Set(),
): Sliced<WhatIf> {
  const context = yield* prepareInSlices(snapshot, settings, virtual)
  const budgets = byNamespace(snapshot.podDisruptionBudgets)
  const leaving = snapshot.nodes.filter(({ markedForDeletion }) => markedForDeletion)
  const markedPods = podsOfDeletingNodes(snapshot, budgets)
  const fromMarked = new Set(markedPods.map(({ uid }) => uid))
  const validation = { volumes: snapshot.volumes, nodes: snapshot.nodes, vocabulary: settings.vocabulary }
  return {
    snapshot,
    context,
    budgets,
    pending: [
      ...snapshot.unboundPods.filter((pod) => isProvisionable(pod) && rejectionOf(pod, validation) === undefined),
      ...virtual.filter((pod) => standInRejectionOf(pod, validation) === undefined),
    ],
    markedPods,
    fromMarked,
    marked: new Set(leaving.map(({ key }) => key)),
    isStable: stableDestinations(snapshot, fromMarked, awaiting),
  }
}

/** They run today but will have to move; those that may not move, or that nothing can move, get no place made for them. */
export function podsOfDeletingNodes(
  snapshot: Snapshot,
  budgets = byNamespace(snapshot.podDisruptionBudgets),
): readonly PodInfo[] {
  return snapshot.nodes
    .filter(({ node, markedForDeletion }) => node !== undefined && markedForDeletion)
    .flatMap(({ pods }) => pods)
    .filter((pod) => isCurrentlyReschedulable(pod, budgets, snapshot.now))
}

/** Nodes to be taken away; the rest is the solver's. */
type WithoutNodes = Pick<SolveRequest, 'turns' | 'bins'> & {
  readonly onProgress?: SimulatorOptions['onProgress'] | undefined
  readonly held?: SimulatorOptions['held']
  readonly candidates: readonly Displaced[]
  readonly destinations: SimulationRequest['destinations']
}

/** Where all pods that would need a place would find one, were the candidates gone. */
export function* placeWithout(prepared: WhatIf, request: WithoutNodes): Sliced<Placement> {
  return yield* solveInSlices(prepared.context, requestWithout(prepared, request))
}

/** The solve that tells it: pods that wait, those of the candidates that may move, and those of nodes that go anyway. */
export function requestWithout(
  { snapshot, budgets, pending, markedPods, isStable }: WhatIf,
  request: WithoutNodes,
): SolveRequest {
  const pods = [...pending]
  for (const { reschedulablePods } of request.candidates) {
    for (const pod of reschedulablePods) if (isCurrentlyReschedulable(pod, budgets, snapshot.now)) pods.push(pod)
  }
  for (const pod of markedPods) pods.push(pod)
  return {
    pods,
    excludedNodes: new Set(request.candidates.map(({ stateNode }) => stateNode.key)),
    reservedMode: 'fallback',
    ...(request.onProgress === undefined ? {} : { onProgress: request.onProgress }),
    ...(request.held === undefined ? {} : { held: request.held }),
    ...(request.turns === undefined ? {} : { turns: request.turns }),
    ...(request.bins === undefined ? {} : { bins: request.bins }),
    ...(request.destinations === 'stable' ? { destinations: isStable } : {}),
  }
}

/** A node to be taken away, and its pods that would have to run elsewhere. */
export type Displaced = Pick<Candidate, 'stateNode' | 'reschedulablePods'>

/** Pods that run elsewhere are not moved to nodes still settling under `consolidateAfter`, nor to nodes awaiting promised pods. */
function stableDestinations(
  snapshot: Snapshot,
  free: ReadonlySet<string>,
  awaiting: ReadonlySet<string>,
): DestinationFilter {
  const pools = new Map(snapshot.nodePools.map((pool) => [pool.metadata.name, pool]))
  return (node, pod) =>
    pod.phase === 'Pending' ||
    free.has(pod.uid) ||
    (!awaiting.has(node.key) && !isSettling(node, pools.get(node.nodePool), snapshot.now))
}

/**
 * What simulations on the snapshot read of its moment, as a text: two snapshots of the same objects with the same text give the same
 * answers however much time lies between them.
 */
export function clockFacts({ nodes, nodePools, now }: Pick<Snapshot, 'nodes' | 'nodePools' | 'now'>): string {
  const pools = new Map(nodePools.map((pool) => [pool.metadata.name, pool]))
  let text = ''
  for (const node of nodes) {
    text += isSettling(node, pools.get(node.nodePool), now) ? '1' : '0'
    for (const pod of annotatedPods(node.pods)) text += isDoNotDisruptActive(pod, now) ? 'p' : '-'
  }
  return text
}

function isSettling(node: StateNode, pool: NodePool | undefined, now: number): boolean {
  let known = settlings.get(node)
  if (known === undefined || known.pool !== pool) {
    known = { pool, until: settledAt(node, pool) }
    settlings.set(node, known)
  }
  return now < known.until
}

/** Nodes and pools are immutable and come back with every snapshot until something about them changed. */
const settlings = new WeakMap<StateNode, { readonly pool: NodePool | undefined; readonly until: number }>()

/** When the node has been left alone for as long as its pool wants; long ago where nobody waits. */
function settledAt({ nodeClaim, initialized }: StateNode, pool: NodePool | undefined): number {
  const windowMs = nillableDurationMs(pool?.spec.disruption?.consolidateAfter ?? '0s')
  if (nodeClaim === undefined || !initialized || windowMs === undefined || windowMs <= 0)
    return Number.NEGATIVE_INFINITY
  const since =
    parseTimestamp(nodeClaim.status?.lastPodEventTime) ??
    parseTimestamp(conditionOf(nodeClaim, 'Initialized')?.lastTransitionTime)
  return since === undefined ? Number.NEGATIVE_INFINITY : since + windowMs
}

export interface UnplacedPod {
  readonly pod: PodInfo
  readonly text: string
}

/**
 * Pods that were pending anyway may stay so, and so may stand-ins of buffers; everything that runs today must find a place on a node that
 * is surely coming.
 * `fromMarked`: UIDs of pods of nodes that are on their way out anyway.
 */
export function unplacedPods(placement: Placement, fromMarked: ReadonlySet<string>): readonly UnplacedPod[] {
  const late = placement.unattempted.map((pod) => ({ pod, text: 'scheduling simulation timed out' }))
  return [...placement.failures, ...late, ...uninitializedPlacements(placement, fromMarked)].filter(
    ({ pod }) => !isProvisionable(pod),
  )
}

/** Undefined when there are none. */
export function unplacedText(unplaced: readonly UnplacedPod[]): string | undefined {
  const failed = unplaced.map(({ pod, text }) => `${podKey(pod)} => ${text} `)
  if (failed.length === 0) return undefined
  return `not all pods would schedule, ${failed.slice(0, namedMax).join('')}${restText(failed.length, namedMax)}`
}

function uninitializedPlacements({ existing }: Placement, fromMarked: ReadonlySet<string>): readonly UnplacedPod[] {
  return existing
    .filter(({ node }) => node.managed && !node.initialized)
    .flatMap(({ node, pods }) => {
      const text = `would schedule against uninitialized nodeclaim/${node.nodeClaim?.metadata.name ?? ''}, node/${node.node?.metadata.name ?? ''}`
      return pods.filter(({ uid }) => !fromMarked.has(uid)).map((pod) => ({ pod, text }))
    })
}
