import type { RolloutFailure, RolloutPolicyStatus } from '../../api/karpenter.ts'
import { toTimestamp } from '../../model/clock.ts'
import { shortText } from '../../model/short-text.ts'
import type { StalledCause } from '../stalled.ts'
import { type GateResult, type GateState, judgeGates } from './gates.ts'
import { recordEnd } from './history.ts'
import type { ClassFacts, ImageFacts, NodeFacts, PoolFacts, RolloutInput } from './input.ts'
import { withoutLeftPools } from './left-pools.ts'
import { failedBefore, neverUp } from './never-up.ts'
import { nodeReadyTimeoutMs, watchNewNodes } from './new-nodes.ts'
import { gateOf } from './policy-gate.ts'
import { allowedByStep, deadlineOf, isReached, replacedCount } from './progress.ts'
import { spendRate } from './rate.ts'
import type { ImageVerdict, Rollback, RolloutStepResult, Transition } from './result.ts'
import {
  blamedClasses,
  brokenDown,
  changedClasses,
  imagesText,
  isChanged,
  isOfFailedRollout,
  isRolledBack,
  leftToReturn,
  neverCameUp,
  ofReturned,
  rollbackTargets,
} from './rollback.ts'
import { freshStep, isCounted, type Run, runOf, startCount, startRun, wasThere, wholeSecond } from './run.ts'
import { changeNodes, failedTargets, isStillWanted, type Scope, scopeOf, whyUnresolved } from './scope.ts'
import { stalledCauses } from './stalled-causes.ts'
import { isBeyondPlan, nextStep, ownNodes, termsOf } from './steps.ts'
import { statusOf } from './to-status.ts'
import { windowState } from './windows.ts'

/**
 * One look at everything that a policy governs: how far its rollout is, whether it may go on, and with which nodes. Pure; a crash before
 * the result is written costs nothing but doing it again, and what is not in the status is read from the cluster each time.
 */
export function advance(input: RolloutInput): RolloutStepResult {
  const { policy, now } = input
  const { spec } = policy
  const previous = policy.status
  const work = new Work(input)
  const before = runOf(previous)
  const isObserving = spec.mode === 'Observe'
  const { run, scope } = work.toPresent(isObserving ? undefined : before)
  const after = run === undefined ? undefined : work.step(run, scope)
  if (run === undefined && !isObserving) work.noteGoodImages()

  const window = windowState(spec, now)
  const standsStill = after !== undefined && whyUnresolved(scope) !== undefined
  const isForced =
    after !== undefined && after.failure === undefined && !standsStill && now >= deadlineOf(policy.spec, after)
  const present = new Set(input.pools.flatMap(({ nodes }) => nodes.map(({ name }) => name)))
  // What a rollback takes back pays nothing, and needs no room in the bucket. Everything else does, in a rollout that failed as well.
  const isFree = (pool: PoolFacts, node: NodeFacts): boolean =>
    after?.failure?.state === 'RollingBack' &&
    scope.covered.includes(pool) &&
    isOfFailedRollout(after, pool, node, work.badImages)
  const going = input.pools.flatMap((pool) =>
    pool.nodes.flatMap((node) => (node.goingForDrift && !isFree(pool, node) ? [node.name] : [])),
  )
  const rate = spendRate({
    rate: spec.rate,
    previous: previous?.rate,
    going: new Set(going),
    present,
    now,
  })
  const allowed =
    after === undefined || after.soakedUntil !== undefined || standsStill ? 0 : allowedByStep(after, scope.covered)
  const good = { kind: 'good' as const }
  const { state: gates, metric } = work.gates ?? { state: good, metric: good }
  const { badImages } = work
  const gate = gateOf({ input, scope, run: after, gates, metric, window, rate, allowed, isForced, badImages })
  const outdated = after === undefined ? undefined : neverUp(after, scope, gate, now)
  const facts = { input, scope, run: after, gates, window, rate, isForced, isObserving }
  const stalled: readonly StalledCause[] = isObserving ? [] : stalledCauses(facts)
  const status = statusOf({ ...facts, history: work.history, completed: work.completed })
  work.noteShown(previous, status)
  return {
    status,
    gate: isObserving ? { ...gate, nodes: new Map(), sharedBudget: undefined, consolidation: undefined } : gate,
    transitions: work.transitions,
    rollbacks: work.rollbacks,
    verdicts: work.verdicts,
    discards: [...new Set([...work.discards, ...(outdated?.names ?? [])])],
    stalled,
    wakeAt: earliest(
      [
        work.gates?.wakeAt,
        outdated?.nextTimeout,
        ...work.timeouts,
        after?.soakedUntil,
        after === undefined || isForced ? undefined : deadlineOf(policy.spec, after),
        window.kind === 'open' ? window.until : window.opensAt,
        gate.nodes.size > 0 ? rate.nextAt : undefined,
        rate.lapsesAt,
        ...[...scope.refusals.values()].map(({ until }) => until),
        ...input.pools.map(({ pause }) => pause?.until),
      ].filter((at) => at === undefined || at > now),
    ),
  }
}

/** What one look finds out on its way. */
class Work {
  readonly transitions: Transition[] = []
  readonly rollbacks: Rollback[] = []
  readonly verdicts: ImageVerdict[] = []
  readonly discards: string[] = []
  /** When further nodes will have had their time, in ms since the epoch. */
  readonly timeouts: number[] = []
  history: NonNullable<RolloutPolicyStatus['history']>
  gates: GateResult | undefined
  completed = false
  badImages: ReadonlySet<string> = new Set()
  readonly #input: RolloutInput

  constructor(input: RolloutInput) {
    this.#input = input
    this.history = input.policy.status?.history ?? []
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
    this.#tell('Started', 'Normal', `rollout ${run.revision} of ${run.startNodes} node(s) begins in ${pools}`)
    this.#tellStep(run)
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
    this.#end(run, pools, 'Superseded', 'the target moved on', { replaced })
    this.#tell('Superseded', 'Normal', `rollout ${run.revision} is superseded: the target moved on`)
  }

  /** Carries a run as far as it goes now; undefined when it is complete. */
  step(before: Run, scope: Scope): Run | undefined {
    const { now } = this.#input
    if (whyUnresolved(scope) !== undefined) return before
    if (before.failure !== undefined && before.failure.state !== 'RollingBack') {
      // Again at each look: a crash or a conflict may have kept it from the classes. What another policy calls good stays so.
      this.#blameImages(before, scope, ({ isGood }) => !isGood)
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
      failedBefore: run.failed,
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
    if (run.failure !== undefined) return this.#stepFailed({ ...seen, failure: run.failure }, scope)
    const { state } = this.gates
    // Before the first node has gone, bad pods and metrics are not the rollout's doing: it waits.
    if (state.kind === 'failed' && (state.reason === 'NodesFailed' || replacedCount(run, scope.covered) > 0)) {
      return this.#fail(seen, scope, state)
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
      if (nodes.length > 0 && inOrder) this.#good(nodeClass)
    }
  }

  /** Waits and pauses are told when they begin, and approvals when they come. */
  noteShown(previous: RolloutPolicyStatus | undefined, status: RolloutPolicyStatus): void {
    if (isNewlyShown(previous, status)) {
      if (status.phase === 'Paused') this.#tell('Paused', 'Normal', status.message ?? '')
      if (status.phase === 'Waiting' || status.phase === 'AwaitingApproval') {
        this.#tell('Waiting', 'Normal', status.message ?? '')
      }
      if (status.reason === 'DeadlineExceeded') this.#tell('DeadlineExceeded', 'Warning', status.message ?? '')
    }
    const known = new Set((previous?.approvals ?? []).map(({ kind, name, target }) => `${kind}/${name}/${target}`))
    for (const { kind, name, target, fieldManager, user } of status.approvals ?? []) {
      if (known.has(`${kind}/${name}/${target}`)) continue
      const writer = user ?? fieldManager ?? 'an unknown writer'
      this.#tell('Approved', 'Normal', `${kind} ${name}: ${target} approved by ${writer}`)
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
    this.#tellStep(again)
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
    this.#tell('StepReached', 'Normal', message)
    return { ...reached, soakedUntil }
  }

  /** Where a deadline has passed and is moved on, steps count again, from the one that the rollout has come to. */
  #toPlannedStep(run: Run, scope: Scope): Run {
    const { steps = [] } = run.terms
    if (!isBeyondPlan(steps, run.step, run.startNodes)) return run
    const planned = { ...run, step: nextStep(steps, run.startNodes, passedNodes(run, scope)), reachedAt: undefined }
    this.#tellStep(planned)
    return planned
  }

  #pass(run: Run, scope: Scope): Run | undefined {
    const { policy, now } = this.#input
    const replaced = replacedCount(run, scope.covered)
    const remains = scope.covered.some((pool) => changeNodes(pool).length > 0)
    if (run.step.isLast || !remains) {
      // What drifted while the last step soaked goes as well, and the step soaks again: at a soak that is over nothing ever would.
      if (remains) return { ...run, reachedAt: undefined, soakedUntil: undefined }
      this.#end(run, scope.covered, 'Completed', `${replaced} node(s) replaced`)
      this.#tell('Completed', 'Normal', `rollout ${run.revision} is complete: ${replaced} node(s) replaced`)
      this.completed = true
      for (const { nodeClass, nodes } of scope.covered) {
        if (nodeClass === undefined || nodeClass.pinnedInsteadOf !== undefined) continue
        const ids = new Set(nodeClass.images.map(({ id }) => id))
        // Where all the old nodes went for other reasons, say with their pool, no new one may have tried them.
        if (nodes.some(({ image = '', initialized }) => initialized && ids.has(image))) this.#good(nodeClass)
      }
      return undefined
    }
    this.#tell('StepPassed', 'Normal', `step ${run.step.index + 1} of ${run.step.count} is passed`)
    const terms = termsOf(policy.spec, policy.metadata.generation ?? 0)
    const next = nextStep(terms.steps ?? [], run.startNodes, Math.max(run.step.goal, replaced))
    const following = { ...run, ...freshStep(terms, next, now) }
    this.#tellStep(following)
    // By other gates the step may not begin with what was good for the one before.
    return terms.generation === run.terms.generation ? following : this.step(following, scope)
  }

  #fail(run: Run, scope: Scope, gate: Extract<GateState, { kind: 'failed' }>): Run {
    const { policy, now } = this.#input
    const nodeClasses = gate.nodes === undefined ? undefined : blamedClasses(gate.nodes, scope.covered)
    const halted: RolloutFailure = {
      reason: gate.reason,
      message: gate.message,
      time: toTimestamp(now),
      state: 'Halted',
      generation: policy.metadata.generation ?? 0,
      targets: failedTargets(scope),
      ...(nodeClasses === undefined ? {} : { nodeClasses }),
    }
    const asksForRollback = run.terms.onFailure === 'Rollback'
    const returns = asksForRollback ? rollbackTargets({ ...run, failure: halted }, scope.covered) : []
    const isReturning = returns.length > 0
    const cannot =
      asksForRollback && !isReturning
        ? '; there is nothing to return to: the images did not change, are those that were asked for by revision, or no others of the AMI family are known to be good'
        : ''
    const failure: RolloutFailure = {
      ...halted,
      message: `${halted.message}${cannot}`,
      state: isReturning ? 'RollingBack' : 'Halted',
    }
    const failed = { ...run, reachedAt: undefined, soakedUntil: undefined, pending: [], failed: 0, failure }
    this.#blameImages(failed, scope)
    // Until it is back, also where no history is wanted: the rollback knows by it which images failed.
    this.#end(failed, scope.covered, 'Halted', failure.message, { atLeast: isReturning ? 1 : 0 })
    const step = `step ${run.step.index + 1} of ${run.step.count}`
    this.#tell('Halted', 'Warning', `rollout ${run.revision} has failed in ${step}: ${failure.message}`)
    if (!isReturning) return failed
    const names = returns.map(({ nodeClass, images }) => `${nodeClass.name} to ${imagesText(images)}`).join('; ')
    this.#tell('RollingBack', 'Warning', `rolling back ${names}`)
    return this.#stepFailed(failed, scope)
  }

  #stepFailed(run: Run & { readonly failure: RolloutFailure }, scope: Scope): Run {
    const { failure } = run
    const { now } = this.#input
    this.badImages = new Set(this.history[0]?.images)
    const targets = rollbackTargets(run, scope.covered)
    for (const { nodeClass, images } of targets) {
      this.#verdict(nodeClass.name, nodeClass.images, 'bad')
      this.rollbacks.push({
        nodeClass: nodeClass.name,
        images,
        insteadOf: nodeClass.target,
        reason: shortText(`the rollout of ${imagesText(nodeClass.images)} failed: ${failure.message}`, reasonMax),
      })
    }
    if (!scope.covered.some(({ nodeClass }) => nodeClass !== undefined && isChanged(run, nodeClass.name))) {
      const message = `${failure.message}; the pools whose images it changed have left the policy`
      this.#tell('Halted', 'Warning', message)
      return { ...run, pending: [], failure: { ...failure, message, state: 'Halted' } }
    }
    // Until the classes have the images again, new nodes are still made of the bad ones.
    if (targets.length > 0 || !scope.covered.some(isRolledBack)) return { ...run, pending: [], failed: 0 }
    this.discards.push(...neverCameUp(run, scope.covered, this.badImages))
    for (const { name, unreadyFrom = now } of brokenDown(run, scope.covered, this.badImages)) {
      const at = unreadyFrom + nodeReadyTimeoutMs(run.terms.gates)
      if (at <= now) this.discards.push(name)
      else this.timeouts.push(at)
    }
    const state = this.gates?.state
    if (state?.kind === 'failed' && state.reason === 'NodesFailed') {
      const message = `${failure.message}; the rollback has failed too: ${state.message}`
      this.#tell('Halted', 'Warning', message)
      return { ...run, failure: { ...failure, reason: 'RollbackFailed', message, state: 'Halted' } }
    }
    if (leftToReturn(run, scope.covered, this.badImages)) return run
    const message = `${failure.message}; the nodes${ofReturned(run)} are back on the last good images`
    this.#end(run, scope.covered, 'RolledBack', message)
    this.#tell('RolledBack', 'Normal', `rollout ${run.revision} is rolled back`)
    return { ...run, pending: [], failure: { ...failure, message, state: 'RolledBack' } }
  }

  /** Of the classes that still ask for them: where a rollback has begun, others are in their place. */
  #blameImages(run: Run, scope: Scope, isMeant: (nodeClass: ClassFacts) => boolean = () => true): void {
    for (const nodeClass of changedClasses(run, scope.covered).filter(isMeant)) {
      this.#verdict(nodeClass.name, nodeClass.images, 'bad')
    }
  }

  #good(nodeClass: NonNullable<PoolFacts['nodeClass']>): void {
    if (!nodeClass.isGood) this.#verdict(nodeClass.name, nodeClass.images, 'good')
  }

  #verdict(nodeClass: string, images: readonly ImageFacts[], outcome: 'good' | 'bad'): void {
    if (images.length === 0 || this.verdicts.some((verdict) => verdict.nodeClass === nodeClass)) return
    this.verdicts.push({ nodeClass, images: images.map(({ id }) => id), outcome })
  }

  #end(
    run: Run,
    pools: readonly PoolFacts[],
    outcome: 'Completed' | 'Halted' | 'RolledBack' | 'Superseded',
    message: string,
    { replaced = replacedCount(run, pools), atLeast = 0 }: { replaced?: number; atLeast?: number } = {},
  ): void {
    const { policy, now } = this.#input
    const limit = Math.max(atLeast, policy.spec.historyLimit ?? 10)
    this.history = [...recordEnd(this.history, { run, outcome, message, pools, replaced, now }, limit)]
  }

  #tell(kind: Transition['kind'], type: Transition['type'], message: string): void {
    this.transitions.push({ kind, type, message })
  }

  #tellStep({ step, startNodes }: Run): void {
    const message = `step ${step.index + 1} of ${step.count} begins: ${step.goal} of ${startNodes} node(s)`
    this.#tell('StepStarted', 'Normal', message)
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

/** What is to be approved stands in the message alone: another target there is another wait. */
function isNewlyShown(
  previous: RolloutPolicyStatus | undefined,
  { phase, reason, message }: RolloutPolicyStatus,
): boolean {
  if (previous?.phase !== phase || previous?.reason !== reason) return true
  return phase === 'AwaitingApproval' && previous?.message !== message
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((at) => at !== undefined && Number.isFinite(at))
  return known.length === 0 ? undefined : Math.min(...known.map(Number))
}

/** As long as the class's status may hold. */
const reasonMax = 1_024
