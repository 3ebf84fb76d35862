import { byIdentity } from '../model/by-identity.ts'
import { type PodInfo, podKey } from '../model/pod.ts'
import type { Snapshot, VolumeObjects } from '../model/snapshot.ts'

type Mounting = Pick<PodInfo, 'namespace' | 'name' | 'volumes'>
type Claims = VolumeObjects['claims']

/**
 * Why no node helps the pod as long as another one runs, or ends, that has a volume to itself (`ReadWriteOncePod`): kube-scheduler
 * refuses it on every node.
 */
export function exclusiveVolumeError(
  pod: Mounting,
  { claims }: Pick<VolumeObjects, 'claims'>,
  nodes: Snapshot['nodes'],
): string | undefined {
  for (const key of exclusiveClaims(pod, claims)) {
    const user = usersOfClaims(nodes)
      .get(key)
      ?.find((each) => each !== podKey(pod))
    if (user !== undefined) return textOf(key, `in use by pod ${user}`)
  }
  return undefined
}

/** Of pods that wait for the same such volume one solve places the first only: the others could not be on any node beside it. */
export class ExclusiveVolumes {
  readonly #claims: Claims
  readonly #users = new Map<string, string>()

  constructor({ claims }: Pick<VolumeObjects, 'claims'>) {
    this.#claims = claims
  }

  take(pod: Mounting): void {
    for (const key of exclusiveClaims(pod, this.#claims)) this.#users.set(key, podKey(pod))
  }

  errorFor(pod: Mounting): string | undefined {
    for (const key of exclusiveClaims(pod, this.#claims)) {
      const user = this.#users.get(key)
      if (user !== undefined) return textOf(key, `left to pod ${user}, which waits for it as well`)
    }
    return undefined
  }
}

function exclusiveClaims({ namespace, volumes }: Mounting, claims: Claims): readonly string[] {
  if (volumes.length === 0) return none
  return volumes
    .map(({ claimName }) => `${namespace}/${claimName}`)
    .filter((key) => claims.get(key)?.spec.accessModes?.includes('ReadWriteOncePod') === true)
}

const none: readonly string[] = []

function textOf(key: string, what: string): string {
  return `persistentvolumeclaim with access mode ReadWriteOncePod is ${what} (PersistentVolumeClaim=${key})`
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
