import type { Pod, ReplicaSet } from '../../api/kubernetes.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { pods, replicaSets } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { parseTimestamp } from '../../model/clock.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { claim } from './claim.ts'
import { Expectations } from './expectations.ts'
import { ownedSource } from './ownership.ts'
import { patchChangedStatus } from './patch-status.ts'
import {
  deletePod,
  isActive,
  isAvailable,
  isReady,
  podCache,
  podFrom,
  readySince,
  requeueWhenAvailable,
} from './pods.ts'
import { afterRefusal, type WorkloadDeps } from './refused-pods.ts'

/** Pods created in one go, and the pause until the next: together about the pace of a real controller manager. */
const burstMax = 50
const burstPauseMs = 100

/** Keeps as many pods of a template as asked for. */
export function createReplicaSetController(deps: WorkloadDeps): Controller {
  const { caches, client, clock } = deps
  const cache = podCache(caches)
  const expectations = new Expectations(cache)
  return {
    name: 'embedded.replicaset',
    sources: [
      source(replicaSets, ({ before, after }) => [keyOf(after ?? before)]),
      ownedSource(pods, caches.of(replicaSets)),
    ],
    concurrency: 10,
    async reconcile(key) {
      const set = caches.of(replicaSets).get(key)
      if (set === undefined) return done
      const { uid } = set.metadata
      const owned = await claim(deps, {
        owner: set,
        owners: replicaSets,
        objects: cache,
        expectations,
        takes: isActive,
      })
      const active = owned.filter(isActive)
      const wanted = set.spec.replicas ?? 1
      if (set.metadata.deletionTimestamp === undefined) {
        for (let missing = Math.min(burstMax, wanted - active.length); missing > 0; missing -= 1) {
          try {
            expectations.created(uid, await client.create(pods, podFrom(set, set.spec.template)))
          } catch (error) {
            const result = afterRefusal(deps, set, { error, component: 'replicaset-controller' })
            if (result.kind !== 'done') await writeStatus(deps, set, active)
            return result
          }
        }
        const surplus = active.length - wanted
        for (const pod of surplus > 0 ? inOrderOfDeletion(active).slice(0, surplus) : []) {
          expectations.deleted(uid, pod)
          await deletePod(deps, pod)
        }
      }
      await writeStatus(deps, set, active)
      if (wanted - active.length > burstMax) return requeueAfter(burstPauseMs)
      return requeueWhenAvailable(active, set.spec.minReadySeconds, clock.now())
    },
  }
}

async function writeStatus(deps: EmbeddedDeps, set: ReplicaSet, active: readonly Pod[]): Promise<void> {
  const now = deps.clock.now()
  const status = {
    replicas: active.length,
    fullyLabeledReplicas: active.length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, set.spec.minReadySeconds, now)).length,
    observedGeneration: set.metadata.generation ?? 1,
  }
  await patchChangedStatus(deps, replicaSets, set, status)
}

/**
 * Which pods go first: unassigned, pending, not ready, of low `pod-deletion-cost`, on nodes with many of their kind, ready for a short
 * time, young.
 */
export function inOrderOfDeletion(active: readonly Pod[]): readonly Pod[] {
  const perNode = new Map<string, number>()
  for (const pod of active) {
    const name = pod.spec.nodeName ?? ''
    perNode.set(name, (perNode.get(name) ?? 0) + 1)
  }
  const rank = (pod: Pod): readonly (number | string)[] => [
    pod.spec.nodeName === undefined ? 0 : 1,
    pod.status?.phase === 'Running' ? 2 : pod.status?.phase === 'Unknown' ? 1 : 0,
    isReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0),
    -(perNode.get(pod.spec.nodeName ?? '') ?? 0),
    -readySince(pod),
    -(parseTimestamp(pod.metadata.creationTimestamp) ?? 0),
    pod.metadata.name,
  ]
  return active
    .map((pod) => ({ pod, rank: rank(pod) }))
    .toSorted((a, b) => compareRanks(a.rank, b.rank))
    .map(({ pod }) => pod)
}

function compareRanks(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}
