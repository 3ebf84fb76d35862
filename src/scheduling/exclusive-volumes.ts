import { byIdentity } from '../model/by-identity.ts'
import { type PodInfo, podKey } from '../model/pod.ts'
import type { Snapshot, VolumeObjects } from '../model/snapshot.ts'

/**
 * Why no node helps the pod as long as another one runs, or ends, that has a volume to itself (`ReadWriteOncePod`): kube-scheduler
 * refuses it on every node.
 */
export function exclusiveVolumeError(
  pod: Pick<PodInfo, 'namespace' | 'name' | 'volumes'>,
  { claims }: Pick<VolumeObjects, 'claims'>,
  nodes: Snapshot['nodes'],
): string | undefined {
  for (const { claimName } of pod.volumes) {
    const key = `${pod.namespace}/${claimName}`
    if (claims.get(key)?.spec.accessModes?.includes('ReadWriteOncePod') !== true) continue
    const users =
      usersOfClaims(nodes)
        .get(key)
        ?.filter((user) => user !== podKey(pod)) ?? []
    if (users[0] !== undefined) {
      return `persistentvolumeclaim with access mode ReadWriteOncePod is in use by pod ${users[0]} (PersistentVolumeClaim=${key})`
    }
  }
  return undefined
}

/** By claim, the pods that mount it. */
const usersOfClaims = byIdentity((nodes: Snapshot['nodes']): ReadonlyMap<string, readonly string[]> => {
  const users = new Map<string, string[]>()
  for (const { pods } of nodes) {
    for (const pod of pods) {
      for (const { claimName } of pod.volumes) {
        const key = `${pod.namespace}/${claimName}`
        const known = users.get(key)
        if (known === undefined) users.set(key, [podKey(pod)])
        else known.push(podKey(pod))
      }
    }
  }
  return users
})
