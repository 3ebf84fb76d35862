import type { Condition } from '../../api/kubernetes.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { conditionIn } from '../../api/conditions.ts'
import { hasStatus } from '../conditions.ts'
import type { Job } from './job-kind.ts'

export interface Outcome {
  readonly kind: 'Complete' | 'Failed'
  readonly reason: string
  readonly message: string
}

export interface Progress {
  readonly succeeded: number
  readonly failed: number
  /** Pods that are neither finished nor going. */
  readonly active: number
  /** Why a pod's failure fails the job, if it does. */
  readonly fatal: string | undefined
}

/** What is decided first, while pods still end, for each way in which a job ends. */
export const targetConditions = { Complete: 'SuccessCriteriaMet', Failed: 'FailureTarget' } as const

/** How a job ends, once that is certain; what has been decided stays. */
export function outcomeOf(job: Job, progress: Progress, now: number): Outcome | undefined {
  const { spec } = job
  const { succeeded, failed, active, fatal } = progress
  const decided = decidedOutcome(job.status?.conditions)
  if (decided !== undefined) return decided
  if (fatal !== undefined) return { kind: 'Failed', reason: 'PodFailurePolicy', message: fatal }
  if (failed > (spec.backoffLimit ?? 6)) {
    const message = 'Job has reached the specified backoff limit'
    return { kind: 'Failed', reason: 'BackoffLimitExceeded', message }
  }
  const deadline = deadlineOf(job)
  if (deadline !== undefined && deadline <= now) {
    const message = 'Job was active longer than specified deadline'
    return { kind: 'Failed', reason: 'DeadlineExceeded', message }
  }
  // Without a number of completions one success ends the work, once the others have finished.
  const isComplete = spec.completions === undefined ? succeeded > 0 && active === 0 : succeeded >= spec.completions
  const message = 'Reached expected number of succeeded pods'
  return isComplete ? { kind: 'Complete', reason: 'CompletionsReached', message } : undefined
}

/** When the job has been at work for too long; it is not while it is suspended, and begins anew when it goes on. */
export function deadlineOf({ spec, status }: Job): number | undefined {
  const startedAt = parseTimestamp(status?.startTime)
  if (startedAt === undefined || spec.activeDeadlineSeconds === undefined) return undefined
  if (spec.suspend === true || hasStatus(status?.conditions, 'Suspended', 'True')) return undefined
  return startedAt + spec.activeDeadlineSeconds * 1000
}

function decidedOutcome(conditions: readonly Partial<Condition>[] | undefined): Outcome | undefined {
  for (const kind of ['Failed', 'Complete'] as const) {
    const { status, reason = '', message = '' } = conditionIn(conditions, targetConditions[kind]) ?? {}
    if (status === 'True') return { kind, reason, message }
  }
  return undefined
}
