import type { KubeObject, LabelSelector, ObjectMeta, Unsaved } from '../../api/kubernetes.ts'
import { type Controller, done, type ReconcileResult, requeueAfter, backOff, source } from '../../kube/controller.ts'
import { hasCode, isConflict, isNotFound, KubeError } from '../../kube/errors.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { isTimeZone } from '../../model/zoned-time.ts'
import { hasStatus } from '../conditions.ts'
import { parseSchedule, type Schedule, zonedTimestamp } from './cron-schedule.ts'
import { type Job, jobs } from './job-kind.ts'
import { controllerReference, controllerUIDs, ownedSource } from './ownership.ts'
import { isTerminating, type WorkloadDeps } from './refused-pods.ts'

interface JobReference {
  readonly apiVersion?: string
  readonly kind?: string
  readonly namespace?: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion?: string
}

interface CronJobStatus {
  active?: readonly JobReference[]
  lastScheduleTime?: string
  lastSuccessfulTime?: string
}

export interface CronJob extends KubeObject {
  readonly spec: {
    readonly schedule: string
    readonly timeZone?: string
    readonly startingDeadlineSeconds?: number
    readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace'
    readonly suspend?: boolean
    readonly jobTemplate: { readonly metadata?: Partial<ObjectMeta>; readonly spec: Job['spec'] }
    readonly successfulJobsHistoryLimit?: number
    readonly failedJobsHistoryLimit?: number
    /** Never there: a CronJob adopts nothing. */
    readonly selector?: LabelSelector
  }
  readonly status?: CronJobStatus
}

export const cronJobs: Resource<CronJob> = {
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  namespaced: true,
}

const component = 'cronjob-controller'
/** Where a Job tells for when it was due. */
const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp'
/** kube-controller-manager looks so long after a time is due, in case its clock is not the API server's. */
const delayMs = 100
const missedMany = 100

type Say = (type: 'Normal' | 'Warning', reason: string, message: string) => void

/** Makes the Jobs of CronJobs when they are due: https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ */
export function createCronJobController(deps: WorkloadDeps): Controller {
  const { caches, client, clock, tell } = deps
  const cache = caches.of(jobs)
  cache.addIndex('controller', controllerUIDs)
  /** Statuses that have been written and that the cache may not show yet, by uid. */
  const written = new Map<string, CronJob>()
  return {
    name: 'embedded.cronjob',
    sources: [
      source(cronJobs, ({ before, after }) => {
        if (after === undefined) written.delete(before.metadata.uid)
        return [keyOf(after ?? before)]
      }),
      ownedSource(jobs, caches.of(cronJobs)),
    ],
    concurrency: 5,
    async reconcile(key) {
      const cached = caches.of(cronJobs).get(key)
      if (cached === undefined) return done
      const cronJob = latest(cached)
      const owned = cache.by('controller', cronJob.metadata.uid)
      const say: Say = (type, reason, message) => tell({ about: cronJob, type, reason, message, by: { component } })
      const status: CronJobStatus = { ...cronJob.status }
      await notice(status, owned, say)
      const result = cronJob.metadata.deletionTimestamp === undefined ? await start(cronJob, status, say) : done
      await forget(cronJob, status, owned, say)
      return (await write(cronJob, status)) ? result : backOff
    },
  }

  function latest(cached: CronJob): CronJob {
    const known = written.get(cached.metadata.uid)
    if (known === undefined) return cached
    if (Number(known.metadata.resourceVersion) > Number(cached.metadata.resourceVersion)) return known
    written.delete(cached.metadata.uid)
    return cached
  }

  /** What has become of the Jobs that were started. */
  async function notice(status: CronJobStatus, owned: readonly Job[], say: Say): Promise<void> {
    for (const job of owned) {
      const { uid, name } = job.metadata
      const isActive = status.active?.some((reference) => reference.uid === uid) === true
      const outcome = outcomeOf(job)
      if (outcome === undefined) {
        if (!isActive)
          say('Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`)
        continue
      }
      if (isActive) {
        dropActive(status, uid)
        say('Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${outcome}`)
      }
      const completed = job.status?.completionTime
      if (outcome === 'Complete' && completed !== undefined && isLater(completed, status.lastSuccessfulTime)) {
        status.lastSuccessfulTime = completed
      }
    }
    const there = new Set(owned.map(({ metadata }) => metadata.uid))
    for (const reference of status.active ?? []) {
      if (there.has(reference.uid) || (await find(reference)) !== undefined) continue
      say('Normal', 'MissingJob', `Active job went missing: ${reference.name}`)
      dropActive(status, reference.uid)
    }
  }

  async function find({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }) {
    try {
      return await client.get(jobs, { namespace, name })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Starts the Job that is due, unless it has been started or may not be. */
  async function start(cronJob: CronJob, status: CronJobStatus, say: Say): Promise<ReconcileResult> {
    const { spec, metadata } = cronJob
    const { timeZone = 'UTC' } = spec
    if (!isTimeZone(timeZone)) {
      say('Warning', 'UnknownTimeZone', `invalid timeZone: "${timeZone}": unknown time zone ${timeZone}`)
      return done
    }
    if (spec.suspend === true) return done
    const parsed = parseSchedule(spec.schedule, timeZone)
    if (parsed.kind === 'invalid') {
      say('Warning', 'UnparseableSchedule', `unparseable schedule: "${spec.schedule}" : ${parsed.message}`)
      return done
    }
    const { schedule } = parsed
    const now = clock.now()
    const since = parseTimestamp(status.lastScheduleTime ?? metadata.creationTimestamp) ?? now
    const deadlineMs = spec.startingDeadlineSeconds === undefined ? undefined : spec.startingDeadlineSeconds * 1_000
    const due = mostRecent(schedule, deadlineMs === undefined ? since : Math.max(since, now - deadlineMs), now)
    const later = () => nextLook(schedule, since, now)
    if (due === undefined) return later()
    if (due.missed > missedMany) {
      const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew'
      say('Warning', 'TooManyMissedTimes', `too many missed start times. ${advice}`)
    }
    if (deadlineMs !== undefined && due.at + deadlineMs < now) {
      const time = new Date(due.at).toUTCString().replace('GMT', '+0000')
      say('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${time}`)
      return later()
    }
    const name = `${metadata.name}-${Math.floor(due.at / 60_000)}`
    const active = status.active ?? []
    if (active.some((reference) => reference.name === name) || status.lastScheduleTime === toTimestamp(due.at)) {
      return later()
    }
    if (spec.concurrencyPolicy === 'Forbid' && active.length > 0) {
      const because = 'prior execution is running and concurrency policy is Forbid'
      say('Normal', 'JobAlreadyActive', `Not starting job because ${because}`)
      return later()
    }
    if (spec.concurrencyPolicy === 'Replace') {
      for (const reference of active) {
        await remove(reference, say)
        dropActive(status, reference.uid)
      }
    }
    const started = await create(cronJob, { name, at: due.at }, say)
    if (!('metadata' in started)) return started
    const { uid, resourceVersion, namespace } = started.metadata
    const reference: JobReference = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      name,
      uid,
      ...(namespace === undefined ? {} : { namespace }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    }
    status.active = [...(status.active ?? []), reference]
    status.lastScheduleTime = toTimestamp(due.at)
    return nextLook(schedule, due.at, now)
  }

  async function create(
    cronJob: CronJob,
    { name, at }: { readonly name: string; readonly at: number },
    say: Say,
  ): Promise<Job | ReconcileResult> {
    const { spec, metadata } = cronJob
    const { labels = {}, annotations } = spec.jobTemplate.metadata ?? {}
    const job: Unsaved<Job> = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name,
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
        labels,
        annotations: { ...annotations, [scheduledAnnotation]: zonedTimestamp(spec.timeZone ?? 'UTC', at) },
        ownerReferences: [controllerReference(cronJob)],
      },
      spec: spec.jobTemplate.spec,
    }
    try {
      const created = await client.create(jobs, job)
      say('Normal', 'SuccessfulCreate', `Created job ${name}`)
      return created
    } catch (error) {
      // Made before, and the status that tells of it was lost; or somebody else's.
      if (hasCode(error, 'AlreadyExists')) {
        const existing = await find({ namespace: metadata.namespace, name })
        return existing !== undefined && controllerUIDs(existing).includes(metadata.uid) ? existing : done
      }
      if (!hasCode(error, 'Forbidden', 'NotFound', 'Invalid')) throw error
      if (!(error instanceof KubeError) || error.code === 'NotFound' || isTerminating(error)) return done
      say('Warning', 'FailedCreate', `Error creating job: ${error.message}`)
      return backOff
    }
  }

  /** Of finished Jobs only the last few are kept. */
  async function forget({ spec }: CronJob, status: CronJobStatus, owned: readonly Job[], say: Say): Promise<void> {
    for (const [outcome, kept] of [
      ['Complete', spec.successfulJobsHistoryLimit],
      ['Failed', spec.failedJobsHistoryLimit],
    ] as const) {
      if (kept === undefined) continue
      const finished = owned.filter((job) => job.metadata.deletionTimestamp === undefined && outcomeOf(job) === outcome)
      for (const { metadata } of finished.toSorted(byStart).slice(0, Math.max(0, finished.length - kept))) {
        await remove(metadata, say)
        dropActive(status, metadata.uid)
      }
    }
  }

  async function remove(job: { readonly namespace?: string; readonly name: string; readonly uid: string }, say: Say) {
    const { namespace, name, uid } = job
    try {
      const options = { propagationPolicy: 'Background', preconditions: { uid } } as const
      await client.delete(jobs, { namespace, name }, options)
      say('Normal', 'SuccessfulDelete', `Deleted job ${name}`)
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  /** False when it could not be written; another look finds the Job that was started by its name. */
  async function write(cronJob: CronJob, status: CronJobStatus): Promise<boolean> {
    const { active = [], lastScheduleTime, lastSuccessfulTime } = status
    const before = cronJob.status ?? {}
    const isSame =
      lastScheduleTime === before.lastScheduleTime &&
      lastSuccessfulTime === before.lastSuccessfulTime &&
      active.length === (before.active ?? []).length &&
      active.every(({ uid }, index) => uid === before.active?.[index]?.uid)
    if (isSame) return true
    const body = {
      metadata: { uid: cronJob.metadata.uid },
      status: { ...status, active: active.length === 0 ? null : active },
    }
    try {
      const patched = await client.patch(cronJobs, keyOf(cronJob), { kind: 'merge', body }, { subresource: 'status' })
      written.set(cronJob.metadata.uid, patched)
      return true
    } catch (error) {
      if (isNotFound(error)) return true
      if (isConflict(error)) return false
      throw error
    }
  }
}

/** The last time that was due in (since, now], and about how many were: however long ago the last one was, one Job makes up for all. */
function mostRecent(
  schedule: Schedule,
  since: number,
  now: number,
): { readonly at: number; readonly missed: number } | undefined {
  const first = schedule.next(since)
  if (first === undefined || first > now) return undefined
  const second = schedule.next(first)
  if (second === undefined || second > now) return { at: first, missed: 0 }
  const stepMs = second - first
  const missed = Math.floor((now - first) / stepMs) + 1
  let at: number | undefined
  let next = schedule.next(first + (missed - 2) * stepMs)
  while (next !== undefined && next <= now) {
    at = next
    next = schedule.next(at)
  }
  return at === undefined ? undefined : { at, missed }
}

function nextLook(schedule: Schedule, since: number, now: number): ReconcileResult {
  const following = schedule.next(mostRecent(schedule, since, now)?.at ?? since)
  const next = following === undefined || following > now ? following : schedule.next(now)
  return next === undefined ? done : requeueAfter(next + delayMs - now)
}

function outcomeOf({ status }: Job): 'Complete' | 'Failed' | undefined {
  return (['Complete', 'Failed'] as const).find((type) => hasStatus(status?.conditions, type, 'True'))
}

function dropActive(status: CronJobStatus, uid: string): void {
  status.active = (status.active ?? []).filter((reference) => reference.uid !== uid)
}

function isLater(time: string, than: string | undefined): boolean {
  return than === undefined || (parseTimestamp(time) ?? 0) > (parseTimestamp(than) ?? 0)
}

function byStart(a: Job, b: Job): number {
  const start = ({ status }: Job): number => parseTimestamp(status?.startTime) ?? Number.MAX_SAFE_INTEGER
  return start(a) - start(b) || (a.metadata.name < b.metadata.name ? -1 : 1)
}
