import type { PersistentVolumeClaim } from '../api/kubernetes.ts'
import type { PodInfo } from '../model/pod.ts'
import type { VolumeObjects } from '../model/snapshot.ts'

const bindCompleted = 'pv.kubernetes.io/bind-completed'

/** What a provider cannot serve; nothing by default. */
export interface VolumeSupport {
  readonly unsupportedTopologyKeys: ReadonlySet<string>
  readonly unsupportedProvisioners: ReadonlySet<string>
}

export const everyVolume: VolumeSupport = { unsupportedTopologyKeys: new Set(), unsupportedProvisioners: new Set() }

/** Why the pod cannot be helped until somebody repairs a volume: the first error, in volume order; undefined when all is well. */
export function volumeError(
  pod: Pick<PodInfo, 'namespace' | 'volumes'>,
  objects: VolumeObjects,
  support: VolumeSupport = everyVolume,
): string | undefined {
  for (const { claimName } of pod.volumes) {
    const key = `${pod.namespace}/${claimName}`
    const claim = objects.claims.get(key)
    if (claim === undefined) return `persistentvolumeclaims "${claimName}" not found`
    const error = claimError(claim, key, objects, support)
    if (error !== undefined) return error
  }
  return undefined
}

function claimError(
  claim: PersistentVolumeClaim,
  key: string,
  objects: VolumeObjects,
  support: VolumeSupport,
): string | undefined {
  const who = `PersistentVolumeClaim=${key}`
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim is being deleted (${who})`
  if (claim.status?.phase === 'Lost') return `persistentvolumeclaim bound to non-existent persistentvolume (${who})`
  const volumeName = claim.spec.volumeName ?? ''
  if (volumeName !== '') {
    if (claim.metadata.annotations?.[bindCompleted] === undefined) {
      return `pvc is considered unbound because it does not contain annotation (${who}, annotation=${bindCompleted})`
    }
    const error = boundError(volumeName, objects, support)
    return error === undefined ? undefined : `failed to validate pvc, ${error} (${who})`
  }
  const className = claim.spec.storageClassName ?? ''
  if (className === '') return `unbound pvc must define a storage class (${who})`
  const error = classError(className, objects, support)
  return error === undefined ? undefined : `failed to validate pvc, ${error} (${who})`
}

function boundError(volumeName: string, objects: VolumeObjects, support: VolumeSupport): string | undefined {
  const volume = objects.volumes.get(volumeName)
  if (volume === undefined) return `persistentvolumes "${volumeName}" not found`
  if (volume.metadata.deletionTimestamp !== undefined) return 'persistentvolume is being deleted'
  const driver = volume.spec.csi?.driver
  return driver !== undefined && support.unsupportedProvisioners.has(driver)
    ? 'provisioner is not supported'
    : undefined
}

function classError(className: string, objects: VolumeObjects, support: VolumeSupport): string | undefined {
  const storageClass = objects.storageClasses.get(className)
  if (storageClass === undefined) {
    return `failed to get storage class, storageclasses.storage.k8s.io "${className}" not found`
  }
  if (storageClass.volumeBindingMode === 'Immediate') return 'pvc with immediate volume binding mode must be bound'
  const keys = (storageClass.allowedTopologies ?? []).flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.map(({ key }) => key),
  )
  if (keys.some((key) => support.unsupportedTopologyKeys.has(key))) return 'storage class uses unsupported topology key'
  return support.unsupportedProvisioners.has(storageClass.provisioner) ? 'provisioner is not supported' : undefined
}
