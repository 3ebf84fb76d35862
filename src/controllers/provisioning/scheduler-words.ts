import type { Caches } from '../../kube/controller.ts'
import { pods } from '../../kube/kinds.ts'
import type { ObjectKey } from '../../kube/resource.ts'

/** Why kube-scheduler found no place for a pod, as it says itself; undefined where it has said nothing. */
export type SchedulerWords = (pod: ObjectKey) => string | undefined

export function schedulerWordsIn(caches: Caches): SchedulerWords {
  const cache = caches.of(pods)
  return (pod) => {
    const refusals = cache.get(pod)?.status?.conditions?.filter(({ type }) => type === 'PodScheduled') ?? []
    return refusals.find(({ reason }) => reason === 'Unschedulable')?.message
  }
}
