import type { PersistentVolume, PersistentVolumeClaim, StorageClass, Unsaved } from '../../api/kubernetes.ts'
import { labelZone } from '../../api/labels.ts'

export const ebsZoneKey = 'topology.ebs.csi.aws.com/zone'

/** Drivers of file systems that every zone reaches. */
const regionalDrivers: ReadonlySet<string> = new Set(['efs.csi.aws.com', 'fsx.csi.aws.com', 's3.csi.aws.com'])

/** The volume that a driver makes for a claim. */
export function newVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  { zone, handle }: { readonly zone: string; readonly handle: string },
): Unsaved<PersistentVolume> {
  const { provisioner, reclaimPolicy = 'Delete', mountOptions, metadata } = storageClass
  const inZone = {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: labelZone, operator: 'In' as const, values: [zone] }] }],
    },
  }
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: `pvc-${claim.metadata.uid}`,
      annotations: { 'pv.kubernetes.io/provisioned-by': provisioner },
    },
    spec: {
      accessModes: claim.spec.accessModes ?? ['ReadWriteOnce'],
      capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
      claimRef: referenceTo(claim),
      csi: { driver: provisioner, volumeHandle: handle },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      ...(mountOptions === undefined ? {} : { mountOptions }),
      storageClassName: metadata.name,
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
      ...(regionalDrivers.has(provisioner) ? {} : { nodeAffinity: inZone }),
    },
  }
}

export function referenceTo({
  metadata: { name, namespace, uid },
}: PersistentVolumeClaim): NonNullable<PersistentVolume['spec']['claimRef']> {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid,
  }
}
