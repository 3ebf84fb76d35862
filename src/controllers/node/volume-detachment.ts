import type { PersistentVolumeClaim, VolumeAttachment } from '../../api/kubernetes.ts'
import { isDrainable } from '../../disruption/pod-eviction.ts'
import { compareText } from '../../model/order.ts'
import type { PodInfo } from '../../model/pod.ts'

/**
 * Attachments that must go before the instance may: pulling the disk from under a drained pod's volume blocks its next attachment
 * for minutes. Volumes of pods that stay on the node to the end are not waited for.
 */
export function pendingAttachments(
  attachments: readonly VolumeAttachment[],
  pods: readonly PodInfo[],
  claimOf: (key: { readonly namespace: string; readonly name: string }) => PersistentVolumeClaim | undefined,
  now: number,
): readonly VolumeAttachment[] {
  const staying = new Set(
    pods
      .filter((pod) => !isDrainable(pod, now))
      .flatMap((pod) => pod.volumes.map(({ claimName }) => ({ namespace: pod.namespace, name: claimName })))
      .flatMap((key) => claimOf(key)?.spec.volumeName ?? []),
  )
  return attachments
    .filter(({ spec }) => {
      const volume = spec.source.persistentVolumeName
      return volume !== undefined && volume !== '' && !staying.has(volume)
    })
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))
}
