import type { PersistentVolumeClaim } from '../../api/kubernetes.ts'
import { type Controller, done, source } from '../../kube/controller.ts'
import { hasCode } from '../../kube/errors.ts'
import { persistentVolumeClaims, persistentVolumes, storageClasses } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { parseQuantity } from '../../model/quantity.ts'
import type { WorkloadDeps } from '../workloads/refused-pods.ts'

/** Gives a bound claim that asks for more the room: first its volume, then what the claim says that it has. */
export function createExpander({ caches, client, tell }: WorkloadDeps): Controller {
  return {
    name: 'embedded.expander',
    sources: [
      source(persistentVolumeClaims, ({ after }) =>
        after !== undefined && wantedStorage(after) !== undefined ? [keyOf(after)] : [],
      ),
    ],
    concurrency: 2,
    async reconcile(key) {
      const claim = caches.of(persistentVolumeClaims).get(key)
      const storage = claim === undefined ? undefined : wantedStorage(claim)
      if (claim === undefined || storage === undefined) return done
      const storageClass = caches.of(storageClasses).get({ name: claim.spec.storageClassName ?? '' })
      if (storageClass?.allowVolumeExpansion !== true) return done
      const volume = { name: claim.spec.volumeName ?? '' }
      try {
        await client.patch(persistentVolumes, volume, { kind: 'merge', body: { spec: { capacity: { storage } } } })
        const body = { metadata: { uid: claim.metadata.uid }, status: { capacity: { storage } } }
        await client.patch(persistentVolumeClaims, key, { kind: 'merge', body }, { subresource: 'status' })
      } catch (error) {
        if (hasCode(error, 'NotFound', 'Conflict')) return done
        throw error
      }
      const message = 'MountVolume.NodeExpandVolume succeeded for volume'
      tell({
        about: claim,
        type: 'Normal',
        reason: 'FileSystemResizeSuccessful',
        message,
        by: { component: 'kubelet' },
      })
      return done
    },
  }
}

/** Where that is more than the claim has. */
function wantedStorage({ spec, status }: PersistentVolumeClaim): string | undefined {
  const wanted = spec.resources?.requests?.['storage']
  const has = status?.capacity?.['storage']
  if (status?.phase !== 'Bound' || wanted === undefined || has === undefined) return undefined
  return parseQuantity(wanted).compare(parseQuantity(has)) > 0 ? String(wanted) : undefined
}
