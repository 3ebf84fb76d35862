import { type Candidate, isStatic, poolName } from '../../disruption/candidates.ts'
import { capitalized } from '../../disruption/drift.ts'
import { unplacedText } from '../../disruption/what-if.ts'
import type { Judge, JudgedReplacement, Refusal } from './judge.ts'
import type { Move, PlanWorld } from './world.ts'

/**
 * Judges every node by itself, on the cluster as it is at that moment: nodes on their way out still hold their pods, new ones do not
 * count as a place before they are initialized. This is just what the disruption loop asks.
 */
export class ExactJudge implements Judge {
  readonly eachAnew = true
  readonly grown = new Set<string>()
  readonly #world: PlanWorld
  /** Since something began or ended last. */
  readonly #refused = new Map<string, Refusal>()
  readonly #moves = new Map<string, Move>()
  /** By candidate: keys of the nodes that come for it. */
  readonly #coming = new Map<string, readonly string[]>()

  constructor(world: PlanWorld) {
    this.#world = world
  }

  judge(candidate: Candidate): JudgedReplacement {
    const known = this.#refused.get(candidate.providerID)
    if (known !== undefined) return known
    const move = this.#world.tryWithout([this.current(candidate)])
    if (move.unplaced.length === 0) {
      this.#moves.set(candidate.providerID, move)
      const newNodes = move.placement.newNodePlans.map(({ nodePool }) => nodePool)
      return { kind: 'go', addedPrice: move.addedPrice, newNodes }
    }
    // Nobody can say that no new node would do: a plan says what budgets and policies make of it.
    if (candidate.typesUnknown !== undefined) return { kind: 'go', addedPrice: 0, newNodes: [poolName(candidate)] }
    const { unplaced, placement } = move
    const message = capitalized(unplacedText(unplaced) ?? '')
    const refusal: Refusal = { kind: 'refused', message, unplaced, placement }
    this.#refused.set(candidate.providerID, refusal)
    return refusal
  }

  /** It never tells anybody to wait. */
  waits(): boolean {
    return false
  }

  current(candidate: Candidate): Candidate {
    return this.#world.current(candidate)
  }

  refusal({ providerID }: Candidate): Refusal | undefined {
    return this.#refused.get(providerID)
  }

  /** Answers are never older than the world. */
  reconsider(): boolean {
    return false
  }

  begin(candidate: Candidate): void {
    const { providerID } = candidate
    const move = this.#moves.get(providerID)
    const coming =
      isStatic(candidate.pool) || move === undefined
        ? this.#world.makeStatic(candidate.pool, providerID)
        : this.#world.make(move)
    this.#coming.set(providerID, coming)
    this.#world.mark(providerID)
    this.#changed()
  }

  remove({ providerID }: Candidate): void {
    this.#world.mark(providerID)
    this.#changed()
  }

  ready({ providerID }: Candidate): number {
    this.#world.initialize(this.#coming.get(providerID) ?? [])
    const { grown, addedPrice } = this.#world.drain([providerID])
    for (const key of grown) this.grown.add(key)
    this.#changed()
    return addedPrice
  }

  gone({ providerID }: Candidate): void {
    this.#world.remove(providerID)
    this.#changed()
  }

  #changed(): void {
    this.#refused.clear()
    this.#moves.clear()
  }
}
