import type { PersistentVolume, PersistentVolumeClaim, StorageClass, Unsaved } from '../../api/kubernetes.ts'
import { labelZone } from '../../api/labels.ts'
import { type Controller, done, source } from '../../kube/controller.ts'
import { hasCode, isConflict, isNotFound } from '../../kube/errors.ts'
import { nodes, persistentVolumeClaims, persistentVolumes, storageClasses } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { selectedNodeAnnotation } from '../scheduler/volumes.ts'

const ebsZoneKey = 'topology.ebs.csi.aws.com/zone'

type ClaimReference = NonNullable<PersistentVolume['spec']['claimRef']>

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
      return node === undefined ? undefined : caches.of(nodes).get({ name: node })?.metadata.labels?.[labelZone]
    }
    const allowed = (storageClass.allowedTopologies ?? []).flatMap(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions
        .filter(({ key }) => key === labelZone || key === ebsZoneKey)
        .flatMap(({ values }) => values),
    )
    const zones = allowed.length > 0 ? allowed : deps.zones
    return zones[deps.random.below(Math.max(1, zones.length))]
  }

  async function bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    if (volume.spec.claimRef?.uid !== claim.metadata.uid) {
      const body = { spec: { claimRef: referenceTo(claim) } }
      await client.patch(persistentVolumes, keyOf(volume), { kind: 'merge', body })
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
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: {
        name: `pvc-${claim.metadata.uid}`,
        annotations: { 'pv.kubernetes.io/provisioned-by': storageClass.provisioner },
      },
      spec: {
        accessModes: claim.spec.accessModes ?? ['ReadWriteOnce'],
        capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
        claimRef: referenceTo(claim),
        csi: { driver: storageClass.provisioner, volumeHandle: `vol-0${deps.random.hex(16)}` },
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
        ...(storageClass.mountOptions === undefined ? {} : { mountOptions: storageClass.mountOptions }),
        storageClassName: storageClass.metadata.name,
        volumeMode: claim.spec.volumeMode ?? 'Filesystem',
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: labelZone, operator: 'In', values: [zone] }] }] },
        },
      },
    }
  }
}

function referenceTo({ metadata: { name, namespace, uid } }: PersistentVolumeClaim): ClaimReference {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid,
  }
}

function claimKeys({ spec }: PersistentVolume): readonly string[] {
  const { namespace, name } = spec.claimRef ?? {}
  return name === undefined ? [] : [`${namespace}/${name}`]
}
