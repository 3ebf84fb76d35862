import type { PersistentVolumeClaim, VolumeAttachment } from '../../api/kubernetes.ts'
import type { Cache, Caches } from '../../kube/controller.ts'
import { persistentVolumeClaims, volumeAttachments } from '../../kube/kinds.ts'

export interface VolumeLookup {
  attachmentsOf(nodeName: string): readonly VolumeAttachment[]
  readonly claims: Cache<PersistentVolumeClaim>
}

const byNodeName = 'nodeName'

export function volumeLookup(caches: Caches): VolumeLookup {
  const attachments = caches.of(volumeAttachments)
  attachments.addIndex(byNodeName, nodeNames)
  return {
    attachmentsOf: (nodeName) => attachments.by(byNodeName, nodeName),
    claims: caches.of(persistentVolumeClaims),
  }
}

function nodeNames({ spec }: VolumeAttachment): readonly string[] {
  return [spec.nodeName]
}
