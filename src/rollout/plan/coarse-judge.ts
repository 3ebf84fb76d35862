import { type Candidate, isStatic } from '../../disruption/candidates.ts'
import { capitalized } from '../../disruption/drift.ts'
import { type UnplacedPod, unplacedText } from '../../disruption/what-if.ts'
import { sumPrices } from '../../model/instance-type.ts'
import type { NodePlan, Placement } from '../../scheduling/index.ts'
import { ComingNode, type DisplacedPlan, displacedPlan } from './coming-node.ts'
import type { Judge, JudgedReplacement, Refusal } from './judge.ts'
import type { Move, PlanWorld } from './world.ts'

/** More nodes that fail together are taken at their word; asking each alone would take longer than anybody waits. */
const verifiedMax = 16
/** With more refusals than this the cause is too large for other moves to remove, so they are not judged again. */
const reconsideredMax = 200

/** What is known of one candidate, until it is reconsidered. */
type Judged =
  | {
      readonly kind: 'go'
      readonly addedPrice: number
      readonly plans: readonly NodePlan[]
      readonly displaced: readonly DisplacedPlan[]
    }
  | Refusal

/**
 * Judges many nodes of a large fleet: several together, in the order in which they are asked for. The pods of a node that goes move with
 * the decision, but what comes for them holds the others back until it is ready, as in the disruption loop.
 */
export class CoarseJudge implements Judge {
  readonly eachAnew = false
  readonly #world: PlanWorld
  readonly #together: number
  readonly #known = new Map<string, Judged>()
  /** By candidate: new nodes on their way. */
  readonly #coming = new Map<string, readonly ComingNode[]>()
  /** By candidate of a static pool that is to be drained: keys of the nodes that come for it. */
  readonly #statics = new Map<string, readonly string[]>()
  /** By candidate: the one whose new node it waits for. */
  readonly #waiting = new Map<string, string>()
  readonly grown = new Set<string>()

  constructor(world: PlanWorld, together: number) {
    this.#world = world
    this.#together = together
  }

  judge(candidate: Candidate, upcoming: () => readonly Candidate[]): JudgedReplacement {
    const { providerID } = candidate
    if (!this.#known.has(providerID)) {
      const batch = upcoming()
        .filter((each) => !this.#known.has(each.providerID))
        .slice(0, this.#together)
      this.#decide(batch.length === 0 ? [candidate] : batch)
    }
    const judged = this.#known.get(providerID)
    if (judged?.kind === 'refused') return judged
    if (this.#mustWait(providerID, judged?.displaced ?? [])) return { kind: 'wait' }
    const newNodes = judged?.plans.map(({ nodePool }) => nodePool) ?? []
    return { kind: 'go', addedPrice: judged?.addedPrice ?? 0, newNodes }
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

  begin({ providerID, pool }: Candidate): void {
    if (isStatic(pool)) {
      this.#statics.set(providerID, this.#world.makeStatic(pool, providerID))
      this.#world.mark(providerID)
      return
    }
    const judged = this.#known.get(providerID)
    const plans = judged?.kind === 'go' ? judged.plans : []
    if (plans.length > 0)
      this.#coming.set(
        providerID,
        plans.map((plan) => new ComingNode(plan)),
      )
  }

  remove({ providerID }: Candidate): void {
    this.#world.mark(providerID)
  }

  /** Nobody asked about the pods of static pools before: they move together, with the first that is ready of those that began together. */
  ready({ providerID }: Candidate): number {
    this.#coming.delete(providerID)
    if (!this.#statics.has(providerID)) return 0
    this.#world.initialize([...this.#statics.values()].flat())
    const { grown, addedPrice } = this.#world.drain([...this.#statics.keys()])
    for (const key of grown) this.grown.add(key)
    this.#statics.clear()
    return addedPrice
  }

  gone({ providerID }: Candidate): void {
    this.#world.remove(providerID)
  }

  waits({ providerID }: Candidate): boolean {
    const awaited = this.#waiting.get(providerID)
    return awaited !== undefined && this.#coming.has(awaited)
  }

  current(candidate: Candidate): Candidate {
    return this.#world.current(candidate)
  }

  #mustWait(providerID: string, displaced: readonly DisplacedPlan[]): boolean {
    if (displaced.length === 0) return false
    for (const [other, nodes] of this.#coming) {
      if (!nodes.some((node) => displaced.some((plan) => node.takesFrom(plan)))) continue
      this.#waiting.set(providerID, other)
      return true
    }
    return false
  }

  #decide(batch: readonly Candidate[]): void {
    const current = batch.map((candidate) => this.current(candidate))
    const move = this.#world.tryInTurn(current)
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
    // Nobody can say that no new node would do: a plan says what budgets and policies make of it.
    if (candidate.typesUnknown !== undefined) {
      this.#known.set(candidate.providerID, { kind: 'go', addedPrice: 0, plans: [], displaced: [] })
      return
    }
    const message = capitalized(unplacedText(unplaced) ?? '')
    this.#known.set(candidate.providerID, { kind: 'refused', message, unplaced, placement })
  }

  #go(candidates: readonly Candidate[], move: Move): void {
    for (const key of this.#world.commit(candidates, move)) this.grown.add(key)
    // A new node counts for the one whose pods it was opened for, even if others' pods join them; one that only stands ready, for the first.
    const [first] = candidates
    const plans = Map.groupBy(
      move.placement.newNodePlans,
      ({ pods }) =>
        pods.find(({ virtualBuffer }) => virtualBuffer === undefined)?.nodeName ?? first?.node.metadata.name,
    )
    for (const { providerID, node } of candidates) {
      const own = plans.get(node.metadata.name) ?? []
      this.#known.set(providerID, {
        kind: 'go',
        addedPrice: sumPrices(own.map(({ price }) => price ?? 0)),
        plans: own,
        displaced: own.map(displacedPlan),
      })
    }
  }
}
