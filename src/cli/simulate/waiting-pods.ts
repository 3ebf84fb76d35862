import { isProvisionable, type PodInfo } from '../../model/pod.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { SchedulingSettings } from '../../scheduling/index.ts'
import { rejectionOf } from '../../scheduling/pod-validation.ts'

interface WaitingPods {
  readonly accepted: readonly PodInfo[]
  readonly rejected: readonly { readonly pod: PodInfo; readonly text: string }[]
}

/** Pods that wait for a node: those that the solver takes on, and the others with what is wrong with them. */
export function waitingPods(snapshot: Snapshot, { vocabulary }: SchedulingSettings): WaitingPods {
  const accepted: PodInfo[] = []
  const rejected: { readonly pod: PodInfo; readonly text: string }[] = []
  for (const pod of snapshot.unboundPods.filter(isProvisionable)) {
    const rejection = rejectionOf(pod, { volumes: snapshot.volumes, nodes: snapshot.nodes, vocabulary })
    if (rejection === undefined) accepted.push(pod)
    else rejected.push({ pod, text: rejection.text })
  }
  return { accepted, rejected }
}
