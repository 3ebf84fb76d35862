import type { Candidate } from '../../disruption/candidates.ts'
import { isReschedulable } from '../../disruption/pod-eviction.ts'
import { labelHostname } from '../../api/labels.ts'
import type { NodePool } from '../../api/karpenter.ts'
import {
  type Displaced,
  placeWithout,
  prepareWhatIf,
  requestWithout,
  type UnplacedPod,
  unplacedPods,
  type WhatIf,
} from '../../disruption/what-if.ts'
import { sumPrices } from '../../model/instance-type.ts'
import { compareText } from '../../model/order.ts'
import type { PodInfo } from '../../model/pod.ts'
import { runToEnd } from '../../model/sliced.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import {
  type NodePlan,
  type Packing,
  packedInSlices,
  type Placement,
  type SchedulingSettings,
  solve,
  type SolveRequest,
} from '../../scheduling/index.ts'
import type { PlanInput } from './input.ts'
import { toLaunchedNode } from './launched-node.ts'
import { staticPlan } from './static-plan.ts'

/** Where the pods of nodes that go would run. */
export interface Move {
  /** US dollars per hour of the new nodes. */
  readonly addedPrice: number
  readonly unplaced: readonly UnplacedPod[]
  readonly placement: Placement
}

/** What came of pods whose node has been drained. */
export interface Drained {
  /** Keys of the nodes that got them. */
  readonly grown: readonly string[]
  /** US dollars per hour of nodes that come for them only now. */
  readonly addedPrice: number
}

const nothingDrained: Drained = { grown: [], addedPrice: 0 }

interface Lost {
  readonly pods: readonly UnplacedPod[]
  /** That found it. */
  readonly placement: Placement | undefined
}

/**
 * The cluster as a plan moves it on: nodes go, their pods land on others or on nodes that come. New nodes are the cheapest that the
 * solver would launch, as long as nobody knows what the cloud will have.
 */
export class PlanWorld {
  readonly #settings: SchedulingSettings
  readonly #packing: Packing
  readonly #base: Snapshot
  readonly #standIns: readonly PodInfo[]
  readonly #nodes: Map<string, StateNode>
  #prepared: WhatIf | undefined
  #made = 0
  #settled = false
  #lost: Lost = { pods: [], placement: undefined }

  constructor(snapshot: Snapshot, { settings, packing, held }: Pick<PlanInput, 'settings' | 'packing' | 'held'>) {
    this.#settings = settings
    this.#packing = packing
    this.#base = snapshot
    this.#standIns = held.standIns
    this.#nodes = new Map(snapshot.nodes.map((node) => [node.key, node]))
  }

  /** As it is by now: a node that pods have moved to has these, too. */
  current(candidate: Candidate): Candidate {
    const stateNode = this.#nodes.get(candidate.providerID)
    return stateNode === undefined || stateNode === candidate.stateNode
      ? candidate
      : { ...candidate, stateNode, reschedulablePods: stateNode.pods.filter(isReschedulable) }
  }

  /**
   * Pods that wait for a place, stand-ins of capacity buffers, and pods of nodes that are on their way out or go at once, get one before
   * anything is replaced, all of them together. Undefined when there are none.
   */
  settle(going: readonly Displaced[]): Move | undefined {
    const leaving = this.#base.nodes.filter(({ markedForDeletion }) => markedForDeletion)
    const gone = leaving.map((stateNode) => ({ stateNode, reschedulablePods: [] }))
    const waiting = this.#base.unboundPods.length + this.#standIns.length
    const isAny = waiting + leaving.length + going.length > 0
    const move = isAny ? this.#loseNodes(going) : undefined
    if (move !== undefined) this.commit([...gone, ...going], move)
    this.#settled = true
    return move
  }

  /** Where pods would go if these nodes left together, as the disruption loop asks. Changes nothing. */
  tryWithout(candidates: readonly Displaced[]): Move {
    const prepared = this.#prepare()
    return moveOf(prepared, runToEnd(placeWithout(prepared, { candidates, destinations: 'any' })))
  }

  /**
   * Where pods would go if these nodes left one after another, each with new nodes of its own; unlike that, room on nodes still to go is
   * not used. Changes nothing.
   */
  tryInTurn(candidates: readonly Displaced[]): Move {
    const prepared = this.#prepare()
    const turns = new Map(
      candidates.flatMap(({ reschedulablePods }, turn) => reschedulablePods.map(({ uid }) => [uid, turn])),
    )
    return moveOf(prepared, runToEnd(placeWithout(prepared, { candidates, destinations: 'any', turns, bins: turns })))
  }

  /** Lets it happen. Returns the keys of the nodes that got pods. */
  commit(candidates: readonly Displaced[], { placement }: Move): readonly string[] {
    for (const { stateNode } of candidates) this.remove(stateNode.key)
    const grown = this.#bind(placement)
    for (const plan of placement.newNodePlans) this.#add(plan, { initialized: true, pods: plan.pods })
    return grown
  }

  /** New nodes of a move begin to exist, still without pods. Returns their keys. */
  make({ placement }: Move): readonly string[] {
    return placement.newNodePlans.flatMap((plan) => this.#add(plan, { initialized: false, pods: [] }))
  }

  /** A node begins to exist as a static pool makes it; where nobody knows of what type, one like that which it replaces. */
  makeStatic(pool: NodePool, replaced: string): readonly string[] {
    const original = this.#nodes.get(replaced)
    const plan = staticPlan(pool, this.#base, this.#settings, original)
    if (plan !== undefined) return this.#add(plan, { initialized: false, pods: [] })
    if (original === undefined) return []
    const name = this.#nextName()
    const labels = { ...original.labels, [labelHostname]: name }
    this.#put({
      ...original,
      key: name,
      name,
      hostname: name,
      labels,
      nodeClaim: undefined,
      initialized: false,
      pods: [],
    })
    return [name]
  }

  /** The node is on its way out. */
  mark(key: string): void {
    const node = this.#nodes.get(key)
    if (node !== undefined) this.#put({ ...node, markedForDeletion: true })
  }

  initialize(keys: readonly string[]): void {
    for (const key of keys) {
      const node = this.#nodes.get(key)
      if (node !== undefined) this.#put({ ...node, initialized: true, registered: true })
    }
  }

  /** The nodes' pods start elsewhere, where they and those that have found no place before can. */
  drain(keys: readonly string[]): Drained {
    const moving = keys.flatMap((key) => this.#evict(key))
    if (moving.length === 0) return nothingDrained
    // Real pods take the room of stand-ins, which get their own anew.
    const pods = [...this.#lost.pods.map(({ pod }) => pod), ...moving, ...this.#standIns]
    const turns = new Map(this.#standIns.map(({ uid }) => [uid, 1]))
    const placement = this.#provision(this.#prepare(), { pods, turns, reservedMode: 'fallback' })
    const { newNodePlans, failures } = placement
    this.#lost = { pods: failures.filter(({ pod }) => isReal(pod)), placement }
    const grown = this.#bind(placement)
    for (const plan of newNodePlans) this.#add(plan, { initialized: true, pods: plan.pods })
    return { grown, addedPrice: sumPrices(newNodePlans.map(({ price }) => price ?? 0)) }
  }

  /** Pods that nobody had asked about before their node went, as those of static pools, and that fit nowhere. */
  get lost(): Lost {
    return this.#lost
  }

  #evict(key: string): readonly PodInfo[] {
    const node = this.#nodes.get(key)
    if (node === undefined) return []
    this.#put({ ...node, pods: node.pods.filter((pod) => !isReschedulable(pod)) })
    return node.pods.filter(isReschedulable)
  }

  remove(key: string): void {
    this.#nodes.delete(key)
    this.#prepared = undefined
  }

  #loseNodes(nodes: readonly Displaced[]): Move {
    const prepared = this.#prepare()
    const request = requestWithout(prepared, { candidates: nodes, destinations: 'any' })
    return moveOf(prepared, this.#provision(prepared, request))
  }

  #prepare(): WhatIf {
    this.#prepared ??= runToEnd(prepareWhatIf(this.#snapshot(), this.#settings, this.#standIns))
    return this.#prepared
  }

  /** As the provisioner launches nodes for pods that have none. */
  #provision({ context }: WhatIf, request: SolveRequest): Placement {
    return runToEnd(packedInSlices(context, request, solve(context, request), this.#packing))
  }

  #bind({ existing }: Placement): readonly string[] {
    return existing.flatMap(({ node, pods }) => {
      const current = this.#nodes.get(node.key)
      const real = pods.filter(isReal)
      if (current === undefined || real.length === 0) return []
      this.#put({ ...current, pods: [...current.pods, ...real.map((pod) => bound(pod, node))] })
      return [node.key]
    })
  }

  #add(plan: NodePlan, state: Pick<StateNode, 'initialized' | 'pods'>): readonly string[] {
    const name = this.#nextName()
    const node = toLaunchedNode(plan, name, this.#settings)
    if (node === undefined) return []
    this.#put({ ...node, ...state, pods: state.pods.filter(isReal).map((pod) => bound(pod, { name })) })
    return [name]
  }

  #nextName(): string {
    this.#made += 1
    return `planned-${String(this.#made).padStart(6, '0')}`
  }

  #put(node: StateNode): void {
    this.#nodes.set(node.key, node)
    this.#prepared = undefined
  }

  #snapshot(): Snapshot {
    const nodes = [...this.#nodes.values()].toSorted((a, b) => compareText(a.name, b.name) || compareText(a.key, b.key))
    return { ...this.#base, nodes, unboundPods: this.#settled ? [] : this.#base.unboundPods }
  }
}

function moveOf({ markedPods }: WhatIf, placement: Placement): Move {
  return {
    addedPrice: sumPrices(placement.newNodePlans.map(({ price }) => price ?? 0)),
    unplaced: unplacedPods(placement, new Set(markedPods.map(({ uid }) => uid))),
    placement,
  }
}

/** Stand-ins of capacity buffers never run: each question asks for their room anew. */
function isReal({ virtualBuffer }: PodInfo): boolean {
  return virtualBuffer === undefined
}

function bound(pod: PodInfo, { name }: Pick<StateNode, 'name'>): PodInfo {
  return { ...pod, nodeName: name, phase: 'Running', scheduledReason: '', nominatedNodeName: '' }
}
