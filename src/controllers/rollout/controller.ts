import { sameWhenWritten } from '../../api/json.ts'
import type { RolloutPolicy } from '../../api/karpenter.ts'
import { labelNodePool } from '../../api/labels.ts'
import {
  backOff,
  type Caches,
  type Controller,
  done,
  type ReconcileContext,
  requeueAfter,
  source,
} from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import { NewestKnown } from '../../kube/newest-known.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { keyOf, type ObjectKey } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { advance, type RolloutStepResult, type Transition } from '../../rollout/engine/index.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import type { RolloutBook } from './book.ts'
import { carryOut } from './carry-out.ts'
import { isCountedOnly, isStatusOnly } from './counted-only.ts'
import { policyConditions } from './conditions.ts'
import { ClassImages } from './class-images.ts'
import { isSeenAlike } from './fleet.ts'
import { type GatherDeps, gatherRollout } from './gather.ts'
import { paced } from './status-deps.ts'

export interface RolloutDeps extends GatherDeps {
  readonly caches: Caches
  readonly clock: Clock
  readonly book: RolloutBook
  readonly recorder: EventRecorder
  readonly metrics: Pick<ControllerMetrics, 'rolloutTransitions' | 'rolloutPhase' | 'rolloutNodes'>
}

/** While a rollout is under way, pods and nodes are looked at as often as disruption looks for nodes. */
const busyMs = 10_000
const idleMs = 300_000
const retryMaxMs = 60_000
/** After a write its result is looked at once more. */
const settleMs = 1_000

/**
 * One conflict is normal and leaves the gate as it is. After this many in a row the policy's present text may never have been evaluated,
 * so its gate closes.
 */
const conflictsMax = 3

/** Carries every RolloutPolicy forward: observes, lets the engine decide, remembers in the status, and tells the gate. */
export function rolloutController(deps: RolloutDeps): Controller {
  const policies = deps.caches.of(rolloutPolicies)
  const newest = new NewestKnown(deps.kube, rolloutPolicies)
  const classes = new ClassImages(deps)
  /** By policy, in a row. */
  const conflicts = new Map<string, number>()
  const all = (): readonly ObjectKey[] => policies.list().map(keyOf)
  const ofPool = (pool: string | undefined): readonly ObjectKey[] => {
    const policy = pool === undefined ? undefined : deps.book.governance().governing.get(pool)
    return policy === undefined ? [] : [keyOf(policy)]
  }
  return {
    name: 'rollout',
    kind: { group: rolloutPolicies.group, kind: rolloutPolicies.kind },
    concurrency: 1,
    // Soaks and windows end by the clock, and a pool's nodes wait for the next look: no watch tells that writing works again.
    rateLimit: { baseMs: 5, maxMs: retryMaxMs },
    sources: [
      // A policy that comes, goes or selects other pools may change which one governs the pools of the others. Statuses are left out: two
      // processes that see the fleet differently, as during a handover, would answer each other's without end.
      source(rolloutPolicies, (change) => {
        if (change.kind !== 'updated') return [keyOf(change.after ?? change.before), ...all()]
        const { before, after } = change
        if (isStatusOnly(before, after)) return []
        return governsAlike(before, after) ? [keyOf(after)] : all()
      }),
      // Their counters change with every node that comes or goes; nothing is decided by them.
      source(nodePools, ({ before, after }) => (isStatusOnly(before, after) ? [] : all())),
      source(ec2NodeClasses, ({ before, after }) => (isCountedOnly(before, after) ? [] : all())),
      source(nodeClaims, ({ before, after }) =>
        isSeenAlike(before, after) ? [] : ofPool((after ?? before).metadata.labels?.[labelNodePool]),
      ),
    ],
    reconcile: paced(deps.clock, async (key, context) => {
      const now = deps.clock.now()
      const look = await lookAt(deps, newest, key, now).catch((error: unknown) => {
        deps.book.close(key.name, 'the last look at it failed')
        throw error
      })
      if (look === undefined) {
        deps.book.forget(key.name)
        newest.forget(key)
        conflicts.delete(key.name)
        // An alert on the phase it was last in would never end.
        deps.metrics.rolloutPhase.removeMatching({ rolloutpolicy: key.name })
        deps.metrics.rolloutNodes.removeMatching({ rolloutpolicy: key.name })
        return done
      }
      const { policy, result, wrote } = look
      if (wrote === 'conflict') {
        const inARow = (conflicts.get(key.name) ?? 0) + 1
        conflicts.set(key.name, inARow)
        if (inARow >= conflictsMax) deps.book.close(key.name, 'its status cannot be written')
        return backOff
      }
      conflicts.delete(key.name)
      deps.book.record(policy, result)
      tell(deps, policy, result, context)
      if ((await carryOut(deps, classes, policy, result, context.log)) === 'conflict') return backOff
      const { startTime, failure } = result.status
      const busy = startTime !== undefined && (failure === undefined || failure.state === 'RollingBack')
      const wakeMs = result.wakeAt === undefined ? idleMs : Math.max(1, result.wakeAt - now)
      return requeueAfter(Math.min(wakeMs, busy ? busyMs : idleMs, wrote === 'written' ? settleMs : idleMs))
    }),
  }
}

/** Whether a policy selects pools as it did. One that is being deleted governs none, whatever finalizers keep it. */
function governsAlike(before: RolloutPolicy, after: RolloutPolicy): boolean {
  return (
    sameWhenWritten(before.spec.nodePoolSelector, after.spec.nodePoolSelector) &&
    (before.metadata.deletionTimestamp === undefined) === (after.metadata.deletionTimestamp === undefined)
  )
}

/** What a policy lets happen now, once that is remembered; undefined when there is no policy any more. */
async function lookAt(
  deps: RolloutDeps,
  newest: NewestKnown<RolloutPolicy>,
  key: ObjectKey,
  now: number,
): Promise<Look | undefined> {
  const cached = deps.caches.of(rolloutPolicies).get(key)
  const policy = cached && (await newest.of(cached))
  if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) return undefined
  const result = advance(await gatherRollout(policy, deps.book.governance(), deps, now))
  return { policy, result, wrote: await writeStatus(deps, newest, policy, result) }
}

interface Look {
  readonly policy: RolloutPolicy
  readonly result: RolloutStepResult
  readonly wrote: 'written' | 'unchanged' | 'conflict'
}

/** Nothing of the result counts before it is remembered: a crash after this loses nothing, and one before has done nothing. */
async function writeStatus(
  { kube, clock }: RolloutDeps,
  newest: NewestKnown<RolloutPolicy>,
  policy: RolloutPolicy,
  result: RolloutStepResult,
): Promise<Look['wrote']> {
  const status = { ...result.status, conditions: policyConditions(policy, result, clock.now()) }
  const patch = mergePatchBetween(policy.status ?? {}, status)
  if (patch === undefined) return 'unchanged'
  const { name, resourceVersion } = policy.metadata
  try {
    const written = await kube.patch(
      rolloutPolicies,
      { name },
      { kind: 'merge', body: { metadata: { resourceVersion }, status: patch } },
      { subresource: 'status' },
    )
    if (written.metadata.resourceVersion !== resourceVersion) newest.noteReplaced(policy)
    return 'written'
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error
    newest.noteReplaced(policy)
    return 'conflict'
  }
}

function tell(deps: RolloutDeps, policy: RolloutPolicy, result: RolloutStepResult, { log }: ReconcileContext): void {
  const { recorder, metrics } = deps
  const name = policy.metadata.name
  for (const { kind, type, message } of result.transitions) {
    log.info({ transition: kind, reason: message }, 'rollout moved on')
    metrics.rolloutTransitions.increment({ rolloutpolicy: name, transition: kind })
    recorder.publish({
      object: policy,
      type,
      reason: reasonOf[kind],
      message,
      dedupeValues: [policy.metadata.uid, kind, message],
    })
  }
  const { phase = 'Idle', totalNodes = 0, updatedNodes = 0 } = result.status
  for (const each of phases) metrics.rolloutPhase.set({ rolloutpolicy: name, phase: each }, each === phase ? 1 : 0)
  metrics.rolloutNodes.set({ rolloutpolicy: name, state: 'total' }, totalNodes)
  metrics.rolloutNodes.set({ rolloutpolicy: name, state: 'updated' }, updatedNodes)
}

const phases = [
  'Idle',
  'Waiting',
  'AwaitingApproval',
  'Progressing',
  'Soaking',
  'Paused',
  'Halted',
  'RollingBack',
  'Completed',
] as const

/** Reasons of the events, spelled out so that they can be searched for. */
const reasonOf: Readonly<Record<Transition['kind'], string>> = {
  Started: 'RolloutStarted',
  StepStarted: 'RolloutStepStarted',
  StepReached: 'RolloutStepReached',
  StepPassed: 'RolloutStepPassed',
  Completed: 'RolloutCompleted',
  Halted: 'RolloutHalted',
  RollingBack: 'RolloutRollingBack',
  RolledBack: 'RolloutRolledBack',
  Superseded: 'RolloutSuperseded',
  DeadlineExceeded: 'RolloutDeadlineExceeded',
  Approved: 'RolloutApproved',
  Waiting: 'RolloutWaiting',
  Paused: 'RolloutPaused',
}
