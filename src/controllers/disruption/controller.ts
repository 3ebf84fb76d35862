import { budgetErrors } from '../../disruption/budgets.ts'
import { type Blocked, isStatic } from '../../disruption/candidates.ts'
import { consolidationTypeOf, type DisruptionMethod, reasonOf, type Replacement } from '../../disruption/command.ts'
import {
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  type SingletonController,
} from '../../kube/controller.ts'
import { annotatedPods, readDoNotDisrupt, doNotDisruptNotice } from '../../disruption/do-not-disrupt.ts'
import { isConflict, isRefusal } from '../../kube/errors.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { LimitExceededError } from '../provisioning/create-claim.ts'
import { cleanUpAbandoned } from './clean-up.ts'
import type { DisruptionDeps } from './deps.ts'
import { blockedEvents, blockingBudgetEvent, isBlockedByBudget } from './events.ts'
import { type MethodDecision, methodOrder, MethodRunner, type MethodView } from './methods.ts'
import type { OrchestrationQueue } from './orchestration-queue.ts'
import { dropCommand, MarkingError, startCommand } from './start-command.ts'
import { UnreadableInput } from './unreadable.ts'
import type { VerdictBook } from './verdicts.ts'

const unsyncedWaitMs = 1_000
const idleWaitMs = 10_000
/** Whoever was faster has mostly written its claims by then. */
const stalePlanWaitMs = 1_000
/** Longer than this between two runs of a method and consolidation has practically stopped. */
const abnormalGapMs = 15 * 60_000

/** The loop that looks for nodes to disrupt, one method after the other. */
export function disruptionController<Plan extends Replacement>(
  deps: DisruptionDeps<Plan>,
  queue: OrchestrationQueue,
  verdicts: VerdictBook,
): SingletonController {
  const methods = new MethodRunner(deps, queue)
  const lastRun = new Map<string, number>()
  /** Pools of which metrics tell how many nodes may be disrupted. */
  const told = new Set<string>()
  const unreadable = new UnreadableInput()

  async function reconcile(context: ReconcileContext): Promise<ReconcileResult> {
    if (!deps.cluster.synced) return requeueAfter(unsyncedWaitMs)
    const snapshot = await deps.cluster.snapshot()
    const errors = budgetErrors(snapshot.nodePools, snapshot.now)
    if (errors.length > 0) context.log.error({ err: errors.join('; ') }, 'detected disruption budget errors')
    try {
      await cleanUpAbandoned(snapshot, queue.queued, deps)
    } catch (error) {
      if (isConflict(error)) return { kind: 'backOff' }
      throw error
    }
    publishDoNotDisruptNotices(snapshot)
    unreadable.log(snapshot, context.log)
    forgetPools(snapshot)
    noteGap('disruption', context)
    methods.begin()
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
    noteGap(method, context)
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
    const view = await methods.viewInPass(method, context)
    const reason = reasonOf[method]
    publishBlocked(view.blocked)
    deps.metrics.disruptionEligibleNodes.set({ reason: reason.toLowerCase() }, view.eligible.length)
    if (view.eligible.length === 0) {
      verdicts.record(method, view.blocked, view.snapshot.now)
      publishBudgets(method, view)
      return undefined
    }
    publishBudgets(method, view)
    if (methods.isUnchanged(method)) return undefined
    const decision = await methods.decide(method, view, context)
    publishBlocked(decision.blocked)
    verdicts.record(method, [...view.blocked, ...decision.blocked], view.snapshot.now)
    const stale = whyStale(decision, view.snapshot)
    if (stale !== undefined) {
      context.log.debug({ method }, `${stale}, deciding anew`)
      for (const command of decision.commands) dropCommand(command, deps)
      return stalePlanWaitMs
    }
    const results = await Promise.allSettled(
      decision.commands.map((command) =>
        startCommand(command, deps, { queue, basis: decision.basis, log: context.log }),
      ),
    )
    for (const [index, command] of decision.commands.entries()) {
      const result = results[index]
      if (result?.status !== 'rejected' || !(result.reason instanceof Error)) continue
      const { cause, message } = result.reason
      if (result.reason instanceof MarkingError) {
        if (isRefusal(cause)) methods.setBack(result.reason.candidates, 'MarkingRefused', message)
      } else if (cause instanceof LimitExceededError || (cause instanceof Error && isRefusal(cause))) {
        methods.setBack(command.candidates, 'LaunchRefused', cause.message)
      }
    }
    const failure = results.find((result) => result.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    return decision.commands.length > 0 ? 0 : undefined
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

  function publishBudgets(method: DisruptionMethod, view: MethodView): void {
    const reason = reasonOf[method]
    for (const [nodepool, budget] of view.budgets) {
      told.add(nodepool)
      deps.metrics.nodePoolAllowedDisruptions.set({ nodepool, reason }, budget.allowed)
      deps.metrics.nodePoolNodesConsumingBudgets.set({ nodepool, reason }, budget.disrupting)
      if (view.eligible.length > 0 && isBlockedByBudget(budget))
        deps.recorder.publish(blockingBudgetEvent(budget, reason))
    }
  }

  function forgetPools(snapshot: Snapshot): void {
    const present = new Set(snapshot.nodePools.map(({ metadata }) => metadata.name))
    for (const nodepool of told) {
      if (present.has(nodepool)) continue
      told.delete(nodepool)
      deps.metrics.nodePoolAllowedDisruptions.removeMatching({ nodepool })
      deps.metrics.nodePoolNodesConsumingBudgets.removeMatching({ nodepool })
    }
  }

  function publishBlocked(blocked: readonly Blocked[]): void {
    for (const found of blocked) deps.recorder.publish(...blockedEvents(found))
  }

  /** Pods whose annotation is wrong, or will lapse, or has lapsed, are told once. */
  function publishDoNotDisruptNotices(snapshot: Snapshot): void {
    for (const node of snapshot.nodes) {
      if (!node.managed) continue
      for (const pod of annotatedPods(node.pods)) {
        const notice = doNotDisruptNotice(readDoNotDisrupt(pod, snapshot.now))
        if (notice === undefined) continue
        const metadata = {
          name: pod.name,
          namespace: pod.namespace,
          uid: pod.uid,
          resourceVersion: '',
          creationTimestamp: '',
        }
        const text = notice.reason === 'DoNotDisruptGracePeriodElapsed' ? [] : [notice.message]
        deps.recorder.publish({
          object: { apiVersion: 'v1', kind: 'Pod', metadata },
          ...notice,
          dedupeValues: [pod.uid, ...text],
        })
      }
    }
  }

  function noteGap(name: string, context: ReconcileContext): void {
    const now = deps.clock.now()
    const gap = now - (lastRun.get(name) ?? now)
    if (gap > abnormalGapMs)
      context.log.debug({ name, time_since: `${Math.round(gap / 1000)}s` }, 'abnormal time between runs')
    lastRun.set(name, now)
  }

  return { name: 'disruption', reconcile }
}
