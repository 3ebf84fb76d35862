import type { PlanBasis } from '../../cluster/index.ts'
import { computeBudgets, haveSchedules } from '../../disruption/budgets.ts'
import {
  type Candidate,
  type CandidateSurvey,
  type DisruptionClass,
  surveyInSlices,
} from '../../disruption/candidates.ts'
import { type DisruptionMethod, reasonOf, type Replacement } from '../../disruption/command.ts'
import { filterConsolidation } from '../../disruption/consolidation.ts'
import { filterDrifted } from '../../disruption/drift.ts'
import { type Filtered, filterEmpty } from '../../disruption/emptiness.ts'
import {
  combineGates,
  type DisruptionGate,
  limitBudgets,
  openGate,
  type SetBackCode,
  throughGate,
} from '../../disruption/gate.ts'
import { filterStaticDrifted, staticDriftRoom } from '../../disruption/static-drift.ts'
import type { ReconcileContext } from '../../kube/controller.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { DisruptionDeps } from './deps.ts'
import { drive } from './drive.ts'
import type { OrchestrationQueue } from './orchestration-queue.ts'
import { snapshotFacts } from './remembered-search.ts'
import { type Seen, Sight } from './sight.ts'

/** One method's look at the cluster: what it may take, and what its budget is. */
export interface MethodView extends Seen {
  readonly snapshot: Snapshot
  /** What rollouts, pauses and breakers hold; already applied to what is seen. */
  readonly gate: DisruptionGate
  readonly basis: PlanBasis
  /**
   * The consolidation state read before the snapshot. A method that finds nothing remembers it, so any later change makes it look again.
   */
  readonly state: number
  /** The same object as long as the cluster stays as it is; absent where time alone may change what is seen. */
  readonly lasting: Seen | undefined
}

/** What all methods see of the cluster at one moment. */
interface Look {
  readonly snapshot: Snapshot
  readonly gate: DisruptionGate
  readonly sight: Sight
  readonly basis: PlanBasis
  readonly state: number
}

type ViewDeps = Pick<DisruptionDeps<Replacement>, 'brake' | 'clock' | 'cluster' | 'gate' | 'late' | 'static' | 'undone'>

/** Looks at the cluster for the methods, with what they remember of looks between passes. */
export class MethodViews {
  readonly #deps: ViewDeps
  readonly #queue: OrchestrationQueue
  #look: Look | undefined
  #sight: Sight | undefined

  constructor(deps: ViewDeps, queue: OrchestrationQueue) {
    this.#deps = deps
    this.#queue = queue
  }

  /** What was seen does not count any more: a new pass begins, or time has been spent. */
  forget(): void {
    this.#look = undefined
  }

  /** Something was refused that the candidates' command needs; others go first for a while. */
  setBack(candidates: readonly Candidate[], code: SetBackCode, message: string): void {
    this.#queue.setBack.note(candidates, code, message)
  }

  /** What a pass sees: its methods share one look at the cluster, until one of them has spent time. */
  async inPass(method: DisruptionMethod, context: ReconcileContext): Promise<MethodView> {
    this.#look ??= await this.#lookAgain()
    return this.#viewOf(method, this.#look, context)
  }

  /** The cluster as it is now. */
  async now(method: DisruptionMethod, context: ReconcileContext): Promise<MethodView> {
    return this.#viewOf(method, await this.#lookAgain(), context)
  }

  async #viewOf(method: DisruptionMethod, look: Look, { stopping }: ReconcileContext): Promise<MethodView> {
    const { snapshot, gate, sight, basis, state } = look
    const disruptionClass: DisruptionClass = method === 'drift' || method === 'staticDrift' ? 'eventual' : 'graceful'
    const options = { disruptionClass, queued: this.#queue.queued }
    const survey =
      sight.survey(disruptionClass) ??
      sight.keep(
        disruptionClass,
        snapshot.now,
        await drive(surveyInSlices(snapshot, options), this.#deps.clock, stopping),
      )
    const seen = sight.seenBy(method, () => this.#see(method, look, survey))
    return { ...seen, snapshot, gate, basis, state, lasting: sight.lasts ? seen : undefined }
  }

  #see(method: DisruptionMethod, { snapshot, gate }: Look, survey: CandidateSurvey): Seen {
    const reason = reasonOf[method]
    const filtered = this.#filter(method, survey.candidates, gate)
    const budgets = limitBudgets(computeBudgets(snapshot.nodePools, snapshot.nodes, reason, snapshot.now), reason, gate)
    const { counts } = this.#deps.static
    const roomOf =
      method === 'staticDrift' ? (pool: string): number => staticDriftRoom(pool, budgets, counts) : undefined
    const { eligible, blocked } = throughGate(filtered.eligible, reason, gate, roomOf)
    return { survey, eligible, blocked: [...survey.blocked, ...filtered.blocked, ...blocked], budgets }
  }

  async #lookAgain(): Promise<Look> {
    const { cluster, undone } = this.#deps
    const basis = cluster.plans.basis()
    const state = cluster.consolidationState
    const snapshot = await cluster.snapshot()
    undone.observe((name) => cluster.hasNodeClaim(name))
    const late = this.#deps.late.gate(snapshot.nodes)
    const passing = combineGates(this.#deps.gate(snapshot), this.#queue.setBack.gate(), late, this.#deps.brake.gate())
    const gate = combineGates(passing, undone.gate)
    const isTimeless = passing === openGate && this.#queue.queued.size === 0 && !haveSchedules(snapshot.nodePools)
    const facts = [...snapshotFacts(snapshot), cluster.bufferNodes, undone.gate]
    if (!isTimeless || this.#sight?.isStill(facts, snapshot.now) !== true) {
      this.#sight = new Sight(facts, snapshot.now, isTimeless)
    }
    return { snapshot, gate, sight: this.#sight, basis, state }
  }

  #filter(method: DisruptionMethod, candidates: readonly Candidate[], { driftOrder }: DisruptionGate): Filtered {
    switch (method) {
      case 'emptiness':
        return filterEmpty(candidates, this.#deps.cluster.bufferNodes)
      case 'staticDrift':
        return { eligible: filterStaticDrifted(candidates, driftOrder), blocked: [] }
      case 'drift':
        return { eligible: filterDrifted(candidates), blocked: [] }
      case 'multiNode':
      case 'singleNode':
        return filterConsolidation(candidates)
    }
  }
}
