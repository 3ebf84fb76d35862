import type { RolloutFailure } from '../../api/karpenter.ts'
import { toTimestamp } from '../../model/clock.ts'
import { blameImages, failStep, type FailingLook, goBack } from './failing.ts'
import { Findings } from './findings.ts'
import { type GateResult, judgeGates } from './gates.ts'
import type { NodeFacts, PoolFacts, RolloutInput } from './input.ts'
import { withoutLeftPools } from './left-pools.ts'
import { failedBefore } from './never-up.ts'
import { watchNewNodes } from './new-nodes.ts'
import { deadlineOf, isReached, replacedCount } from './progress.ts'
import { freshStep, isCounted, type Run, startCount, startRun, wasThere, wholeSecond } from './run.ts'
import { changeNodes, isStillWanted, type Scope, scopeOf, whyUnresolved } from './scope.ts'
import { isBeyondPlan, nextStep, ownNodes, termsOf } from './steps.ts'

/** Carries the rollout of a policy as far as it goes in one look. */
export class Work {
  readonly found: Findings
  gates: GateResult | undefined
  completed = false
  readonly #input: RolloutInput

  constructor(input: RolloutInput) {
    this.#input = input
    this.found = new Findings(input)
  }

  /** The run that the present targets ask for: the one under way, a new one in its place, or none. */
  toPresent(before: Run | undefined): { readonly run: Run | undefined; readonly scope: Scope } {
    const { policy } = this.#input
    if (before !== undefined) {
      const scope = scopeOf(this.#input, new Set(before.covered.keys()), { hasFailed: before.failure !== undefined })
      // While a selector finds nothing the target is unknown: keep the run, or its progress and failures would be lost.
      if (whyUnresolved(scope) !== undefined) return { run: before, scope }
      const isFailed = before.failure !== undefined && before.revision === scope.failedRevision
      if (isFailed || before.revision === scope.revision)
        return { run: this.#recount(this.#tryAgain(before, scope), scope), scope }
      const rest = before.failure === undefined ? withoutLeftPools(before, scope, policy.status) : undefined
      if (rest !== undefined) return { run: rest, scope }
      if (before.failure === undefined) this.#supersede(before, scope.covered)
      else if (isStillWanted(before.failure, scope) && !this.#isTriedAgain(before.failure))
        return { run: before, scope }
    }
    const scope = scopeOf(this.#input, new Set())
    if (scope.covered.length === 0 || policy.spec.mode === 'Observe') return { run: undefined, scope }
    return { run: this.#start(scope), scope }
  }

  #start(scope: Scope): Run {
    const { policy, now } = this.#input
    const run = startRun(scope, policy.spec, policy.metadata.generation ?? 0, now)
    const pools = scope.covered.map(({ name }) => name).join(', ')
    this.found.tell('Started', 'Normal', `rollout ${run.revision} of ${run.startNodes} node(s) begins in ${pools}`)
    this.found.tellStep(run)
    return run
  }

  /**
   * Nodes of one change may drift one after another, and object times are whole seconds. Until a node begins to go, all that drift are
   * counted; later only those that cannot be told from the ones counted first.
   */
  #recount(run: Run, scope: Scope): Run {
    if (run.failure !== undefined || run.step.index > 0) return run
    const hasBegun =
      replacedCount(run, scope.covered) > 0 ||
      scope.covered.flatMap(changeNodes).some(({ name, going }) => going && !run.leaving.has(name))
    if (!hasBegun) return startCount(scope, run.leaving) > run.startNodes ? this.#start(scope) : run
    const counted = scope.covered.reduce(
      (sum, pool) => sum + changeNodes(pool).filter((node) => isCounted(run, node)).length,
      0,
    )
    if (counted <= run.startNodes) return run
    // Planned for more nodes, too: what was all of a few is not all of many.
    return { ...run, startNodes: counted, step: nextStep(run.terms.steps ?? [], counted, 0) }
  }

  /** A run that touched no node, e.g. superseded at once by a second approval, leaves no history. */
  #supersede(run: Run, pools: readonly PoolFacts[]): void {
    // As counted before the target moved on: by the new one, other nodes differ.
    const replaced = this.#input.policy.status?.replacedNodes ?? 0
    if (replaced === 0 && !pools.some(({ nodes }) => nodes.some(({ goingForDrift }) => goingForDrift))) return
    this.found.end(run, pools, 'Superseded', 'the target moved on', { replaced })
    this.found.tell('Superseded', 'Normal', `rollout ${run.revision} is superseded: the target moved on`)
  }

  /** Carries a run as far as it goes now; undefined when it is complete. */
  step(before: Run, scope: Scope): Run | undefined {
    const { now } = this.#input
    if (whyUnresolved(scope) !== undefined) return before
    if (before.failure !== undefined && before.failure.state !== 'RollingBack') {
      // Again at each look: a crash or a conflict may have kept it from the classes. What another policy calls good stays so.
      blameImages(this.found, before, scope, ({ isGood }) => !isGood)
      return before
    }
    const run = this.#withPresentQuery(before)
    // One that drifts on its way, say because its security groups changed meanwhile, has not failed by that: it is awaited all the same.
    const awaited = new Set(run.pending.map(({ name }) => name))
    const isOfRevision = ({ name, drift }: NodeFacts): boolean => drift === undefined || awaited.has(name)
    const nodes = scope.covered.flatMap((pool) => pool.nodes.filter((node) => !node.going && isOfRevision(node)))
    const all = scope.covered.flatMap((pool) => pool.nodes)
    const newNodes = watchNewNodes({
      nodes,
      brokenDown: all.flatMap((node) => (isOfRevision(node) && hasBrokenDown(run, node) ? [node.name] : [])),
      excused: new Set(
        all.filter(({ initialized, interrupted }) => initialized || interrupted).map(({ name }) => name),
      ),
      previous: run.pending,
      nodeClasses: new Map(
        scope.covered.flatMap(({ nodeClass, nodes: ofPool }) =>
          nodeClass === undefined ? [] : ofPool.map(({ name }) => [name, nodeClass.name] as const),
        ),
      ),
      failedBefore: run.failed,
      stepStart: run.stepStartedAt,
      gates: run.terms.gates,
      now,
    })
    this.gates = judgeGates({
      gates: run.terms.gates,
      newNodes,
      nodes,
      pods: this.#input.pods,
      metric: this.#input.metric,
      badSince: run.badSince,
      stepNodes: ownNodes(run.terms.steps ?? [], run.step, run.startNodes),
      stepStart: run.stepStartedAt,
      reachedAt: run.soakedUntil ?? run.reachedAt,
      now,
    })
    const seen = { ...run, pending: newNodes.pending, failed: newNodes.failed, badSince: this.gates.badSince }
    if (run.failure !== undefined) return goBack(this.#failing(), { ...seen, failure: run.failure }, scope)
    const { state } = this.gates
    // Before the first node has gone, bad pods and metrics are not the rollout's doing: it waits.
    if (state.kind === 'failed' && (state.reason === 'NodesFailed' || replacedCount(run, scope.covered) > 0)) {
      return failStep(this.#failing(), seen, scope, state)
    }
    return this.#stepSound(seen, scope)
  }

  /** If the query in force has no answer and the policy changed, take the new query at once; otherwise the step would never end. */
  #withPresentQuery(run: Run): Run {
    const { policy, metric } = this.#input
    if (metric?.answer.kind !== 'unknown' || run.terms.generation === policy.metadata.generation) return run
    const { prometheus: _, ...others } = run.terms.gates ?? {}
    const prometheus = policy.spec.gates?.prometheus
    return {
      ...run,
      terms: { ...run.terms, gates: { ...others, ...(prometheus === undefined ? {} : { prometheus }) } },
    }
  }

  /** Images of classes whose nodes are all in order are what a rollback may return to. */
  noteGoodImages(): void {
    const byClass = Map.groupBy(this.#input.pools, ({ nodeClass }) => nodeClass?.name)
    for (const [name, pools] of byClass) {
      const nodeClass = pools[0]?.nodeClass
      if (name === undefined || nodeClass === undefined || nodeClass.pinnedInsteadOf !== undefined) continue
      const nodes = pools.flatMap((pool) => pool.nodes)
      const inOrder = nodes.every(({ drift, ready, initialized }) => drift === undefined && ready && initialized)
      if (nodes.length > 0 && inOrder) this.found.good(nodeClass)
    }
  }

  /** A changed policy tries the step that failed again; what has been rolled back waits for another target. */
  #isTriedAgain({ state, generation }: RolloutFailure): boolean {
    return state === 'Halted' && generation !== (this.#input.policy.metadata.generation ?? 0)
  }

  #tryAgain(run: Run, scope: Scope): Run {
    const { policy, now } = this.#input
    const generation = policy.metadata.generation ?? 0
    if (run.failure === undefined || !this.#isTriedAgain(run.failure)) return run
    const terms = termsOf(policy.spec, generation)
    const again = {
      ...run,
      ...freshStep(terms, nextStep(terms.steps ?? [], run.startNodes, passedNodes(run, scope)), now),
      pending: failedBefore(scope, terms.gates, now),
      failure: undefined,
    }
    this.found.tellStep(again)
    return again
  }

  #stepSound(before: Run, scope: Scope): Run | undefined {
    const { now } = this.#input
    const forced = now >= deadlineOf(this.#input.policy.spec, before)
    const run = forced ? before : this.#toPlannedStep(before, scope)
    const last = forced ? { ...run.step, goal: run.startNodes, soakMs: 0, isLast: true } : run.step
    const present = { ...run, step: last, soakedUntil: forced ? undefined : soakEnd(run, now) }
    const state = this.gates?.state ?? { kind: 'good' as const }
    const isInService = this.gates?.isInService ?? true
    if (present.soakedUntil !== undefined) {
      return now < present.soakedUntil || (state.kind !== 'good' && !forced) ? present : this.#pass(present, scope)
    }
    if (!isReached(present, scope.covered)) return { ...present, reachedAt: undefined }
    const reached = { ...present, reachedAt: present.reachedAt ?? wholeSecond(now) }
    if (!isInService) return reached
    if (last.soakMs === 0) return state.kind !== 'good' && !forced ? reached : this.#pass(reached, scope)
    const soakedUntil = wholeSecond(now + last.soakMs)
    const message = `step ${last.index + 1} of ${last.count} is reached and soaks until ${toTimestamp(soakedUntil)}`
    this.found.tell('StepReached', 'Normal', message)
    return { ...reached, soakedUntil }
  }

  /** Where a deadline has passed and is moved on, steps count again, from the one that the rollout has come to. */
  #toPlannedStep(run: Run, scope: Scope): Run {
    const { steps = [] } = run.terms
    if (!isBeyondPlan(steps, run.step, run.startNodes)) return run
    const planned = { ...run, step: nextStep(steps, run.startNodes, passedNodes(run, scope)), reachedAt: undefined }
    this.found.tellStep(planned)
    return planned
  }

  #pass(run: Run, scope: Scope): Run | undefined {
    const { policy, now } = this.#input
    const replaced = replacedCount(run, scope.covered)
    const remains = scope.covered.some((pool) => changeNodes(pool).length > 0)
    if (run.step.isLast || !remains) {
      // What drifted while the last step soaked goes as well, and the step soaks again: at a soak that is over nothing ever would.
      if (remains) return { ...run, reachedAt: undefined, soakedUntil: undefined }
      this.found.end(run, scope.covered, 'Completed', `${replaced} node(s) replaced`)
      this.found.tell('Completed', 'Normal', `rollout ${run.revision} is complete: ${replaced} node(s) replaced`)
      this.completed = true
      for (const { nodeClass, nodes } of scope.covered) {
        if (nodeClass === undefined || nodeClass.pinnedInsteadOf !== undefined) continue
        const ids = new Set(nodeClass.images.map(({ id }) => id))
        // Where all the old nodes went for other reasons, say with their pool, no new one may have tried them.
        if (nodes.some(({ image = '', initialized }) => initialized && ids.has(image))) this.found.good(nodeClass)
      }
      return undefined
    }
    this.found.tell('StepPassed', 'Normal', `step ${run.step.index + 1} of ${run.step.count} is passed`)
    const terms = termsOf(policy.spec, policy.metadata.generation ?? 0)
    const next = nextStep(terms.steps ?? [], run.startNodes, Math.max(run.step.goal, replaced))
    const following = { ...run, ...freshStep(terms, next, now) }
    this.found.tellStep(following)
    // By other gates the step may not begin with what was good for the one before.
    return terms.generation === run.terms.generation ? following : this.step(following, scope)
  }

  #failing(): FailingLook {
    return { input: this.#input, gates: this.gates?.state, found: this.found }
  }
}

/** As remembered, but no later than if the soak began now: a clock that was ahead may have written it. */
function soakEnd({ soakedUntil, step }: Run, now: number): number | undefined {
  return soakedUntil === undefined ? undefined : Math.min(soakedUntil, wholeSecond(now + step.soakMs))
}

/** How far the steps have surely come, so that the next one after that is the one under way: one beyond its plan by its nodes alone. */
function passedNodes(run: Run, { covered }: Scope): number {
  if (isBeyondPlan(run.terms.steps ?? [], run.step, run.startNodes)) return Math.max(0, replacedCount(run, covered) - 1)
  return run.step.index === 0 ? 0 : run.step.goal - 1
}

/** What the cloud takes back says nothing of what it was made of, nor does an old machine that breaks down meanwhile. */
function hasBrokenDown(run: Run, { brokeDown, interrupted, createdAt }: NodeFacts): boolean {
  return brokeDown && !interrupted && !wasThere(run, createdAt)
}
