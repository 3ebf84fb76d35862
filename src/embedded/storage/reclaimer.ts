import type { PersistentVolume } from '../../api/kubernetes.ts'
import { type Controller, done, source } from '../../kube/controller.ts'
import { hasCode, isNotFound } from '../../kube/errors.ts'
import { persistentVolumeClaims, persistentVolumes } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'

/** Removes a volume whose claim is gone, as its reclaim policy says; one that nobody has claimed yet is there for all, or for the claim that it names. */
export function createReclaimer({ caches, client }: EmbeddedDeps): Controller {
  const claims = caches.of(persistentVolumeClaims)
  return {
    name: 'embedded.reclaimer',
    sources: [
      source(persistentVolumeClaims, ({ before, after }) => {
        const volume = after === undefined ? before.spec.volumeName : undefined
        return volume === undefined ? [] : [{ name: volume }]
      }),
      source(persistentVolumes, ({ after }) => (after !== undefined && isNew(after) ? [keyOf(after)] : [])),
    ],
    concurrency: 2,
    async reconcile(key) {
      const volume = caches.of(persistentVolumes).get(key)
      if (volume !== undefined && isNew(volume)) {
        // A claim may have taken it meanwhile.
        const { resourceVersion } = volume.metadata
        const body = { metadata: { resourceVersion }, status: { phase: 'Available' } }
        try {
          await client.patch(persistentVolumes, key, { kind: 'merge', body }, { subresource: 'status' })
        } catch (error) {
          if (!hasCode(error, 'Conflict', 'NotFound')) throw error
        }
        return done
      }
      const { claimRef } = volume?.spec ?? {}
      if (volume === undefined || claimRef?.name === undefined) return done
      const claim = claims.get({ namespace: claimRef.namespace, name: claimRef.name })
      if (claim !== undefined && claim.metadata.uid === claimRef.uid) return done
      try {
        if (volume.spec.persistentVolumeReclaimPolicy === 'Delete') await client.delete(persistentVolumes, key)
        else {
          const body = { status: { phase: 'Released' } }
          await client.patch(persistentVolumes, key, { kind: 'merge', body }, { subresource: 'status' })
        }
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
      return done
    },
  }
}

function isNew({ spec, status }: PersistentVolume): boolean {
  return spec.claimRef?.uid === undefined && (status?.phase ?? 'Pending') === 'Pending'
}
