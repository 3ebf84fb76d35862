import type { Pod } from '../../api/kubernetes.ts'
import { keyOf, keyText } from '../../kube/resource.ts'
import { holdsResources, priorityOf } from './node-state.ts'

/** For a place, and for this scheduler to find it. */
export function isWaiting(pod: Pod): boolean {
  return (
    (pod.spec.nodeName ?? '') === '' &&
    pod.metadata.deletionTimestamp === undefined &&
    holdsResources(pod) &&
    (pod.spec.schedulerName ?? 'default-scheduler') === 'default-scheduler' &&
    (pod.spec.schedulingGates ?? []).length === 0
  )
}

/** The most important first, and of those the oldest. */
export function byImportance(a: Pod, b: Pod): number {
  const priority = priorityOf(b) - priorityOf(a)
  if (priority !== 0) return priority
  if (a.metadata.creationTimestamp !== b.metadata.creationTimestamp) {
    return a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1
  }
  return keyText(keyOf(a)) < keyText(keyOf(b)) ? -1 : 1
}

/** The node that the pod is to get; empty when there is none. */
export function nominationOf(pod: Pod): string {
  return pod.status?.nominatedNodeName ?? ''
}

/** The pod as it is once its nomination has lapsed. */
export function withoutNomination(pod: Pod): Pod {
  if (nominationOf(pod) === '') return pod
  const { nominatedNodeName: _lapsed, ...status } = pod.status ?? {}
  return { ...pod, status }
}
