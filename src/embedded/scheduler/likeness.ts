import type { Pod } from '../../api/kubernetes.ts'
import { nominationOf } from './waiting-pods.ts'

const likenesses = new WeakMap<Pod, string>()

/**
 * What two pods share when a refusal of one is a refusal of the other for the rest of a pass. Undefined where a pod placed in between
 * could help: with spread constraints, affinity to other pods, or volumes. Nor are nominated pods like any other: a node keeps room for them.
 */
export function likenessOf(pod: Pod): string | undefined {
  const { spec } = pod
  const dependsOnOthers =
    nominationOf(pod) !== '' ||
    spec.topologySpreadConstraints !== undefined ||
    spec.affinity?.podAffinity !== undefined ||
    spec.volumes?.some((volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined) ===
      true
  if (dependsOnOthers) return undefined
  let likeness = likenesses.get(pod)
  if (likeness === undefined) {
    likeness = JSON.stringify([
      pod.metadata.namespace,
      pod.metadata.labels,
      spec.nodeSelector,
      spec.affinity,
      spec.tolerations,
      spec.priority,
      spec.preemptionPolicy,
      spec.overhead,
      spec.resources,
      spec.hostNetwork,
      [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources, ports, restartPolicy }) => [
        resources,
        ports,
        restartPolicy,
      ]),
    ])
    likenesses.set(pod, likeness)
  }
  return likeness
}
