import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../api/kubernetes.ts'
import type { Cache, Caches } from '../../kube/controller.ts'
import { persistentVolumes } from '../../kube/kinds.ts'
import { keyOf, keyText } from '../../kube/resource.ts'
import { parseQuantity } from '../../model/quantity.ts'
import { selects } from '../labels.ts'
import { matchesAnyTerm } from '../scheduler/node-selection.ts'

/** Whether the volume is the claim's: taken by it, or kept for one of its name. */
export function isReservedFor({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  return (
    claimRef?.name === metadata.name &&
    claimRef.namespace === metadata.namespace &&
    (claimRef.uid === undefined || claimRef.uid === metadata.uid)
  )
}

/** Volumes with the indexes that the functions here look up: by the claim they are for, and those that are for none. */
export function volumeCache(caches: Caches): Cache<PersistentVolume> {
  const cache = caches.of(persistentVolumes)
  cache.addIndex('claim', claimKeys)
  cache.addIndex('free', freedoms)
  return cache
}

/** The volume that is the claim's already. */
export function reservedVolume(
  claim: PersistentVolumeClaim,
  volumes: Cache<PersistentVolume>,
): PersistentVolume | undefined {
  return volumes.by('claim', keyText(keyOf(claim))).find((volume) => isReservedFor(volume, claim))
}

/** The free volumes that do for a claim, the smallest first, as kube-controller-manager and kube-scheduler choose among them. */
export function matchingVolumes(
  claim: PersistentVolumeClaim,
  volumes: Cache<PersistentVolume>,
): readonly PersistentVolume[] {
  const { selector } = claim.spec
  return volumes
    .by('free', 'free')
    .filter(
      (volume) =>
        volume.status?.phase === 'Available' &&
        volume.metadata.deletionTimestamp === undefined &&
        mismatchOf(claim, volume) === undefined &&
        (selector === undefined || selects(selector, volume.metadata.labels)),
    )
    .toSorted((a, b) => storageOf(a).compare(storageOf(b)) || (a.metadata.name < b.metadata.name ? -1 : 1))
}

export function canReach(node: Node, { spec }: PersistentVolume): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms
  return terms === undefined || matchesAnyTerm(terms, node)
}

/** Why the volume does not do for the claim, in the words of kube-controller-manager. */
export function mismatchOf(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  const { accessModes = [], resources, storageClassName = '', volumeMode = 'Filesystem' } = claim.spec
  const has = volume.spec
  if (storageOf(volume).compare(parseQuantity(resources?.requests?.['storage'] ?? '0')) < 0) {
    return 'requested PV is too small'
  }
  if ((has.storageClassName ?? '') !== storageClassName) return 'storageClassName does not match'
  if ((has.volumeMode ?? 'Filesystem') !== volumeMode) return 'incompatible volumeMode'
  if (!accessModes.every((mode) => has.accessModes?.includes(mode) === true)) return 'incompatible accessMode'
  return undefined
}

function storageOf({ spec }: PersistentVolume): ReturnType<typeof parseQuantity> {
  return parseQuantity(spec.capacity?.['storage'] ?? '0')
}

function claimKeys({ spec: { claimRef } }: PersistentVolume): readonly string[] {
  const { namespace, name } = claimRef ?? {}
  return name === undefined ? [] : [keyText({ namespace, name })]
}

function freedoms({ spec }: PersistentVolume): readonly string[] {
  return spec.claimRef === undefined ? ['free'] : []
}
