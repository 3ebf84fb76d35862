import { conditionOf } from '../../api/conditions.ts'
import type { Node, Pod } from '../../api/kubernetes.ts'
import { ownNominationIn } from '../../api/nomination.ts'
import type { ClusterState } from '../../cluster/index.ts'
import {
  type Caches,
  type Controller,
  done,
  type ReconcileResult,
  requeueAfter,
  source,
} from '../../kube/controller.ts'
import { hasCode, isConflict, isNotFound } from '../../kube/errors.ts'
import { isHeldBack } from '../../kube/fenced-client.ts'
import { nodes, pods } from '../../kube/kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf, type ObjectKey } from '../../kube/resource.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'
import type { StateNode } from '../../model/snapshot.ts'
import { scaledConcurrency } from '../concurrency.ts'
import { SteadyMoments } from '../steady-moments.ts'
import type { Promises } from './promises.ts'

export interface NominationDeps {
  readonly kube: Pick<KubeClient, 'patch'>
  readonly caches: Caches
  readonly clock: Clock
  readonly cluster: Pick<ClusterState, 'node' | 'byClaimName' | 'byNodeName'>
  readonly promises: Promises
  readonly log: Logger
  readonly cpuMilli: number
}

export interface Nominations {
  readonly controller: Controller
  /** Nominates the pods of the claim's plan for its node, as far as that can be done; before that node takes pods at all. */
  readonly announce: (claim: string) => Promise<void>
}

/** A scheduler that has not followed within so long after the node was initialized does not want to; the room is free again then. */
const heldMs = 120_000
/** How soon nominations are looked at again, to end those that were held long enough. */
const againMs = 30_000
/** kube-scheduler leaves a pod that it has tried in vain alone for a second or more: sooner nobody reads what is written. */
const renominateMs = 1_000
/** After the API server has refused a write for want of rights none is tried for so long. */
const forbiddenMs = 600_000

/**
 * Holds pods to the nodes that were planned for them: kube-scheduler tries the node of `status.nominatedNodeName` before all others and
 * keeps its room from pods that matter no more. It clears the field when a pod finds no place, as long as its node is not ready for
 * instance; then it is written again. Nominations that others wrote are left alone, and a hint that cannot be given is no failure.
 */
export function nominations(deps: NominationDeps): Nominations {
  const { caches, clock, cluster, promises } = deps
  const cache = caches.of(pods)
  const index = 'ownNominatedNodeName'
  cache.addIndex(index, ownNominations)
  const moments = new SteadyMoments(clock)
  let forbiddenUntil = Number.NEGATIVE_INFINITY
  /** When pods were nominated a moment ago, by UID, in monotonic time. */
  const nominated = new ExpiringMap<string, number>({ clock, ttlMs: renominateMs })

  function nodeFor(pod: Pod): StateNode | undefined {
    const place = promises.placeOf(pod.metadata.uid)
    if (place === undefined) return isNominatedByUs(pod) ? cluster.byNodeName(nominationOf(pod)) : undefined
    return 'key' in place ? cluster.node(place.key) : cluster.byClaimName(place.claim)
  }

  /** Empty when the pod had better have none. */
  function wantedFor(pod: Pod): string {
    const state = nodeFor(pod)
    if (state?.node === undefined || !state.managed || state.markedForDeletion) return ''
    const initialized = state.nodeClaim === undefined ? undefined : conditionOf(state.nodeClaim, 'Initialized')
    const since = initialized?.status === 'True' ? parseTimestamp(initialized.lastTransitionTime) : undefined
    const heldSince = since === undefined ? undefined : moments.begun(state.key, since)
    return heldSince !== undefined && clock.now() - heldSince > heldMs ? '' : state.node.metadata.name
  }

  async function settle(key: ObjectKey, isUrgent: boolean): Promise<ReconcileResult> {
    const pod = cache.get(key)
    if (pod === undefined || !isWaiting(pod)) return done
    const current = nominationOf(pod)
    if (current !== '' && !isNominatedByUs(pod)) return done
    const wanted = wantedFor(pod)
    const before = nominated.get(pod.metadata.uid)
    if (current === '' && wanted !== '' && before !== undefined && !isUrgent) {
      return requeueAfter(before + renominateMs - clock.monotonicMs())
    }
    if (wanted !== current && clock.monotonicMs() >= forbiddenUntil) await write(pod, wanted)
    return wanted === '' ? done : requeueAfter(againMs)
  }

  /** With the version that was read, so that neither a binding nor a nomination by the scheduler is overwritten. */
  async function write(pod: Pod, wanted: string): Promise<void> {
    const { resourceVersion } = pod.metadata
    const body = { metadata: { resourceVersion }, status: { nominatedNodeName: wanted === '' ? null : wanted } }
    try {
      await deps.kube.patch(pods, keyOf(pod), { kind: 'merge', body }, { subresource: 'status' })
      nominated.set(pod.metadata.uid, clock.monotonicMs())
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return
      if (!hasCode(error, 'Forbidden')) throw error
      forbiddenUntil = clock.monotonicMs() + forbiddenMs
      deps.log.error(
        { err: error },
        'nominating pods is not permitted: grant patch on pods/status or set --nominate-pods=false',
      )
    }
  }

  return {
    controller: {
      name: 'provisioner.nomination',
      kind: { group: '', kind: 'Pod' },
      sources: [
        source(pods, ({ after }) =>
          after !== undefined && (promises.placeOf(after.metadata.uid) !== undefined || isNominatedByUs(after))
            ? [keyOf(after)]
            : [],
        ),
        source(nodes, ({ before, after }) => {
          const goes = after === undefined || isDeleting(after) !== isDeleting(before ?? after)
          return goes ? cache.by(index, (after ?? before).metadata.name).map(keyOf) : []
        }),
      ],
      triggers: [(enqueue) => promises.subscribe(enqueue)],
      concurrency: scaledConcurrency(10, 100, deps.cpuMilli),
      reconcile: (key) => settle(key, false),
    },
    announce: async (claim) => {
      const state = cluster.byClaimName(claim)
      if (state === undefined) return
      const results = await Promise.allSettled(promises.podsOn(state).map((key) => settle(key, true)))
      const failed = results.find((result) => result.status === 'rejected' && !isHeldBack(result.reason))
      if (failed?.status === 'rejected') deps.log.error({ err: failed.reason as unknown }, 'nominating pods failed')
    },
  }
}

function isWaiting({ metadata, spec }: Pod): boolean {
  return (spec.nodeName ?? '') === '' && metadata.deletionTimestamp === undefined
}

function isDeleting({ metadata }: Node): boolean {
  return metadata.deletionTimestamp !== undefined
}

function nominationOf({ status }: Pod): string {
  return status?.nominatedNodeName ?? ''
}

function isNominatedByUs(pod: Pod): boolean {
  return nominationOf(pod) !== '' && ownNominationIn(pod.metadata) !== undefined
}

function ownNominations(pod: Pod): readonly string[] {
  return isNominatedByUs(pod) ? [nominationOf(pod)] : []
}
