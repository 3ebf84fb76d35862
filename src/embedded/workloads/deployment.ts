import { sameWhenWritten } from '../../api/json.ts'
import type { Deployment, ReplicaSet, Unsaved } from '../../api/kubernetes.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { hasCode, isConflict, isNotFound } from '../../kube/errors.ts'
import { deployments, replicaSets } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { addClaimIndexes, claim } from './claim.ts'
import { recreate, resize, roll, type Rollout } from './deployment-rollout.ts'
import { count, revisionAnnotation, revisionOf } from './deployment-sets.ts'
import { writeStatus } from './deployment-status.ts'
import { Expectations } from './expectations.ts'
import { controllerReference, ownedSource } from './ownership.ts'
import { templateHash } from './template-hash.ts'

const hashLabel = 'pod-template-hash'

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
