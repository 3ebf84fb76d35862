import { conditionIn } from '../../api/conditions.ts'
import { sameWhenWritten } from '../../api/json.ts'
import type { Condition, Deployment, ReplicaSet } from '../../api/kubernetes.ts'
import { done, type ReconcileResult, requeueAfter } from '../../kube/controller.ts'
import { deployments } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { withCondition } from '../conditions.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { limitsOf } from './deployment-rollout.ts'
import { count } from './deployment-sets.ts'

export async function writeStatus(
  { client, clock }: EmbeddedDeps,
  deployment: Deployment,
  current: ReplicaSet | undefined,
  owned: readonly ReplicaSet[],
): Promise<ReconcileResult> {
  const wanted = deployment.spec.replicas ?? 1
  const sum = (field: string) => owned.reduce((total, set) => total + count(set, field), 0)
  const known = deployment.status ?? {}
  const available = sum('availableReplicas')
  const updated = current === undefined ? 0 : count(current, 'replicas')
  const now = clock.now()
  const before = (known['conditions'] ?? []) as Partial<Condition>[]
  const complete = updated === wanted && sum('replicas') === wanted && available === wanted
  const counts = {
    observedGeneration: deployment.metadata.generation ?? 1,
    replicas: sum('replicas'),
    updatedReplicas: updated,
    readyReplicas: sum('readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, owned.reduce((total, set) => total + (set.spec.replicas ?? 1), 0) - available),
  }
  const progressed = Object.entries(counts).some(([field, value]) => (known[field] ?? 0) !== value)
  const enough = available >= wanted - limitsOf(deployment).maxUnavailable
  let conditions = withCondition(
    before,
    enough
      ? {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        }
      : {
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        },
    toTimestamp(now),
  )
  const progress = progressOf(deployment, current, { complete, progressed, now, before })
  conditions = withCondition(conditions, progress.condition, toTimestamp(now))
  const status = { ...counts, conditions: conditions.map((condition) => stamped(condition, before, toTimestamp(now))) }
  if (progressed || !sameWhenWritten(withoutTimes(before), withoutTimes(conditions))) {
    await client.patch(deployments, keyOf(deployment), { kind: 'merge', body: { status } }, { subresource: 'status' })
  }
  return progress.lookAgainMs === undefined ? done : requeueAfter(progress.lookAgainMs)
}

type Progress = Partial<Condition> & { readonly type: string; readonly status: Condition['status'] }

function progressOf(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  seen: { complete: boolean; progressed: boolean; now: number; before: readonly Partial<Condition>[] },
): { readonly condition: Progress; readonly lookAgainMs: number | undefined } {
  const set = current?.metadata.name ?? ''
  const known = conditionIn(seen.before, 'Progressing')
  if (deployment.spec.paused === true) {
    const message = 'Deployment is paused'
    return {
      condition: { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message },
      lookAgainMs: undefined,
    }
  }
  if (seen.complete) {
    const message = `ReplicaSet "${set}" has successfully progressed.`
    return {
      condition: { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message },
      lookAgainMs: undefined,
    }
  }
  // The deadline begins anew when a rollout goes on.
  const told = known?.reason === 'DeploymentPaused' ? undefined : known
  const since = parseTimestamp((told as { lastUpdateTime?: string } | undefined)?.lastUpdateTime) ?? seen.now
  const deadlineMs = (deployment.spec.progressDeadlineSeconds ?? 600) * 1000
  const overdue = known?.reason === 'ProgressDeadlineExceeded' || seen.now >= since + deadlineMs
  const stuck = !seen.progressed && known?.reason !== 'NewReplicaSetAvailable' && overdue
  if (stuck) {
    const message = `ReplicaSet "${set}" has timed out progressing.`
    return {
      condition: { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message },
      lookAgainMs: undefined,
    }
  }
  const message = `ReplicaSet "${set}" is progressing.`
  const from = seen.progressed ? seen.now : since
  return {
    condition: { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message },
    lookAgainMs: Math.max(1_000, from + deadlineMs - seen.now),
  }
}

/** `lastUpdateTime` moves with every write of a condition that says something new, and always for progress. */
function stamped(condition: Partial<Condition>, before: readonly Partial<Condition>[], now: string): object {
  const known = conditionIn(before, condition.type ?? '') as { lastUpdateTime?: string } | undefined
  const same = known !== undefined && sameWhenWritten(withoutTimes([known]), withoutTimes([condition]))
  const keep = same && condition.reason !== 'ReplicaSetUpdated'
  return { ...condition, lastUpdateTime: keep ? (known?.lastUpdateTime ?? now) : now }
}

function withoutTimes(conditions: readonly object[]): readonly object[] {
  return conditions.map((condition) => ({ ...condition, lastTransitionTime: undefined, lastUpdateTime: undefined }))
}
