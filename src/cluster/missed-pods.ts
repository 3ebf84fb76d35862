import { conditionOf } from '../api/conditions.ts'
import type { Pod } from '../api/kubernetes.ts'
import { pods } from '../kube/kinds.ts'
import { keyOf, type Resource } from '../kube/resource.ts'
import type { Cache } from '../kube/controller.ts'
import { type Clock, parseTimestamp } from '../model/clock.ts'

export interface MissedPodsOptions {
  readonly pods: Pick<Cache<Pod>, 'get'>
  readonly clock: Clock
  readonly relist: (resource: Resource) => void
}

/** How long after a pod was bound its watch may still be about to tell of it. */
const lateMs = 10_000
/** A list of all pods is dear: one is given this long to heal the cache. */
const relistAgainMs = 60_000

/** To be told of each pod that the API server has on a node: pods are listed anew when the watch should have told of it long ago. */
export function missedPods({ pods: cache, clock, relist }: MissedPodsOptions): (pod: Pod) => void {
  let relistedAt = Number.NEGATIVE_INFINITY
  return (pod) => {
    const { metadata, spec } = pod
    const scheduled = conditionOf(pod, 'PodScheduled')
    const boundAt = parseTimestamp(scheduled?.lastTransitionTime ?? metadata.creationTimestamp) ?? clock.now()
    const isKnown = cache.get(keyOf(pod))?.spec.nodeName === spec.nodeName
    const now = clock.monotonicMs()
    if (isKnown || clock.now() - boundAt < lateMs || now - relistedAt < relistAgainMs) return
    relistedAt = now
    relist(pods)
  }
}
