import type { PodInfo } from '../model/pod.ts'
import type { VolumeObjects } from '../model/snapshot.ts'

/** Claims (`namespace/name`) by CSI driver: pods that share a claim need one attachment. */
export type VolumesByDriver = ReadonlyMap<string, ReadonlySet<string>>

const noVolumes: VolumesByDriver = new Map()

/** In-tree plugins that CSI drivers have taken over. */
const csiNames = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
  ['kubernetes.io/rbd', 'rbd.csi.ceph.com'],
])

export function volumesOf(pod: Pick<PodInfo, 'namespace' | 'volumes'>, objects: VolumeObjects): VolumesByDriver {
  if (pod.volumes.length === 0) return noVolumes
  const found = new Map<string, Set<string>>()
  for (const { claimName } of pod.volumes) {
    const key = `${pod.namespace}/${claimName}`
    const driver = driverOf(key, objects)
    if (driver === undefined) continue
    const claims = found.get(driver)
    if (claims === undefined) found.set(driver, new Set([key]))
    else claims.add(key)
  }
  return found
}

export function uniteVolumes(...lists: readonly VolumesByDriver[]): VolumesByDriver {
  const united = new Map<string, Set<string>>()
  for (const list of lists) {
    for (const [driver, claims] of list) {
      const known = united.get(driver)
      if (known === undefined) united.set(driver, new Set(claims))
      else for (const claim of claims) known.add(claim)
    }
  }
  return united
}

/**
 * Whether a node that holds some may take others: one that is over the limit of some driver already takes no pod at all. Only where the
 * sum is too much it matters whether they share claims.
 */
export function staysWithinLimits(
  held: VolumesByDriver,
  added: VolumesByDriver,
  limits: ReadonlyMap<string, number>,
): boolean {
  for (const [driver, limit] of limits) {
    const heldClaims = held.get(driver)
    const addedClaims = added.get(driver)
    let count = heldClaims?.size ?? 0
    if (count > limit) return false
    if (addedClaims === undefined || count + addedClaims.size <= limit) continue
    for (const claim of addedClaims) if (heldClaims?.has(claim) !== true) count += 1
    if (count > limit) return false
  }
  return true
}

function driverOf(claimKey: string, objects: VolumeObjects): string | undefined {
  const claim = objects.claims.get(claimKey)
  if (claim === undefined) return undefined
  const volumeName = claim.spec.volumeName ?? ''
  if (volumeName !== '') {
    const volume = objects.volumes.get(volumeName)
    if (volume?.spec.csi !== undefined) return volume.spec.csi.driver
    return volume?.spec.awsElasticBlockStore === undefined ? undefined : 'ebs.csi.aws.com'
  }
  const className = claim.spec.storageClassName ?? ''
  const provisioner = objects.storageClasses.get(className)?.provisioner
  return provisioner === undefined ? undefined : (csiNames.get(provisioner) ?? provisioner)
}
