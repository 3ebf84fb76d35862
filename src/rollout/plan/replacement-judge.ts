import type { Candidate } from '../../disruption/candidates.ts'
import { capitalized } from '../../disruption/drift.ts'
import { type UnplacedPod, unplacedText } from '../../disruption/what-if.ts'
import { isReschedulable } from '../../disruption/pod-eviction.ts'
import type { Placement } from '../../scheduling/index.ts'
import type { Move, PlanWorld } from './world.ts'

/** Whether a drifted node's pods find a place elsewhere, as the disruption loop asks before it replaces the node. */
export type JudgedReplacement =
  /** `addedPrice`: US dollars per hour of what comes instead. */
  | { readonly kind: 'go'; readonly addedPrice: number }
  | {
      readonly kind: 'refused'
      readonly message: string
      readonly unplaced: readonly UnplacedPod[]
      readonly placement: Placement
    }

/**
 * How much a plan may look at, in nodes of a cluster times rebuilt views of it. Below it every replacement is judged by itself, on the
 * cluster that the ones before it left; above it several are judged together, which is what keeps 2,000 nodes under three seconds.
 */
const viewsTimesNodes = 8_000

/** Judges candidates in the order in which they are asked for, and moves the world on. */
export class ReplacementJudge {
  readonly #world: PlanWorld
  readonly #together: number
  readonly #known = new Map<string, JudgedReplacement>()
  /** Keys of nodes that have got pods of others. */
  readonly grown = new Set<string>()

  constructor(world: PlanWorld, size: { readonly candidates: number; readonly nodes: number }) {
    this.#world = world
    this.#together = Math.max(1, Math.ceil((size.candidates * size.nodes) / viewsTimesNodes))
  }

  /** `upcoming`: those that will be asked for next, in order, `candidate` first. */
  judge(candidate: Candidate, upcoming: readonly Candidate[]): JudgedReplacement {
    const known = this.#known.get(candidate.providerID)
    if (known !== undefined) return known
    const batch = upcoming.filter(({ providerID }) => !this.#known.has(providerID)).slice(0, this.#together)
    this.#decide(batch.length === 0 ? [candidate] : batch)
    return this.#known.get(candidate.providerID) ?? { kind: 'go', addedPrice: 0 }
  }

  /** Why the candidate was refused, if it was. */
  refusal({ providerID }: Candidate): Extract<JudgedReplacement, { kind: 'refused' }> | undefined {
    const known = this.#known.get(providerID)
    return known?.kind === 'refused' ? known : undefined
  }

  /** What was refused may be judged again: the world has moved on since. */
  forget(candidate: Candidate): void {
    this.#known.delete(candidate.providerID)
  }

  /** As the world has it by now. */
  current(candidate: Candidate): Candidate {
    const stateNode = this.#world.node(candidate.providerID)
    return stateNode === undefined || stateNode === candidate.stateNode
      ? candidate
      : { ...candidate, stateNode, reschedulablePods: stateNode.pods.filter(isReschedulable) }
  }

  #decide(batch: readonly Candidate[]): void {
    const current = batch.map((candidate) => this.current(candidate))
    const move = this.#world.tryWithout(current)
    const failed = new Set(move.unplaced.map(({ pod }) => pod.nodeName))
    const suspects = current.filter(({ node }) => failed.has(node.metadata.name))
    if (suspects.length === 0) return this.#go(current, move)
    const [only] = current
    if (current.length === 1 && only !== undefined) return this.#refuse(only, move)
    const others = current.filter((candidate) => !suspects.includes(candidate))
    if (others.length > 0) return this.#inTurn(others, suspects)
    // Each by itself, on the same world: what fails alone is refused, the rest has only been too much at once.
    const passed: Candidate[] = []
    for (const candidate of suspects) {
      const alone = this.#world.tryWithout([candidate])
      if (alone.unplaced.length > 0) this.#refuse(candidate, alone)
      else passed.push(candidate)
    }
    const half = Math.ceil(passed.length / 2)
    this.#inTurn(passed.slice(0, half), passed.slice(half))
  }

  #inTurn(...batches: readonly (readonly Candidate[])[]): void {
    for (const batch of batches) if (batch.length > 0) this.#decide(batch)
  }

  #refuse(candidate: Candidate, { unplaced, placement }: Move): void {
    const message = capitalized(unplacedText(unplaced) ?? '')
    this.#known.set(candidate.providerID, { kind: 'refused', message, unplaced, placement })
  }

  #go(candidates: readonly Candidate[], move: Move): void {
    for (const key of this.#world.commit(candidates, move)) this.grown.add(key)
    for (const { providerID } of candidates) {
      this.#known.set(providerID, { kind: 'go', addedPrice: move.addedPrice / candidates.length })
    }
  }
}
