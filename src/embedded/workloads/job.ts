import { sameWhenWritten } from '../../api/json.ts'
import type { Condition, KubeObject, LabelSelector, Pod, PodTemplateSpec } from '../../api/kubernetes.ts'
import { type Controller, done, type ReconcileResult, requeueAfter, source } from '../../kube/controller.ts'
import { pods } from '../../kube/kinds.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { hasStatus } from '../conditions.ts'
import { claim } from './claim.ts'
import { Expectations } from './expectations.ts'
import { FinishedPods } from './finished-pods.ts'
import { ownedSource } from './ownership.ts'
import { patchStatus } from './patch-status.ts'
import { deletePod, isActive, isReady, podCache, podFrom } from './pods.ts'
import { afterRefusal, type WorkloadDeps } from './refused-pods.ts'

export interface Job extends KubeObject {
  spec: {
    parallelism?: number
    completions?: number
    backoffLimit?: number
    suspend?: boolean
    ttlSecondsAfterFinished?: number
    selector?: LabelSelector
    template: PodTemplateSpec
  }
  status?: {
    active?: number
    ready?: number
    succeeded?: number
    failed?: number
    startTime?: string
    completionTime?: string
    conditions?: Partial<Condition>[]
  }
}

export const jobs: Resource<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true }

/** Runs pods until enough have succeeded or too many have failed. Indexed completion and failure policies are not known here. */
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
      const counts = finished.count(uid, job.status ?? {}, owned)
      const outcome = outcomeOf(job, counts, active.length)
      const target = outcome !== undefined || job.spec.suspend === true ? 0 : targetOf(job, counts.succeeded)
      for (const pod of active.slice(target)) {
        expectations.deleted(uid, pod)
        await deletePod(deps, pod)
      }
      let result: ReconcileResult = done
      let running = Math.min(active.length, target)
      try {
        for (; running < target; running += 1) {
          expectations.created(uid, await client.create(pods, podFrom(job, job.spec.template)))
        }
      } catch (error) {
        result = afterRefusal(deps, job, { error, component: 'job-controller' })
      }
      await writeStatus(job, active, { ...counts, running, outcome })
      return result
    },
  }

  async function expire(job: Job) {
    const ttl = job.spec.ttlSecondsAfterFinished
    const finished = job.status?.conditions?.find((condition) => isFinal(condition))?.lastTransitionTime
    if (ttl === undefined || finished === undefined) return done
    const wait = (parseTimestamp(finished) ?? 0) + ttl * 1000 - clock.now()
    if (wait > 0) return requeueAfter(wait)
    await client.delete(jobs, keyOf(job), { propagationPolicy: 'Background' })
    return done
  }

  async function writeStatus(
    job: Job,
    active: readonly Pod[],
    seen: { succeeded: number; failed: number; running: number; outcome: 'Complete' | 'Failed' | undefined },
  ): Promise<void> {
    const now = toTimestamp(clock.now())
    const conditions = [...(job.status?.conditions ?? [])]
    if (seen.outcome !== undefined) {
      conditions.push({
        type: seen.outcome,
        status: 'True',
        lastTransitionTime: now,
        reason: seen.outcome === 'Complete' ? 'CompletionsReached' : 'BackoffLimitExceeded',
        message:
          seen.outcome === 'Complete'
            ? 'Reached expected number of succeeded pods'
            : 'Job has reached the specified backoff limit',
      })
    }
    const status = {
      active: seen.running,
      ready: active.filter(isReady).length,
      succeeded: seen.succeeded,
      failed: seen.failed,
      startTime: job.status?.startTime ?? now,
      conditions,
      ...(seen.outcome === 'Complete' ? { completionTime: now } : {}),
    }
    const known = {
      ...status,
      active: 0,
      ready: 0,
      succeeded: 0,
      failed: 0,
      startTime: '',
      conditions: [],
      ...job.status,
    }
    if (sameWhenWritten(known, status)) return
    await patchStatus(deps, jobs, job, status)
  }
}

function isFinal({ type, status }: Partial<Condition>): boolean {
  return status === 'True' && (type === 'Complete' || type === 'Failed')
}

function isFinished(job: Job): boolean {
  return hasStatus(job.status?.conditions, 'Complete', 'True') || hasStatus(job.status?.conditions, 'Failed', 'True')
}

function outcomeOf(
  { spec }: Job,
  { succeeded, failed }: { succeeded: number; failed: number },
  active: number,
): 'Complete' | 'Failed' | undefined {
  if (failed > (spec.backoffLimit ?? 6)) return 'Failed'
  const wanted = spec.completions
  // Without a number of completions one success ends the work, once the others have finished.
  if (wanted === undefined) return succeeded > 0 && active === 0 ? 'Complete' : undefined
  return succeeded >= wanted ? 'Complete' : undefined
}

function targetOf({ spec }: Job, succeeded: number): number {
  const parallelism = spec.parallelism ?? 1
  if (spec.completions === undefined) return succeeded > 0 ? 0 : parallelism
  return Math.min(parallelism, spec.completions - succeeded)
}
