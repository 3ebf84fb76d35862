import { isOwnedByDaemonSet, type PodInfo } from '../model/pod.ts'

/** 1 for the node and what evicting its pods costs, DaemonSet pods left out. */
export function nodeDisruptionCost(pods: readonly PodInfo[], evictionCost: (pod: PodInfo) => number): number {
  return pods.filter((pod) => !isOwnedByDaemonSet(pod)).reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 1)
}
