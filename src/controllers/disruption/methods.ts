import type { PlanBasis } from '../../cluster/index.ts'
import { type PoolTotals, poolTotals } from '../../disruption/balanced.ts'
import type { Blocked } from '../../disruption/candidates.ts'
import {
  type Command,
  consolidationTypeOf,
  type DisruptionMethod,
  estimatedSavings,
  type Replacement,
} from '../../disruption/command.ts'
import { decideDrift } from '../../disruption/drift.ts'
import { decideEmptiness } from '../../disruption/emptiness.ts'
import { decideMultiNode, type MultiNodeDecision } from '../../disruption/multi-node.ts'
import { decideSingleNode, type SingleNodeDecision } from '../../disruption/single-node.ts'
import type { Simulate } from '../../disruption/simulation.ts'
import { decideStaticDrift, heldStaticDrift } from '../../disruption/static-drift.ts'
import {
  validateCandidates,
  validateEmptiness,
  validateSimulation,
  type Validation,
  validationDelayMs,
} from '../../disruption/validation.ts'
import { clockFacts } from '../../disruption/what-if.ts'
import type { ReconcileContext } from '../../kube/controller.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'
import { isSameList } from '../../model/same-list.ts'
import type { Sliced } from '../../model/sliced.ts'
import { ConsolidationReporter } from './consolidation-reporter.ts'
import type { DisruptionDeps } from './deps.ts'
import { drive } from './drive.ts'
import { consolidationRejectedEvents } from './events.ts'
import type { MethodView, MethodViews } from './method-views.ts'
import { poolsText, RememberedSearch, searchFacts, snapshotFacts } from './remembered-search.ts'

/** Commands ready to start, validated where the method validates; and who was found blocked on the way. */
export interface MethodDecision<Plan extends Replacement> {
  readonly commands: readonly Command<Plan>[]
  readonly blocked: readonly Blocked[]
  /** Of the last simulation. */
  readonly basis: PlanBasis
}

/** How long a node is looked at after the others when pods came and went while its consolidation waited. */
const unsteadyMs = 5 * 60_000

/** Runs the methods, with what they remember between passes. */
export class MethodRunner<Plan extends Replacement> {
  readonly #deps: DisruptionDeps<Plan>
  readonly #views: MethodViews
  readonly #reporter: ConsolidationReporter
  /** Emptiness and consolidation do not look again before something has changed since they found nothing. */
  readonly #consolidatedAt = new Map<DisruptionMethod, number>()
  readonly #multiNodeSearch = new RememberedSearch<MultiNodeDecision<Plan>>()
  readonly #singleNodeSearch = new RememberedSearch<SingleNodeDecision<Plan>>()
  #unseenPools: ReadonlySet<string> = new Set()
  /** Provider IDs of nodes whose consolidation was found invalid after the wait. */
  readonly #unsteady: ExpiringMap<string, true>
  /** Of the pass, with what it was made for. Large, so it does not outlive the pass. */
  #simulator: { readonly facts: readonly unknown[]; readonly simulate: Simulate<Plan> } | undefined

  constructor(deps: DisruptionDeps<Plan>, views: MethodViews) {
    this.#deps = deps
    this.#views = views
    this.#reporter = new ConsolidationReporter(deps)
    this.#unsteady = new ExpiringMap({ clock: deps.clock, ttlMs: unsteadyMs })
  }

  /** The pass is over. */
  end(): void {
    this.#simulator = undefined
  }

  /** Whether the method already found nothing in just this state of the cluster. */
  isUnchanged(method: DisruptionMethod): boolean {
    return this.#consolidatedAt.get(method) === this.#deps.cluster.consolidationState
  }

  async decide(method: DisruptionMethod, view: MethodView, context: ReconcileContext): Promise<MethodDecision<Plan>> {
    const { basis } = view
    switch (method) {
      case 'emptiness':
        return { ...(await this.#emptiness(view, context)), basis }
      case 'staticDrift':
        return { ...this.#staticDrift(view), basis }
      case 'drift':
        return { ...(await this.#drift(view, context)), basis }
      case 'multiNode':
        return this.#multiNode(view, context)
      case 'singleNode':
        return this.#singleNode(view, context)
    }
  }

  async #emptiness(view: MethodView, context: ReconcileContext): Promise<Omit<MethodDecision<Plan>, 'basis'>> {
    const decision = decideEmptiness<Plan>(view.eligible, view.budgets)
    const { blocked } = decision
    if (decision.kind === 'nothing') {
      if (!decision.constrained) this.#consolidatedAt.set('emptiness', view.state)
      return { commands: [], blocked }
    }
    await this.#waitToValidate(context)
    const again = await this.#views.now('emptiness', context)
    const { eligible, budgets, snapshot } = again
    const validation = validateEmptiness({ command: decision.command, eligible, budgets, now: snapshot.now })
    this.#countDropped('emptiness', validation.dropped)
    if (validation.kind === 'valid') return { commands: [validation.command], blocked }
    context.log.debug(
      { reason: validation.failure },
      'abandoning empty node consolidation attempt due to pod churn, command is no longer valid',
    )
    return { commands: [], blocked }
  }

  #staticDrift({ eligible, budgets }: MethodView): Omit<MethodDecision<Plan>, 'basis'> {
    const { counts } = this.#deps.static
    const wishes = decideStaticDrift(eligible, budgets, counts)
    const granted = new Map(
      wishes.map(({ pool, candidates }) => [pool, this.#deps.static.reserve(pool, candidates.length)]),
    )
    const commands = wishes.flatMap(({ pool, candidates }) =>
      candidates.slice(0, granted.get(pool)).map((candidate) => ({
        method: 'staticDrift' as const,
        reason: 'Drifted' as const,
        candidates: [candidate] as const,
        replacements: [this.#deps.static.plan(candidate.pool)] as const,
        destinations: [],
      })),
    )
    return { commands, blocked: heldStaticDrift(eligible, budgets, counts, granted) }
  }

  async #drift(view: MethodView, context: ReconcileContext): Promise<Omit<MethodDecision<Plan>, 'basis'>> {
    const { command, blocked } = await this.#drive(
      decideDrift(view.eligible, view.budgets, this.#simulatorOf(view), view.gate.driftOrder),
      context,
    )
    if (command === undefined) return { commands: [], blocked }
    // There is no wait to validate after, but among hundreds of drifted nodes the search itself takes long enough for others to go.
    const validation = await this.#validateCandidates('drift', command, context)
    if (validation.kind === 'valid') return { commands: [validation.command], blocked }
    context.log.debug(
      { reason: validation.failure, err: validation.message },
      'a drifted node is not as it was any more',
    )
    return { commands: [], blocked }
  }

  async #multiNode(view: MethodView, context: ReconcileContext): Promise<MethodDecision<Plan>> {
    const nothing = { commands: [], blocked: [], basis: view.basis }
    const { metrics } = this.#deps
    const decision = await this.#multiNodeSearch.find(
      this.#searchFacts(view, ...(this.#deps.simulationKeys?.(view.snapshot) ?? [])),
      () => this.#drive(decideMultiNode(this.#consolidationInput(view)), context),
      ({ command, timedOut }) => command === undefined && timedOut === undefined,
    )
    this.#reporter.considered(decision.considered)
    const scored = decision.command ?? decision.rejected
    if (scored !== undefined) this.#reporter.scored(scored, decision.scores, context.log)
    if (decision.rejected !== undefined) this.#reporter.rejectedMultiNode(decision.scores)
    if (decision.timedOut !== undefined) {
      metrics.consolidationTimeouts.increment({ consolidation_type: 'multi' })
      if (decision.command === undefined) {
        const fields = { last_batch_size: decision.timedOut.lastBatchSize }
        context.log.debug(fields, 'failed to find a multi-node consolidation after timeout')
      } else {
        context.log.debug({}, 'stopping multi-node consolidation after timeout, returning last valid command')
      }
    }
    if (decision.command === undefined) {
      if (!decision.constrained) this.#consolidatedAt.set('multiNode', view.state)
      return nothing
    }
    const { validation, basis } = await this.#validate('multiNode', decision.command, context)
    if (validation.kind === 'invalid') return nothing
    this.#reporter.approved(validation.command, decision.scores)
    return { commands: [validation.command], blocked: [], basis }
  }

  async #singleNode(view: MethodView, context: ReconcileContext): Promise<MethodDecision<Plan>> {
    const { metrics, recorder, settings } = this.#deps
    if (this.#unseenPools.size > 0) {
      context.log.debug(
        { nodepools: [...this.#unseenPools].toSorted() },
        'prioritizing nodepools that have not yet been considered due to timeouts in previous runs',
      )
    }
    const unseenPools = this.#unseenPools
    const unsteady = new Set(Array.from(this.#unsteady.entries(), ([key]) => key))
    const { step, blocked, rejected, considered, failed } = await this.#singleNodeSearch.find(
      this.#searchFacts(view, poolsText(unseenPools), ...(this.#deps.simulationKeys?.(view.snapshot) ?? [])),
      () => this.#drive(decideSingleNode({ ...this.#consolidationInput(view), unseenPools, unsteady }), context),
      (decision) => decision.step.kind === 'nothing' && !decision.step.timedOut,
    )
    this.#reporter.considered(considered)
    for (const { command, scores } of rejected) this.#reporter.rejectedSingleNode(command, scores, context.log)
    for (const { candidate, error } of failed) {
      context.log.error({ err: error, Node: { name: candidate.name } }, 'failed computing consolidation')
    }
    if (step.kind === 'nothing') {
      this.#unseenPools = step.unseenPools
      if (step.timedOut) {
        metrics.consolidationTimeouts.increment({ consolidation_type: 'single' })
        const fields = { candidates_evaluated: step.candidatesEvaluated }
        context.log.debug(fields, 'abandoning single-node consolidation due to timeout')
      } else if (!step.constrained) this.#consolidatedAt.set('singleNode', view.state)
      return { commands: [], blocked, basis: view.basis }
    }
    this.#reporter.scored(step.command, step.scores, context.log)
    const { validation, basis } = await this.#validate('singleNode', step.command, context)
    if (validation.kind === 'invalid') {
      for (const { providerID } of step.command.candidates) this.#unsteady.set(providerID, true)
      const savings = estimatedSavings(step.command, settings.wellKnownLabels)
      recorder.publish(...consolidationRejectedEvents(step.command, validation.failure, savings))
      return { commands: [], blocked, basis }
    }
    this.#reporter.approved(validation.command, step.scores)
    return { commands: [validation.command], blocked, basis }
  }

  /** Everything that decides how a search comes out. */
  #searchFacts(view: MethodView, ...more: readonly unknown[]): readonly unknown[] {
    const { poolCosts, disruptionCosts } = this.#deps.cluster
    return view.lasting === undefined
      ? searchFacts({ ...view, totals: this.#totals(view) }, ...more)
      : [view.lasting, poolCosts, disruptionCosts, clockFacts(view.snapshot), ...more]
  }

  #totals({ snapshot, survey }: MethodView): ReadonlyMap<string, PoolTotals> {
    const { poolCosts: trackedCost, disruptionCosts: trackedDisruptionCost } = this.#deps.cluster
    return poolTotals({ snapshot, candidates: survey.candidates, trackedCost, trackedDisruptionCost })
  }

  /** The methods of a pass share what simulations are prepared with, and what they have found out, as long as they see the same. */
  #simulatorOf({ snapshot }: MethodView): Simulate<Plan> {
    const facts = [...snapshotFacts(snapshot), clockFacts(snapshot), ...(this.#deps.simulationKeys?.(snapshot) ?? [])]
    if (this.#simulator === undefined || !isSameList(this.#simulator.facts, facts)) {
      this.#simulator = { facts, simulate: this.#deps.simulatorFor(snapshot) }
    }
    return this.#simulator.simulate
  }

  #consolidationInput(view: MethodView) {
    const { settings, clock } = this.#deps
    const started = clock.monotonicMs()
    return {
      eligible: view.eligible,
      budgets: view.budgets,
      totals: this.#totals(view),
      simulate: this.#simulatorOf(view),
      options: { wellKnownLabels: settings.wellKnownLabels, spotToSpot: settings.spotToSpot },
      elapsedMs: () => clock.monotonicMs() - started,
    }
  }

  /**
   * Waits, looks at the candidates and their budgets, simulates again with the pods that they have by now, and looks at the candidates
   * once more.
   */
  async #validate(
    method: 'multiNode' | 'singleNode',
    command: Command<Plan>,
    context: ReconcileContext,
  ): Promise<{ readonly validation: Validation<Plan>; readonly basis: PlanBasis }> {
    await this.#waitToValidate(context)
    const look = await this.#views.now(method, context)
    const simulate = this.#deps.simulatorFor(look.snapshot)
    const steps: ((current: Command<Plan>) => Promise<Validation<Plan>> | Validation<Plan>)[] = [
      (current) => validateCandidates({ command: current, ...look, now: look.snapshot.now }),
      (current) => this.#drive(validateSimulation(current, simulate), context),
      (current) => this.#validateCandidates(method, current, context),
    ]
    let validation: Validation<Plan> = { kind: 'valid', command, dropped: 0 }
    for (const step of steps) {
      validation = await step(validation.command)
      if (validation.kind === 'valid') continue
      this.#countDropped(method, validation.dropped)
      context.log.debug(
        { reason: validation.failure, err: validation.message },
        'abandoning consolidation attempt, command is no longer valid',
      )
      return { validation, basis: look.basis }
    }
    return { validation, basis: look.basis }
  }

  async #validateCandidates(
    method: 'drift' | 'multiNode' | 'singleNode',
    command: Command<Plan>,
    context: ReconcileContext,
  ): Promise<Validation<Plan>> {
    const { eligible, budgets, snapshot } = await this.#views.now(method, context)
    return validateCandidates({ command, eligible, budgets, now: snapshot.now })
  }

  #countDropped(method: DisruptionMethod, dropped: number): void {
    if (dropped === 0) return
    this.#deps.metrics.disruptionFailedValidations.increment(
      { consolidation_type: consolidationTypeOf[method] },
      dropped,
    )
  }

  #waitToValidate(context: ReconcileContext): Promise<void> {
    this.#views.forget()
    return this.#deps.clock.sleep(validationDelayMs, context.stopping)
  }

  #drive<T>(work: Sliced<T>, context: ReconcileContext): Promise<T> {
    this.#views.forget()
    return drive(work, this.#deps.clock, context.stopping)
  }
}
