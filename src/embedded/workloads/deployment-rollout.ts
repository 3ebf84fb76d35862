import type { Deployment, ReplicaSet } from '../../api/kubernetes.ts'
import { replicaSets } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { count, revisionOf } from './deployment-sets.ts'
import { resolvePercent } from './percent.ts'

/** A template that is being brought out. */
export interface Rollout {
  readonly deployment: Deployment
  readonly current: ReplicaSet
  readonly old: readonly ReplicaSet[]
}

/** All old pods go before the first new one comes. */
export async function recreate(deps: EmbeddedDeps, { deployment, current, old }: Rollout): Promise<void> {
  for (const set of old) await scale(deps, set, 0)
  const gone = old.every((set) => count(set, 'replicas') === 0 && (set.spec.replicas ?? 1) === 0)
  if (gone) await scale(deps, current, deployment.spec.replicas ?? 1)
}

/**
 * While a rollout is paused its sets only follow the number of pods: one alone in whole, several by their shares once they are more or
 * fewer than a rollout allows.
 */
export async function resize(
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

/** New pods come and old ones go as far as the limits of a rolling update let them. */
export async function roll(deps: EmbeddedDeps, { deployment, current, old }: Rollout): Promise<void> {
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

export function limitsOf(deployment: Deployment): { maxSurge: number; maxUnavailable: number } {
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
