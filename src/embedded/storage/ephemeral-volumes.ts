import type { PersistentVolumeClaim, PersistentVolumeClaimSpec, Unsaved } from '../../api/kubernetes.ts'
import { type Controller, done, source } from '../../kube/controller.ts'
import { hasCode } from '../../kube/errors.ts'
import { persistentVolumeClaims, pods } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { controllerReference } from '../workloads/ownership.ts'

/** Makes the claims of generic ephemeral volumes; they live and die with their pod. */
export function createEphemeralVolumeController({ caches, client }: EmbeddedDeps): Controller {
  return {
    name: 'embedded.ephemeral-volume',
    sources: [
      source(pods, ({ kind, after }) =>
        kind === 'added' && after.spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true
          ? [keyOf(after)]
          : [],
      ),
    ],
    concurrency: 2,
    async reconcile(key) {
      const pod = caches.of(pods).get(key)
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return done
      for (const volume of pod.spec.volumes ?? []) {
        const template: { metadata?: object; spec: PersistentVolumeClaimSpec } | undefined =
          volume.ephemeral?.volumeClaimTemplate
        if (template === undefined) continue
        const claim: Unsaved<PersistentVolumeClaim> = {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: {
            ...template.metadata,
            name: `${pod.metadata.name}-${volume.name}`,
            ...(pod.metadata.namespace === undefined ? {} : { namespace: pod.metadata.namespace }),
            ownerReferences: [controllerReference(pod)],
          },
          spec: template.spec,
        }
        try {
          await client.create(persistentVolumeClaims, claim)
        } catch (error) {
          if (!hasCode(error, 'AlreadyExists')) throw error
        }
      }
      return done
    },
  }
}
