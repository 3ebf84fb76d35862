import type { Pod } from '../../api/kubernetes.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { Cache } from '../../kube/controller.ts'
import { isTerminal } from '../../model/pod.ts'
import type { WorkloadSizes } from './undone-consolidations.ts'

/** Counts in the cache, all pods once. */
export function workloadSizesIn(pods: Pick<Cache<Pod>, 'list'>): WorkloadSizes {
  return (workloads) => {
    const sizes = new Map<string, number>()
    if (workloads.size === 0) return sizes
    for (const { metadata, status } of pods.list()) {
      const uid = controllerOf(metadata)?.uid
      if (uid === undefined || !workloads.has(uid)) continue
      if (metadata.deletionTimestamp !== undefined || isTerminal({ phase: status?.phase ?? 'Pending' })) continue
      sizes.set(uid, (sizes.get(uid) ?? 0) + 1)
    }
    return sizes
  }
}
