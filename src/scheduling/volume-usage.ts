import { compareText } from '../model/order.ts'
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

/** Every driver is asked, so a node that is over the limit of one already takes no pod at all. */
export function volumeLimitError(used: VolumesByDriver, limits: ReadonlyMap<string, number>): string | undefined {
  for (const driver of [...used.keys()].toSorted(compareText)) {
    const limit = limits.get(driver)
    const count = used.get(driver)?.size ?? 0
    if (limit !== undefined && count > limit) {
      return `would exceed volume limit (provisioner=${driver}, volume-count=${count}, volume-limit=${limit})`
    }
  }
  return undefined
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
