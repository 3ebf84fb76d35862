import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  StorageClass,
  Unsaved,
} from '../../api/kubernetes.ts'
import { type Controller, done, source } from '../../kube/controller.ts'
import { hasCode, isConflict, isNotFound } from '../../kube/errors.ts'
import { nodes, persistentVolumeClaims, persistentVolumes, pods, storageClasses } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { selectedNodeAnnotation } from '../scheduler/volumes.ts'
import { controllerReference } from '../workloads/ownership.ts'

const zoneLabel = 'topology.kubernetes.io/zone'
const ebsZoneKey = 'topology.ebs.csi.aws.com/zone'

/** Makes a volume for each claim whose class wants one: in the zone of the node the scheduler chose, or at once in any zone. */
export function createProvisioner(deps: EmbeddedDeps & { readonly zones: readonly string[] }): Controller {
  const { caches, client } = deps
  caches.of(nodes)
  caches.of(persistentVolumes).addIndex('claim', claimKeys)
  const waiting = () =>
    caches
      .of(persistentVolumeClaims)
      .list()
      .filter(({ status }) => status?.phase !== 'Bound')
      .map(keyOf)
  return {
    name: 'embedded.provisioner',
    sources: [
      source(persistentVolumeClaims, ({ after }) => (after === undefined ? [] : [keyOf(after)])),
      source(persistentVolumes, ({ before, after }) => {
        const { namespace, name } = (after ?? before).spec.claimRef ?? {}
        return name === undefined ? waiting() : [{ namespace, name }]
      }),
      source(storageClasses, waiting),
    ],
    concurrency: 5,
    async reconcile(key) {
      const claim = caches.of(persistentVolumeClaims).get(key)
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return done
      try {
        if ((claim.spec.volumeName ?? '') !== '') await confirm(claim, claim.spec.volumeName ?? '')
        else await provide(claim)
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error
      }
      return done
    },
  }

  async function provide(claim: PersistentVolumeClaim): Promise<void> {
    const [made] = caches.of(persistentVolumes).by('claim', `${claim.metadata.namespace}/${claim.metadata.name}`)
    const found = made ?? findStatic(claim)
    if (found !== undefined) return bind(claim, found)
    const storageClass = caches.of(storageClasses).get({ name: claim.spec.storageClassName ?? '' })
    if (storageClass === undefined || storageClass.provisioner === 'kubernetes.io/no-provisioner') return
    const zone = zoneFor(claim, storageClass)
    if (zone === undefined) return
    try {
      await bind(claim, await client.create(persistentVolumes, newVolume(claim, storageClass, zone)))
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error
    }
  }

  /** A volume made by hand, of the claim's class and not taken yet. */
  function findStatic(claim: PersistentVolumeClaim): PersistentVolume | undefined {
    return caches
      .of(persistentVolumes)
      .list()
      .find(
        ({ spec, status }) =>
          spec.claimRef === undefined &&
          status?.phase !== 'Released' &&
          (spec.storageClassName ?? '') === (claim.spec.storageClassName ?? '') &&
          spec.capacity?.['storage'] !== undefined &&
          spec.capacity['storage'] === claim.spec.resources?.requests?.['storage'],
      )
  }

  function zoneFor(claim: PersistentVolumeClaim, storageClass: StorageClass): string | undefined {
    if (storageClass.volumeBindingMode === 'WaitForFirstConsumer') {
      const node = claim.metadata.annotations?.[selectedNodeAnnotation]
      return node === undefined ? undefined : caches.of(nodes).get({ name: node })?.metadata.labels?.[zoneLabel]
    }
    const allowed = (storageClass.allowedTopologies ?? []).flatMap(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions
        .filter(({ key }) => key === zoneLabel || key === ebsZoneKey)
        .flatMap(({ values }) => values),
    )
    const zones = allowed.length > 0 ? allowed : deps.zones
    return zones[deps.random.below(Math.max(1, zones.length))]
  }

  async function bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    if (volume.spec.claimRef?.uid !== claim.metadata.uid) {
      const { name, namespace, uid } = claim.metadata
      const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid }
      await client.patch(persistentVolumes, keyOf(volume), { kind: 'merge', body: { spec: { claimRef } } })
    }
    // As kube-controller-manager marks what it has bound; autoscalers take a claim without the mark for unbound.
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' }
    const body = { metadata: { uid: claim.metadata.uid, annotations }, spec: { volumeName: volume.metadata.name } }
    await client.patch(persistentVolumeClaims, keyOf(claim), { kind: 'merge', body })
    await confirm(claim, volume.metadata.name)
  }

  async function confirm(claim: PersistentVolumeClaim, volumeName: string): Promise<void> {
    if (claim.status?.phase === 'Bound') return
    const status = {
      phase: 'Bound',
      accessModes: claim.spec.accessModes ?? ['ReadWriteOnce'],
      capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
    }
    const asStatus = { subresource: 'status' } as const
    await client.patch(
      persistentVolumes,
      { name: volumeName },
      { kind: 'merge', body: { status: { phase: 'Bound' } } },
      asStatus,
    )
    await client.patch(persistentVolumeClaims, keyOf(claim), { kind: 'merge', body: { status } }, asStatus)
  }

  function newVolume(
    claim: PersistentVolumeClaim,
    storageClass: StorageClass,
    zone: string,
  ): Unsaved<PersistentVolume> {
    const { name, namespace, uid } = claim.metadata
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: {
        name: `pvc-${uid}`,
        annotations: { 'pv.kubernetes.io/provisioned-by': storageClass.provisioner },
      },
      spec: {
        accessModes: claim.spec.accessModes ?? ['ReadWriteOnce'],
        capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid } as NonNullable<
          PersistentVolume['spec']['claimRef']
        >,
        csi: { driver: storageClass.provisioner, volumeHandle: `vol-0${deps.random.hex(16)}` },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: storageClass.metadata.name,
        volumeMode: claim.spec.volumeMode ?? 'Filesystem',
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zoneLabel, operator: 'In', values: [zone] }] }] },
        },
      },
    }
  }
}

/** Removes a volume whose claim is gone, as its reclaim policy says. */
export function createReclaimer({ caches, client }: EmbeddedDeps): Controller {
  const claims = caches.of(persistentVolumeClaims)
  return {
    name: 'embedded.reclaimer',
    sources: [
      source(persistentVolumeClaims, ({ before, after }) => {
        const volume = after === undefined ? before.spec.volumeName : undefined
        return volume === undefined ? [] : [{ name: volume }]
      }),
    ],
    concurrency: 2,
    async reconcile(key) {
      const volume = caches.of(persistentVolumes).get(key)
      const { claimRef } = volume?.spec ?? {}
      if (volume === undefined || claimRef?.name === undefined) return done
      const claim = claims.get({ namespace: claimRef.namespace, name: claimRef.name })
      if (claim !== undefined && claim.metadata.uid === claimRef.uid) return done
      try {
        if (volume.spec['persistentVolumeReclaimPolicy'] === 'Delete') await client.delete(persistentVolumes, key)
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

function claimKeys({ spec }: PersistentVolume): readonly string[] {
  const { namespace, name } = spec.claimRef ?? {}
  return name === undefined ? [] : [`${namespace}/${name}`]
}
