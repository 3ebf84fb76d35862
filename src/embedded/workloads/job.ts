import { sameWhenWritten } from '../../api/json.ts'
import type { Condition, Pod } from '../../api/kubernetes.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { type Controller, done, type ReconcileResult, requeueAfter, source } from '../../kube/controller.ts'
import { pods } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { hasStatus, withCondition } from '../conditions.ts'
import type { Told } from '../events/event-log.ts'
import { claim } from './claim.ts'
import { Expectations } from './expectations.ts'
import { FinishedPods } from './finished-pods.ts'
import { hasFailed, judgeFailure, waitsForEnds } from './job-failures.ts'
import { completedIndexes, formatIndexes, indexedPod, isIndexed, missingIndexes } from './job-indexes.ts'
import { type Job, jobs } from './job-kind.ts'
import { deadlineOf, type Outcome, outcomeOf, targetConditions } from './job-outcome.ts'
import { ownedSource } from './ownership.ts'
import { patchStatus } from './patch-status.ts'
import { deletePod, isActive, isReady, podCache, podFrom } from './pods.ts'
import { afterRefusal, type WorkloadDeps } from './refused-pods.ts'

const component = 'job-controller'

/**
 * Runs pods until enough have succeeded, too many have failed, or the deadline has passed. Limits per index and success policies are not
 * known here.
 */
export function createJobController(deps: WorkloadDeps): Controller {
  const { caches, client, clock } = deps
  const cache = podCache(caches)
  const expectations = new Expectations(cache)
  const finished = new FinishedPods()
  return {
    name: 'embedded.job',
    sources: [
      source(jobs, ({ before, after }) => {
        if (after === undefined) finished.forget(before.metadata.uid)
        return [keyOf(after ?? before)]
      }),
      source(pods, ({ before, after }) => {
        if (after === undefined) noteGone(before)
        return []
      }),
      ownedSource(pods, caches.of(jobs)),
    ],
    concurrency: 5,
    async reconcile(key) {
      const job = caches.of(jobs).get(key)
      if (job === undefined || job.metadata.deletionTimestamp !== undefined) return done
      if (isFinished(job)) return expire(job)
      const { uid } = job.metadata
      const owned = await claim(deps, { owner: job, owners: jobs, objects: cache, expectations })
      const active = owned.filter(isActive)
      const seen = countsOf(job, owned)
      const outcome = outcomeOf(job, { ...seen, active: active.length }, clock.now())
      const isStopped = outcome !== undefined || job.spec.suspend === true
      const target = isStopped ? 0 : targetOf(job, seen.succeeded)
      const surplus = active.slice(target)
      for (const pod of surplus) {
        // What the job itself does not want any more has not failed, unless the job has.
        if (outcome?.kind !== 'Failed') finished.excuse(uid, pod)
        expectations.deleted(uid, pod)
        await deletePod(deps, pod)
        tell(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`)
      }
      const taken = owned.filter((pod) => isActive(pod) || (waitsForEnds(job) && isEnding(pod)))
      let result: ReconcileResult = done
      let running = Math.min(active.length, target)
      try {
        const count = target - taken.length
        const wanted = isIndexed(job)
          ? missingIndexes(job, { completed: seen.indexes, taken, count }).map((index) => indexedPod(job, index))
          : Array.from({ length: Math.max(0, count) }, () => podFrom(job, job.spec.template))
        for (const pod of wanted) {
          expectations.created(uid, await client.create(pods, pod))
          running += 1
        }
      } catch (error) {
        result = afterRefusal(deps, job, { error, component })
      }
      await writeStatus(job, {
        running,
        ready: active.slice(0, target).filter(isReady).length,
        terminating: owned.filter(isEnding).length + surplus.length,
        succeeded: seen.succeeded,
        failed: seen.failed,
        indexes: seen.indexes,
        outcome,
      })
      const deadline = isStopped ? undefined : deadlineOf(job)
      return result === done && deadline !== undefined ? requeueAfter(deadline - clock.now()) : result
    },
  }

  function noteGone(pod: Pod): void {
    const owner = controllerOf(pod.metadata)
    if (owner?.kind !== 'Job') return
    const job = caches.of(jobs).get({ namespace: pod.metadata.namespace, name: owner.name })
    if (job?.metadata.uid === owner.uid) finished.noteGone(owner.uid, pod)
  }

  function countsOf(job: Job, owned: readonly Pod[]) {
    const { uid } = job.metadata
    const gone = finished.takeGone(uid)
    const failures = [...owned.filter(hasFailed), ...gone.filter(({ status }) => status?.phase !== 'Succeeded')]
      .filter((pod) => !finished.isExcused(uid, pod))
      .map((pod) => ({ pod, verdict: judgeFailure(job, pod) }))
    const fatal = failures.flatMap(({ verdict }) => (verdict.kind === 'failsJob' ? [verdict.message] : []))[0]
    const succeeded = [...owned, ...gone].filter(({ status }) => status?.phase === 'Succeeded')
    const failed = failures.filter(({ verdict }) => verdict.kind !== 'ignored').map(({ pod }) => pod)
    const counts = finished.count(uid, job.status ?? {}, { succeeded, failed })
    const indexes = isIndexed(job) ? completedIndexes(job, succeeded) : []
    return { ...counts, ...(isIndexed(job) ? { succeeded: indexes.length } : {}), indexes, fatal }
  }

  async function expire(job: Job) {
    const ttl = job.spec.ttlSecondsAfterFinished
    const finishedAt = job.status?.conditions?.find((condition) => isFinal(condition))?.lastTransitionTime
    if (ttl === undefined || finishedAt === undefined) return done
    const wait = (parseTimestamp(finishedAt) ?? 0) + ttl * 1000 - clock.now()
    if (wait > 0) return requeueAfter(wait)
    await client.delete(jobs, keyOf(job), { propagationPolicy: 'Background' })
    return done
  }

  async function writeStatus(job: Job, seen: Seen): Promise<void> {
    const now = toTimestamp(clock.now())
    const before = job.status?.conditions ?? []
    const conditions = conditionsOf(job, seen, now)
    const isResumed = hasStatus(before, 'Suspended', 'True') && hasStatus(conditions, 'Suspended', 'False')
    const startTime = isResumed ? now : (job.status?.startTime ?? (job.spec.suspend === true ? undefined : now))
    const status = {
      active: seen.running,
      ready: seen.ready,
      terminating: seen.terminating,
      succeeded: seen.succeeded,
      failed: seen.failed,
      startTime,
      conditions,
      ...(isIndexed(job) ? { completedIndexes: formatIndexes(seen.indexes) } : {}),
      ...(hasStatus(conditions, 'Complete', 'True') ? { completionTime: now } : {}),
    }
    const none = { active: 0, ready: 0, terminating: 0, succeeded: 0, failed: 0, startTime: undefined, conditions: [] }
    const known = { ...status, ...none, ...job.status }
    if (sameWhenWritten(known, status)) return
    await patchStatus(deps, jobs, job, status)
    for (const { type, reason, message } of turnsOf(before, conditions)) tell(job, type, reason, message)
  }

  function tell(about: Job, type: Told['type'], reason: string, message: string): void {
    deps.tell({ about, type, reason, message, by: { component } })
  }
}

interface Seen {
  readonly running: number
  readonly ready: number
  readonly terminating: number
  readonly succeeded: number
  readonly failed: number
  readonly indexes: readonly number[]
  readonly outcome: Outcome | undefined
}

/** How a job ends is said at once; that it has ended, when none of its pods is left at work. */
function conditionsOf({ spec, status }: Job, { running, terminating, outcome }: Seen, now: string) {
  const before = status?.conditions ?? []
  if (outcome !== undefined) {
    const { kind, reason, message } = outcome
    const told = { status: 'True' as const, reason, message }
    const known = hasStatus(before, targetConditions[kind], 'True')
    const decided = known ? [...before] : withCondition(before, { type: targetConditions[kind], ...told }, now)
    return running + terminating > 0 ? decided : withCondition(decided, { type: kind, ...told }, now)
  }
  const wasSuspended = hasStatus(before, 'Suspended', 'True')
  if (spec.suspend === true && !wasSuspended) {
    const told = { status: 'True' as const, reason: 'JobSuspended', message: 'Job suspended' }
    return withCondition(before, { type: 'Suspended', ...told }, now)
  }
  if (spec.suspend !== true && wasSuspended) {
    const told = { status: 'False' as const, reason: 'JobResumed', message: 'Job resumed' }
    return withCondition(before, { type: 'Suspended', ...told }, now)
  }
  return [...before]
}

/** What the controller tells when conditions change. */
function turnsOf(
  before: readonly Partial<Condition>[],
  after: readonly Partial<Condition>[],
): readonly Pick<Told, 'type' | 'reason' | 'message'>[] {
  const told: Pick<Told, 'type' | 'reason' | 'message'>[] = []
  for (const { type = '', status = '', reason = '', message = '' } of after) {
    if (hasStatus(before, type, status)) continue
    if (type === 'Suspended')
      told.push({ type: 'Normal', reason: status === 'True' ? 'Suspended' : 'Resumed', message })
    if (type === 'Complete') told.push({ type: 'Normal', reason: 'Completed', message: 'Job completed' })
    if (type === 'Failed') told.push({ type: 'Warning', reason, message })
  }
  return told
}

function isFinal({ type, status }: Partial<Condition>): boolean {
  return status === 'True' && (type === 'Complete' || type === 'Failed')
}

function isFinished(job: Job): boolean {
  return hasStatus(job.status?.conditions, 'Complete', 'True') || hasStatus(job.status?.conditions, 'Failed', 'True')
}

/** On its way out, and not finished yet. */
function isEnding({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
}

function targetOf({ spec }: Job, succeeded: number): number {
  const parallelism = spec.parallelism ?? 1
  if (spec.completions === undefined) return succeeded > 0 ? 0 : parallelism
  return Math.min(parallelism, spec.completions - succeeded)
}
