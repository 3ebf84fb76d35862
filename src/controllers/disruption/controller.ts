import { budgetErrors } from '../../disruption/budgets.ts'
import { isStatic } from '../../disruption/candidates.ts'
import {
  type Command,
  consolidationTypeOf,
  type DisruptionMethod,
  methodOrder,
  reasonOf,
  type Replacement,
} from '../../disruption/command.ts'
import {
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  type SingletonController,
} from '../../kube/controller.ts'
import { isConflict, isRefusal } from '../../kube/errors.ts'
import { throwRejections } from '../../model/combine-errors.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { LimitExceededError } from '../provisioning/create-claim.ts'
import { cleanUpAbandoned } from './clean-up.ts'
import type { DisruptionDeps } from './deps.ts'
import { MethodViews } from './method-views.ts'
import { type MethodDecision, MethodRunner } from './methods.ts'
import type { OrchestrationQueue } from './orchestration-queue.ts'
import { PassReporter } from './pass-reporter.ts'
import { dropCommand, MarkingError, startCommand } from './start-command.ts'
import { UnreadableInput } from './unreadable.ts'
import type { VerdictBook } from './verdicts.ts'

const unsyncedWaitMs = 1_000
const idleWaitMs = 10_000
/** Whoever was faster has mostly written its claims by then. */
const stalePlanWaitMs = 1_000

/** The loop that looks for nodes to disrupt, one method after the other. */
export function disruptionController<Plan extends Replacement>(
  deps: DisruptionDeps<Plan>,
  queue: OrchestrationQueue,
  verdicts: VerdictBook,
): SingletonController {
  const views = new MethodViews(deps, queue)
  const methods = new MethodRunner(deps, views)
  const reporter = new PassReporter(deps)
  const unreadable = new UnreadableInput()

  async function reconcile(context: ReconcileContext): Promise<ReconcileResult> {
    if (!deps.cluster.synced) return requeueAfter(unsyncedWaitMs)
    const snapshot = await deps.cluster.snapshot()
    const errors = budgetErrors(snapshot.nodePools, snapshot.now)
    if (errors.length > 0) context.log.error({ err: errors.join('; ') }, 'detected disruption budget errors')
    deps.late.takeOver(snapshot.nodes, deps.cluster.nodeClaims())
    try {
      await cleanUpAbandoned(snapshot, queue.queued, deps)
    } catch (error) {
      if (isConflict(error)) return { kind: 'backOff' }
      throw error
    }
    reporter.looked(snapshot)
    unreadable.log(snapshot, context.log)
    reporter.noteGap('disruption', context.log)
    views.forget()
    try {
      for (const method of methodOrder) {
        const waitMs = await runMethod(method, context)
        if (waitMs !== undefined) return requeueAfter(waitMs)
      }
    } catch (error) {
      // Others write nodes and claims all day long; nothing was started, and the next pass decides anew.
      if (isConflict(error instanceof MarkingError ? error.cause : error)) return { kind: 'backOff' }
      throw error
    } finally {
      methods.end()
    }
    return requeueAfter(idleWaitMs)
  }

  async function runMethod(method: DisruptionMethod, context: ReconcileContext): Promise<number | undefined> {
    reporter.noteGap(method, context.log)
    const started = deps.clock.monotonicMs()
    try {
      return await evaluate(method, context)
    } finally {
      deps.metrics.disruptionEvaluationDuration.observe(
        { reason: reasonOf[method].toLowerCase(), consolidation_type: consolidationTypeOf[method] },
        (deps.clock.monotonicMs() - started) / 1000,
      )
    }
  }

  /** After how long to begin anew, when it started something or what it planned does not hold any more. */
  async function evaluate(method: DisruptionMethod, context: ReconcileContext): Promise<number | undefined> {
    const view = await views.inPass(method, context)
    reporter.viewed(method, view)
    if (view.eligible.length === 0) {
      verdicts.record(method, view.blocked, view.snapshot.now)
      return undefined
    }
    if (methods.isUnchanged(method)) return undefined
    const decision = await methods.decide(method, view, context)
    reporter.blocked(decision.blocked)
    verdicts.record(method, [...view.blocked, ...decision.blocked], view.snapshot.now)
    const stale = whyStale(decision, view.snapshot)
    if (stale !== undefined) {
      context.log.debug({ method }, `${stale}, deciding anew`)
      for (const command of decision.commands) dropCommand(command, deps)
      return stalePlanWaitMs
    }
    // Nobody would be there to finish it, and the next leader takes back what it finds half done.
    context.stopping.throwIfAborted()
    const results = await Promise.allSettled(
      decision.commands.map((command) =>
        startCommand(command, deps, { queue, basis: decision.basis, log: context.log }),
      ),
    )
    for (const [index, command] of decision.commands.entries()) {
      const result = results[index]
      if (result?.status === 'rejected' && result.reason instanceof Error) setBackRefused(command, result.reason)
    }
    throwRejections(results)
    return decision.commands.length > 0 ? 0 : undefined
  }

  /** What the API server refused, or the limits, it refuses again: others have their turn. */
  function setBackRefused({ candidates }: Command<Plan>, error: Error): void {
    const { cause } = error
    if (error instanceof MarkingError) {
      if (isRefusal(cause)) views.setBack(error.candidates, 'MarkingRefused', error.message)
    } else if (cause instanceof LimitExceededError || (cause instanceof Error && isRefusal(cause))) {
      views.setBack(candidates, 'LaunchRefused', error.message)
    }
  }

  /** Seen before a candidate is tainted, a plan that does not hold any more costs nobody anything. */
  function whyStale({ commands, basis }: MethodDecision<Plan>, { nodePools }: Snapshot): string | undefined {
    if (commands.length === 0) return undefined
    // Replacements of static pools have their places reserved.
    const joined = new Set(
      commands
        .filter(({ candidates }) => !candidates.some(({ pool }) => isStatic(pool)))
        .flatMap(({ replacements }) => replacements.map(({ nodePool }) => nodePool)),
    )
    const pools = nodePools.filter(({ metadata }) => joined.has(metadata.name))
    return deps.cluster.plans.whyStale(pools, basis)
  }

  return { name: 'disruption', reconcile }
}
