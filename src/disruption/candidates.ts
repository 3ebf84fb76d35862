import type { Node } from '../api/kubernetes.ts'
import type { NodeClaim, NodePool } from '../api/karpenter.ts'
import { labelCapacityType, labelInstanceType, labelNodePool, labelZone } from '../api/labels.ts'
import { byIdentity } from '../model/by-identity.ts'
import { type InstanceType, typesByName } from '../model/instance-type.ts'
import { offeringCapacityType, offeringZone } from '../model/offering-price.ts'
import { compareText } from '../model/order.ts'
import { isActive, type PodInfo, podKey } from '../model/pod.ts'
import type { Snapshot, StateNode } from '../model/snapshot.ts'
import { rescheduleDisruptionCost } from './disruption-cost.ts'
import { annotatedPods, doNotDisruptAnnotation, isDoNotDisruptActive, readDoNotDisrupt } from './do-not-disrupt.ts'
import { type BudgetsByNamespace, budgetsBetween, byNamespace, evictionVerdict, matchesAny } from './pdb.ts'
import { isEvictable, isReschedulable } from './pod-eviction.ts'
import { runToEnd, type Sliced } from '../model/sliced.ts'

/** Consolidation and emptiness never override what blocks an eviction; drift does where the claim has a termination grace period. */
export type DisruptionClass = 'graceful' | 'eventual'

/** A node that may be disrupted, with what the methods weigh. */
export interface Candidate {
  readonly stateNode: StateNode
  readonly name: string
  readonly providerID: string
  readonly node: Node
  readonly nodeClaim: NodeClaim
  readonly pool: NodePool
  /** Undefined when the pool's types do not have it any more. */
  readonly instanceType: InstanceType | undefined
  /** Why nobody knows the pool's types, offline: what rests on them cannot be judged. */
  readonly typesUnknown?: string
  /** Empty when the node has no such label. */
  readonly instanceTypeName: string
  readonly capacityType: string
  readonly zone: string
  /** US dollars per hour of the node's own offering, available or not; 0 when unknown. */
  readonly price: number
  readonly reschedulablePods: readonly PodInfo[]
  /** 1 for the node and what moving its pods costs. */
  readonly disruptionCost: number
  /** Price over disruption cost: what is worth most for least harm goes first. */
  readonly savingsRatio: number
}

/** Why a node is left alone. The codes are the documented list of `joinery simulate` and `explain`. */
export type BlockCode =
  | 'InQueue'
  | 'NotManaged'
  | 'NoNode'
  | 'NotInitialized'
  | 'Deleting'
  | 'Nominated'
  | 'NodeDoNotDisrupt'
  | 'NoNodePoolLabel'
  | 'NodePoolNotFound'
  | 'PodDoNotDisrupt'
  | 'PDBBlocked'
  | 'MultiplePDBs'
  | 'ConsolidationDisabled'
  | 'BufferPods'
  | 'InstanceTypeNotFound'
  | 'NoCapacityTypeLabel'
  | 'NoZoneLabel'
  | 'PolicyWhenEmpty'
  | 'NotConsolidatable'
  | 'BudgetExhausted'
  | 'NodeLimit'
  | 'ExcessNodes'
  | 'PodsWouldNotSchedule'
  | 'NeedsSeveralReplacements'
  | 'NoCheaperReplacement'
  | 'MinValues'
  | 'SpotToSpotDisabled'
  | 'SpotToSpotFlexibility'
  | 'ScoreTooLow'
  | 'Paused'
  | 'RolloutHeld'
  | 'CircuitOpen'
  | 'LaunchRefused'
  | 'MarkingRefused'
  | 'DeletionRefused'
  | 'ConsolidationUndone'
  | 'PodsAwaited'
  | 'LateReplacement'
  | 'Braked'
  | 'InstanceTypesUnknown'

export interface Blocked {
  readonly stateNode: StateNode
  readonly code: BlockCode
  readonly message: string
  /** Events of these are published; the silent ones are everyday states. */
  readonly reported: 'DisruptionBlocked' | 'Unconsolidatable' | 'silently'
}

export interface CandidateSurvey {
  readonly candidates: readonly Candidate[]
  readonly blocked: readonly Blocked[]
  /** From then on time alone could change it, in milliseconds since the epoch. */
  readonly until: number
}

export interface SurveyOptions {
  readonly disruptionClass: DisruptionClass
  /** Provider IDs that the orchestration queue already works on. */
  readonly queued: ReadonlySet<string>
}

/** Which nodes may be disrupted now, and what holds back the others. Both in node order. */
export function surveyCandidates(snapshot: Snapshot, options: SurveyOptions): CandidateSurvey {
  return runToEnd(surveyInSlices(snapshot, options))
}

/** The same. What is found of a node is remembered: only those that are judged anew take time. */
export function* surveyInSlices(snapshot: Snapshot, options: SurveyOptions): Sliced<CandidateSurvey> {
  const pools = new Map(snapshot.nodePools.map((pool) => [pool.metadata.name, pool]))
  const budgets = byNamespace(snapshot.podDisruptionBudgets)
  const typesOf = indexTypes(snapshot)
  const candidates: Candidate[] = []
  const blocked: Blocked[] = []
  const work = new SurveyWork()
  const changedBudgets = changesSince(snapshot.podDisruptionBudgets)
  const circumstances = { snapshot, pools, budgets, changedBudgets, typesOf, work, ...options }
  let until = Number.POSITIVE_INFINITY
  for (const stateNode of snapshot.nodes) {
    const found = rememberedVerdict(stateNode, circumstances) ?? judgeAnew(stateNode, circumstances)
    if (work.fillsSlice()) yield
    const { verdict } = found
    if (verdict.kind === 'candidate') candidates.push(verdict.candidate)
    else blocked.push({ stateNode, ...verdict })
    until = Math.min(until, found.until)
  }
  return { candidates, blocked, until }
}

/** Nodes and pods looked at between two slices: one or two milliseconds. */
export const workPerSlice = 1_024

class SurveyWork {
  #done = 0

  /** A node and its pods. */
  lookedAt({ pods }: StateNode): void {
    this.#done += 1 + pods.length
  }

  fillsSlice(): boolean {
    if (this.#done < workPerSlice) return false
    this.#done = 0
    return true
  }
}

interface Circumstances extends SurveyOptions {
  readonly snapshot: Snapshot
  readonly work: SurveyWork
  readonly pools: ReadonlyMap<string, NodePool>
  readonly budgets: BudgetsByNamespace
  /** The budgets that are not as they were in an earlier list. */
  readonly changedBudgets: (before: Snapshot['podDisruptionBudgets']) => BudgetsByNamespace
  readonly typesOf: ReadonlyMap<string, ReadonlyMap<string, InstanceType>>
}

type Verdict =
  | { readonly kind: 'candidate'; readonly candidate: Candidate }
  | ({ readonly kind: 'blocked' } & Omit<Blocked, 'stateNode'>)

/** A verdict with all that it was made from besides the node: as long as that is the same, so is the verdict. */
interface RememberedVerdict {
  readonly verdict: Verdict
  readonly pool: NodePool | undefined
  readonly types: ReadonlyMap<string, InstanceType> | undefined
  /** A later list says the same of the node where no budget that matches one of its pods has come, gone or changed. */
  podDisruptionBudgets: Snapshot['podDisruptionBudgets']
  /** Before and from then on time alone could change it. */
  readonly from: number
  readonly until: number
}

/** Nodes are immutable and come back with every snapshot until something about them changed; five methods judge each in every pass. */
const remembered: Readonly<Record<DisruptionClass, WeakMap<StateNode, RememberedVerdict>>> = {
  graceful: new WeakMap(),
  eventual: new WeakMap(),
}

type Found = Pick<RememberedVerdict, 'until' | 'verdict'>

function rememberedVerdict(stateNode: StateNode, circumstances: Circumstances): Found | undefined {
  const { snapshot, pools, typesOf, queued, disruptionClass } = circumstances
  if (queued.has(stateNode.key)) return inQueue
  const poolName = stateNode.labels[labelNodePool] ?? ''
  const { now, podDisruptionBudgets } = snapshot
  const known = remembered[disruptionClass].get(stateNode)
  if (known === undefined || known.pool !== pools.get(poolName) || known.types !== typesOf.get(poolName))
    return undefined
  if (now < known.from || now >= known.until) return undefined
  if (known.podDisruptionBudgets !== podDisruptionBudgets) {
    circumstances.work.lookedAt(stateNode)
    if (matchesAny(stateNode.pods, circumstances.changedBudgets(known.podDisruptionBudgets))) return undefined
    known.podDisruptionBudgets = podDisruptionBudgets
  }
  return known
}

function changesSince(after: Snapshot['podDisruptionBudgets']): Circumstances['changedBudgets'] {
  return byIdentity((before: Snapshot['podDisruptionBudgets']) => budgetsBetween(before, after))
}

function judgeAnew(stateNode: StateNode, circumstances: Circumstances): Found {
  const { snapshot, pools, typesOf, disruptionClass, work } = circumstances
  work.lookedAt(stateNode)
  const { now, podDisruptionBudgets } = snapshot
  const poolName = stateNode.labels[labelNodePool] ?? ''
  const found = {
    verdict: judgeNode(stateNode, circumstances),
    pool: pools.get(poolName),
    types: typesOf.get(poolName),
    podDisruptionBudgets,
    from: now,
    until: changesAt(stateNode, now),
  }
  remembered[disruptionClass].set(stateNode, found)
  return found
}

const inQueue = {
  verdict: refuse('InQueue', 'Node is being disrupted', 'silently'),
  until: Number.POSITIVE_INFINITY,
}

/** When time alone next changes what is said of a node: a nomination ends, or a pod's protection does. */
function changesAt({ nominatedUntil, pods }: StateNode, now: number): number {
  let at = nominatedUntil > now ? nominatedUntil : Number.POSITIVE_INFINITY
  for (const pod of annotatedPods(pods)) {
    const state = readDoNotDisrupt(pod, now)
    if (state.kind === 'until' && state.untilMs !== undefined) at = Math.min(at, state.untilMs)
  }
  return at
}

function judgeNode(stateNode: StateNode, circumstances: Circumstances): Verdict {
  const { snapshot, pools, typesOf } = circumstances
  const { node, nodeClaim } = stateNode
  if (nodeClaim === undefined) return refuse('NotManaged', "node isn't managed by karpenter", 'silently')
  if (node === undefined) return refuse('NoNode', 'Nodeclaim does not have an associated node')
  if (!stateNode.initialized) return refuse('NotInitialized', "Node isn't initialized")
  if (stateNode.markedForDeletion || node.metadata.deletionTimestamp !== undefined) {
    return refuse('Deleting', 'Node is deleting or marked for deletion')
  }
  if (stateNode.nominatedUntil > snapshot.now) return refuse('Nominated', 'Node is nominated for a pending pod')
  if (stateNode.annotations[doNotDisruptAnnotation] === 'true') {
    return refuse('NodeDoNotDisrupt', `Disruption is blocked through the "${doNotDisruptAnnotation}" annotation`)
  }
  const poolName = stateNode.labels[labelNodePool]
  if (poolName === undefined)
    return refuse('NoNodePoolLabel', `Node doesn't have required label (label=${labelNodePool})`)
  const pool = pools.get(poolName)
  const types = typesOf.get(poolName)
  if (pool === undefined || types === undefined || (types.size === 0 && types !== unknownTypes)) {
    return refuse('NodePoolNotFound', `NodePool not found (NodePool=${poolName})`)
  }
  const podsBlock = judgePods(stateNode.pods, circumstances)
  const overridden = circumstances.disruptionClass === 'eventual' && nodeClaim.spec.terminationGracePeriod !== undefined
  if (podsBlock !== undefined && !overridden) return podsBlock
  const candidate = toCandidate(stateNode, node, nodeClaim, pool, types)
  const list = snapshot.instanceTypes.get(poolName)
  return {
    kind: 'candidate',
    candidate: list?.kind === 'unknown' ? { ...candidate, typesUnknown: list.because } : candidate,
  }
}

function judgePods(pods: readonly PodInfo[], { snapshot: { now }, budgets }: Circumstances): Verdict | undefined {
  for (const pod of pods) {
    if (isActive(pod) && isDoNotDisruptActive(pod, now)) {
      return refuse('PodDoNotDisrupt', `Pod has "${doNotDisruptAnnotation}" annotation (Pod=${podKey(pod)})`)
    }
  }
  for (const pod of pods) {
    if (!isEvictable(pod, now)) continue
    const verdict = evictionVerdict(pod, budgets)
    if (verdict.kind === 'blocked') {
      return refuse('PDBBlocked', `Pdb prevents pod evictions (PodDisruptionBudget=[${verdict.budget}])`)
    }
    if (verdict.kind === 'multiple') {
      const names = verdict.budgets.join(' ')
      return refuse('MultiplePDBs', `Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[${names}])`)
    }
  }
  return undefined
}

function toCandidate(
  stateNode: StateNode,
  node: Node,
  nodeClaim: NodeClaim,
  pool: NodePool,
  types: ReadonlyMap<string, InstanceType>,
): Candidate {
  const instanceTypeName = stateNode.labels[labelInstanceType] ?? ''
  const capacityType = stateNode.labels[labelCapacityType] ?? ''
  const zone = stateNode.labels[labelZone] ?? ''
  const instanceType = types.get(instanceTypeName)
  const price = nodePrice(instanceType, capacityType, zone)
  const disruptionCost = rescheduleDisruptionCost(stateNode.pods)
  return {
    stateNode,
    name: stateNode.name,
    providerID: stateNode.key,
    node,
    nodeClaim,
    pool,
    instanceType,
    instanceTypeName,
    capacityType,
    zone,
    price,
    reschedulablePods: stateNode.pods.filter(isReschedulable),
    disruptionCost,
    savingsRatio: price / disruptionCost,
  }
}

/** What a node of this type costs where it is, whether or not more of it could be had; 0 when that is not known. */
export function nodePrice(type: InstanceType | undefined, capacityType: string, zone: string): number {
  const offering = type?.offerings.find(
    (candidate) => offeringCapacityType(candidate) === capacityType && offeringZone(candidate) === zone,
  )
  return offering === undefined || Number.isNaN(offering.price) ? 0 : offering.price
}

/** Empty: nothing on it would have to run elsewhere, or only pods whose moving costs nothing. */
export function isEmpty(candidate: Candidate): boolean {
  return candidate.disruptionCost <= 1
}

/** Dearest per harm first, then by name. */
export function bySavingsRatio(a: Candidate, b: Candidate): number {
  return b.savingsRatio - a.savingsRatio || compareText(a.name, b.name)
}

export function isStatic(pool: NodePool): boolean {
  return pool.spec.replicas !== undefined
}

export function poolName(candidate: Candidate): string {
  return candidate.pool.metadata.name
}

function indexTypes(snapshot: Snapshot): ReadonlyMap<string, ReadonlyMap<string, InstanceType>> {
  const index = new Map<string, ReadonlyMap<string, InstanceType>>()
  for (const [pool, list] of snapshot.instanceTypes) {
    if (list.kind === 'resolved') index.set(pool, typesByName(list.types))
    if (list.kind === 'unknown') index.set(pool, unknownTypes)
  }
  return index
}

const unknownTypes: ReadonlyMap<string, InstanceType> = new Map()

function refuse(code: BlockCode, message: string, reported: Blocked['reported'] = 'DisruptionBlocked'): Verdict {
  return { kind: 'blocked', code, message, reported }
}
