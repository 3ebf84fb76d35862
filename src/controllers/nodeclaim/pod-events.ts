import type { NodeClaim } from '../../api/karpenter.ts'
import type { Pod } from '../../api/kubernetes.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import { type Caches, type Change, type Controller, done, source } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { pods } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf } from '../../kube/resource.ts'
import { type Clock, parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'
import { isOwnedByDaemonSet } from '../../model/pod.ts'
import { scaledConcurrency } from '../concurrency.ts'
import { isManagedClaim, machineLookup } from './lookup.ts'

export interface PodEventsDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly cloud: Pick<CloudProvider, 'nodeClassKinds'>
  readonly cpuMilli: number
}

/** Younger entries are not renewed. It stays below the 15 s that a consolidation waits before it is validated. */
const dedupeMs = 10_000

/** Remembers on the claim when pods last came to its node or left it: consolidation waits for nodes to settle. */
export function podEvents(deps: PodEventsDeps): Controller {
  const lookup = machineLookup(deps.caches)
  const cache = deps.caches.of(pods)
  /** Writes that the cache may not have brought back yet, by the claim's UID: the pods of one node come all at once. */
  const writtenAt = new ExpiringMap<string, number>({ clock: deps.clock, ttlMs: dedupeMs })
  const claimOf = (pod: Pod): NodeClaim | undefined => {
    const node = lookup.nodes.get({ name: pod.spec.nodeName ?? '' })
    return node === undefined ? undefined : lookup.onlyClaimOf(node)
  }
  return {
    name: 'nodeclaim.podevents',
    kind: { group: '', kind: 'Pod' },
    sources: [source(pods, (change) => (countsAsPodEvent(change) ? [keyOf(change.after)] : []))],
    concurrency: scaledConcurrency(10, 1_000, deps.cpuMilli),
    async reconcile(key) {
      const pod = cache.get(key)
      if (pod === undefined || (pod.spec.nodeName ?? '') === '') return done
      if (isOwnedByDaemonSet({ ownerReferences: pod.metadata.ownerReferences ?? [] })) return done
      const claim = claimOf(pod)
      if (claim === undefined || !isManagedClaim(claim, deps.cloud)) return done
      const now = deps.clock.now()
      const { uid } = claim.metadata
      const last = Math.max(parseTimestamp(claim.status?.lastPodEventTime) ?? 0, writtenAt.get(uid) ?? 0)
      // A clock that was set back must not keep what happens from being told until it has caught up.
      if (now >= last && now - last < dedupeMs) return done
      const lastPodEventTime = toTimestamp(now)
      writtenAt.set(uid, parseTimestamp(lastPodEventTime) ?? now)
      const body = { status: { lastPodEventTime } }
      try {
        await deps.kube.patch(nodeClaims, keyOf(claim), { kind: 'merge', body }, { subresource: 'status' })
      } catch (error) {
        writtenAt.delete(uid)
        if (!isNotFound(error)) throw error
      }
      return done
    },
  }
}

/**
 * Newly bound, newly finished, or newly terminating. Additions count, too: after a restart every pod is an addition, and it is safer
 * to take a node for busy than for settled.
 */
function countsAsPodEvent(change: Change<Pod>): change is Change<Pod> & { readonly after: Pod } {
  if (change.kind === 'deleted') return false
  if (change.kind === 'added') return true
  const { before, after } = change
  const bound = (pod: Pod): boolean => (pod.spec.nodeName ?? '') !== ''
  const terminal = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
  const terminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined
  if (!bound(after)) return false
  return !bound(before) || (!terminal(before) && terminal(after)) || (!terminating(before) && terminating(after))
}
