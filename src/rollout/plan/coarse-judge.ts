import { type Candidate, poolName } from '../../disruption/candidates.ts'
import { capitalized } from '../../disruption/drift.ts'
import { type UnplacedPod, unplacedText } from '../../disruption/what-if.ts'
import type { Placement } from '../../scheduling/index.ts'
import type { Judge, JudgedReplacement, Refusal } from './judge.ts'
import type { Move, PlanWorld } from './world.ts'

/** More nodes that fail together are taken at their word; asking each alone would take longer than anybody waits. */
const verifiedMax = 16
/** So many that nothing could take have no small reason, which would go away by what the others do. */
const reconsideredMax = 200

/**
 * Judges many nodes of a large fleet: several together, in the order in which they are asked for. New nodes count as ready at once, and
 * the pods of a node that goes move with the decision.
 */
export class CoarseJudge implements Judge {
  readonly eachAnew = false
  readonly #world: PlanWorld
  readonly #together: number
  readonly #known = new Map<string, JudgedReplacement>()
  readonly grown = new Set<string>()

  constructor(world: PlanWorld, together: number) {
    this.#world = world
    this.#together = together
  }

  /** `upcoming`: those that will be asked for next, in order, `candidate` first. */
  judge(candidate: Candidate, upcoming: readonly Candidate[]): JudgedReplacement {
    const known = this.#known.get(candidate.providerID)
    if (known !== undefined) return known
    const batch = upcoming.filter(({ providerID }) => !this.#known.has(providerID)).slice(0, this.#together)
    this.#decide(batch.length === 0 ? [candidate] : batch)
    return this.#known.get(candidate.providerID) ?? { kind: 'go', addedPrice: 0, newNodes: [] }
  }

  refusal({ providerID }: Candidate): Refusal | undefined {
    const known = this.#known.get(providerID)
    return known?.kind === 'refused' ? known : undefined
  }

  /** What was refused may be judged again: the world has moved on since. */
  reconsider(): boolean {
    const refused = [...this.#known].filter(([, judged]) => judged.kind === 'refused')
    if (refused.length > reconsideredMax) return false
    for (const [key] of refused) this.#known.delete(key)
    return refused.length > 0
  }

  // Everything has happened with the decision.
  begin(): void {}
  ready(): void {}
  gone(): void {}

  current(candidate: Candidate): Candidate {
    return this.#world.current(candidate)
  }

  #decide(batch: readonly Candidate[]): void {
    const current = batch.map((candidate) => this.current(candidate))
    const move = this.#world.tryWithout(current)
    const failed = Map.groupBy(move.unplaced, ({ pod }) => pod.nodeName)
    const suspects = current.filter(({ node }) => failed.has(node.metadata.name))
    if (suspects.length === 0) return this.#go(current, move)
    const [only] = current
    if (current.length === 1 && only !== undefined) return this.#refuse(only, move.placement, move.unplaced)
    const others = current.filter((candidate) => !suspects.includes(candidate))
    if (suspects.length > verifiedMax) {
      for (const candidate of suspects) {
        this.#refuse(candidate, move.placement, failed.get(candidate.node.metadata.name) ?? [])
      }
      return this.#inTurn(others)
    }
    if (others.length > 0) return this.#inTurn(others, suspects)
    // Each by itself, on the same world: what fails alone is refused, the rest has only been too much at once.
    const passed: Candidate[] = []
    for (const candidate of suspects) {
      const alone = this.#world.tryWithout([candidate])
      if (alone.unplaced.length > 0) this.#refuse(candidate, alone.placement, alone.unplaced)
      else passed.push(candidate)
    }
    const half = Math.ceil(passed.length / 2)
    this.#inTurn(passed.slice(0, half), passed.slice(half))
  }

  #inTurn(...batches: readonly (readonly Candidate[])[]): void {
    for (const batch of batches) if (batch.length > 0) this.#decide(batch)
  }

  #refuse(candidate: Candidate, placement: Placement, unplaced: readonly UnplacedPod[]): void {
    const message = capitalized(unplacedText(unplaced) ?? '')
    this.#known.set(candidate.providerID, { kind: 'refused', message, unplaced, placement })
  }

  #go(candidates: readonly Candidate[], move: Move): void {
    for (const key of this.#world.commit(candidates, move)) this.grown.add(key)
    const addedPrice = move.addedPrice / candidates.length
    for (const candidate of candidates) {
      // What comes for many comes for each in equal shares, as long as there are pods to move.
      const isReplaced = move.placement.newNodePlans.length > 0 && candidate.reschedulablePods.length > 0
      const newNodes = isReplaced ? [poolName(candidate)] : []
      this.#known.set(candidate.providerID, { kind: 'go', addedPrice, newNodes })
    }
  }
}
