import { conditionIn } from '../../api/conditions.ts'
import { sameWhenWritten } from '../../api/json.ts'
import type { Condition, Deployment, ReplicaSet, Unsaved } from '../../api/kubernetes.ts'
import { type Controller, done, type ReconcileResult, requeueAfter, source } from '../../kube/controller.ts'
import { hasCode, isConflict, isNotFound } from '../../kube/errors.ts'
import { deployments, replicaSets } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { withCondition } from '../conditions.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { addClaimIndexes, claim } from './claim.ts'
import { Expectations } from './expectations.ts'
import { controllerReference, ownedSource } from './ownership.ts'
import { resolvePercent } from './percent.ts'
import { templateHash } from './template-hash.ts'

const hashLabel = 'pod-template-hash'
const revisionAnnotation = 'deployment.kubernetes.io/revision'

interface Rollout {
  readonly deployment: Deployment
  readonly current: ReplicaSet
  readonly old: readonly ReplicaSet[]
}

/** Brings ReplicaSets from the old template to the new one, as the strategy allows. */
export function createDeploymentController(deps: EmbeddedDeps): Controller {
  const { caches } = deps
  const cache = caches.of(replicaSets)
  addClaimIndexes(cache)
  const expectations = new Expectations(cache)
  return {
    name: 'embedded.deployment',
    sources: [
      source(deployments, ({ before, after }) => [keyOf(after ?? before)]),
      ownedSource(replicaSets, caches.of(deployments)),
    ],
    concurrency: 10,
    async reconcile(key) {
      const deployment = caches.of(deployments).get(key)
      if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return done
      const { uid } = deployment.metadata
      const owned = await claim(deps, { owner: deployment, owners: deployments, objects: cache, expectations })
      try {
        const current = owned.find((set) => isOf(set, deployment))
        if (deployment.spec.paused === true) {
          await resize(deps, deployment, current, owned)
          return await writeStatus(deps, deployment, current, owned)
        }
        if (current === undefined) {
          expectations.created(uid, await createReplicaSet(deps, deployment, owned))
          return done
        }
        const rollout = { deployment, current, old: owned.filter((set) => set !== current) }
        if (await annotateRevision(deps, rollout)) return done
        await (deployment.spec.strategy?.type === 'Recreate' ? recreate(deps, rollout) : roll(deps, rollout))
        await dropHistory(deps, rollout)
        return await writeStatus(deps, deployment, current, owned)
      } catch (error) {
        if (isConflict(error)) return requeueAfter(100)
        if (hasCode(error, 'Forbidden', 'NotFound')) return done
        throw error
      }
    },
  }
}

function isOf(set: ReplicaSet, deployment: Deployment): boolean {
  const { [hashLabel]: _hash, ...labels } = set.spec.template.metadata?.labels ?? {}
  const metadata = { ...set.spec.template.metadata, labels }
  return sameWhenWritten({ ...set.spec.template, metadata }, deployment.spec.template)
}

function revisionOf(set: ReplicaSet): number {
  return Number(set.metadata.annotations?.[revisionAnnotation] ?? 0)
}

function nextRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map(revisionOf)) + 1
}

async function createReplicaSet(
  { client }: EmbeddedDeps,
  deployment: Deployment,
  old: readonly ReplicaSet[],
): Promise<ReplicaSet> {
  const { template, selector, minReadySeconds } = deployment.spec
  const hash = templateHash(template)
  const labels = { ...template.metadata?.labels, [hashLabel]: hash }
  const set: Unsaved<ReplicaSet> = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      ...(deployment.metadata.namespace === undefined ? {} : { namespace: deployment.metadata.namespace }),
      labels,
      annotations: { [revisionAnnotation]: String(nextRevision(old)) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: isFirst(old) ? (deployment.spec.replicas ?? 1) : 0,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
    },
  }
  return client.create(replicaSets, set)
}

function isFirst(old: readonly ReplicaSet[]): boolean {
  return old.every((set) => (set.spec.replicas ?? 1) === 0)
}

/** The current set has the highest revision, also after a rollback; the deployment repeats it. Says whether something was written. */
async function annotateRevision({ client }: EmbeddedDeps, { deployment, current, old }: Rollout): Promise<boolean> {
  const highest = Math.max(0, ...old.map(revisionOf))
  const revision = String(revisionOf(current) > highest ? revisionOf(current) : highest + 1)
  const body = { metadata: { annotations: { [revisionAnnotation]: revision } } }
  if (current.metadata.annotations?.[revisionAnnotation] !== revision) {
    await client.patch(replicaSets, keyOf(current), { kind: 'merge', body })
    return true
  }
  if (deployment.metadata.annotations?.[revisionAnnotation] !== revision) {
    await client.patch(deployments, keyOf(deployment), { kind: 'merge', body })
  }
  return false
}

async function recreate(deps: EmbeddedDeps, { deployment, current, old }: Rollout): Promise<void> {
  for (const set of old) await scale(deps, set, 0)
  const gone = old.every((set) => count(set, 'replicas') === 0 && (set.spec.replicas ?? 1) === 0)
  if (gone) await scale(deps, current, deployment.spec.replicas ?? 1)
}

/**
 * While a rollout is paused its sets only follow the number of pods: one alone in whole, several by their shares once they are more or
 * fewer than a rollout allows.
 */
async function resize(
  deps: EmbeddedDeps,
  deployment: Deployment,
  current: ReplicaSet | undefined,
  owned: readonly ReplicaSet[],
): Promise<void> {
  const wanted = deployment.spec.replicas ?? 1
  const newestFirst = owned.toSorted((a, b) => revisionOf(b) - revisionOf(a))
  const [first, ...others] = newestFirst.filter((set) => asked(set) > 0)
  if (others.length === 0) {
    const only = first ?? current ?? newestFirst[0]
    if (only !== undefined) await scale(deps, only, wanted)
    return
  }
  const total = owned.reduce((sum, set) => sum + asked(set), 0)
  const { maxSurge, maxUnavailable } = limitsOf(deployment)
  if (total <= wanted + maxSurge && total >= wanted - maxUnavailable) return
  let left = wanted
  for (const set of others) {
    const share = Math.floor((asked(set) * wanted) / total)
    left -= share
    await scale(deps, set, share)
  }
  if (first !== undefined) await scale(deps, first, left)
}

function asked({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1
}

async function roll(deps: EmbeddedDeps, { deployment, current, old }: Rollout): Promise<void> {
  const wanted = deployment.spec.replicas ?? 1
  const { maxSurge, maxUnavailable } = limitsOf(deployment)
  const total = asked(current) + old.reduce((sum, set) => sum + asked(set), 0)
  if (asked(current) > wanted) return scale(deps, current, wanted)
  const room = wanted + maxSurge - total
  const grow = old.every((set) => asked(set) === 0) ? wanted - asked(current) : Math.min(room, wanted - asked(current))
  if (grow > 0) return scale(deps, current, asked(current) + grow)

  const newUnavailable = asked(current) - count(current, 'availableReplicas')
  let removable = total - (wanted - maxUnavailable) - newUnavailable
  const oldestFirst = old.toSorted((a, b) => revisionOf(a) - revisionOf(b))
  const left = new Map(oldestFirst.map((set) => [set, asked(set)]))
  // Pods that are not available anyway go first: they cost nothing.
  for (const set of oldestFirst) {
    const unavailable = Math.max(0, asked(set) - count(set, 'availableReplicas'))
    const drop = Math.max(0, Math.min(unavailable, removable))
    left.set(set, asked(set) - drop)
    removable -= drop
  }
  const available = [current, ...old].reduce((sum, set) => sum + count(set, 'availableReplicas'), 0)
  let spare = Math.max(0, available - (wanted - maxUnavailable))
  for (const set of oldestFirst) {
    const drop = Math.min(left.get(set) ?? 0, spare)
    left.set(set, (left.get(set) ?? 0) - drop)
    spare -= drop
  }
  for (const [set, replicas] of left) await scale(deps, set, replicas)
}

function limitsOf(deployment: Deployment): { maxSurge: number; maxUnavailable: number } {
  const wanted = deployment.spec.replicas ?? 1
  const rolling = deployment.spec.strategy?.rollingUpdate
  const maxSurge = resolvePercent(rolling?.maxSurge ?? '25%', wanted, 'up')
  const maxUnavailable = resolvePercent(rolling?.maxUnavailable ?? '25%', wanted, 'down')
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable }
}

async function scale({ client }: EmbeddedDeps, set: ReplicaSet, replicas: number): Promise<void> {
  if ((set.spec.replicas ?? 1) === replicas) return
  const body = { metadata: { resourceVersion: set.metadata.resourceVersion }, spec: { replicas } }
  await client.patch(replicaSets, keyOf(set), { kind: 'merge', body })
}

function count(set: ReplicaSet, field: string): number {
  const value = set.status?.[field]
  return typeof value === 'number' ? value : 0
}

async function dropHistory({ client }: EmbeddedDeps, { deployment, old }: Rollout): Promise<void> {
  const empty = old
    .filter((set) => (set.spec.replicas ?? 1) === 0 && count(set, 'replicas') === 0)
    .toSorted((a, b) => revisionOf(b) - revisionOf(a))
  for (const set of empty.slice(deployment.spec.revisionHistoryLimit ?? 10)) {
    try {
      await client.delete(replicaSets, keyOf(set), { propagationPolicy: 'Background' })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

async function writeStatus(
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
