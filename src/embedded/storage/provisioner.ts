import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../api/kubernetes.ts'
import { labelZone } from '../../api/labels.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { hasCode, isConflict, isNotFound } from '../../kube/errors.ts'
import { nodes, persistentVolumeClaims, persistentVolumes, storageClasses } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { Told } from '../events/event-log.ts'
import { bindCompletedAnnotation, noProvisioner, selectedNodeAnnotation } from '../scheduler/volumes.ts'
import type { WorkloadDeps } from '../workloads/refused-pods.ts'
import { ebsZoneKey, newVolume, referenceTo } from './new-volume.ts'
import { isReservedFor, matchingVolumes, mismatchOf, reservedVolume, volumeCache } from './static-volumes.ts'

/** After somebody else was faster to take a volume. */
const lookAgainMs = 100

/**
 * Brings claims and volumes together: a volume that somebody made for it, or that does, else one that its class makes, in the zone of the
 * node the scheduler chose, or at once in any zone. Among volumes that were made, the scheduler chooses for claims that wait for their pod.
 */
export function createProvisioner(deps: WorkloadDeps & { readonly zones: readonly string[] }): Controller {
  const { caches, client } = deps
  caches.of(nodes)
  const volumes = volumeCache(caches)
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
      if (claim.status?.phase === 'Bound') return done
      try {
        if ((claim.spec.volumeName ?? '') !== '') await takeNamed(claim, claim.spec.volumeName ?? '')
        else await provide(claim)
      } catch (error) {
        if (isConflict(error)) return requeueAfter(lookAgainMs)
        if (!isNotFound(error)) throw error
      }
      return done
    },
  }

  /** The volume that the claim asks for by name. */
  async function takeNamed(claim: PersistentVolumeClaim, name: string): Promise<void> {
    const volume = volumes.get({ name })
    if (volume === undefined) return
    if (volume.spec.claimRef !== undefined && !isReservedFor(volume, claim)) {
      tell(claim, 'Warning', 'FailedBinding', `volume "${name}" already bound to a different claim.`)
      return
    }
    const mismatch = volume.spec.claimRef === undefined ? mismatchOf(claim, volume) : undefined
    if (mismatch === undefined) await bind(claim, volume)
    else tell(claim, 'Warning', 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${mismatch}`)
  }

  async function provide(claim: PersistentVolumeClaim): Promise<void> {
    const { storageClassName = '' } = claim.spec
    const storageClass = caches.of(storageClasses).get({ name: storageClassName })
    const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
    const found = reservedVolume(claim, volumes) ?? (waits ? undefined : matchingVolumes(claim, volumes)[0])
    if (found !== undefined) return bind(claim, found)
    if (storageClassName === '') {
      const message = 'no persistent volumes available for this claim and no storage class is set'
      return tell(claim, 'Normal', 'FailedBinding', message)
    }
    if (storageClass === undefined) {
      const message = `storageclass.storage.k8s.io "${storageClassName}" not found`
      return tell(claim, 'Warning', 'ProvisioningFailed', message)
    }
    const node = claim.metadata.annotations?.[selectedNodeAnnotation]
    if (waits && node === undefined) {
      const message = 'waiting for first consumer to be created before binding'
      return tell(claim, 'Normal', 'WaitForFirstConsumer', message)
    }
    const zone = waits
      ? caches.of(nodes).get({ name: node ?? '' })?.metadata.labels?.[labelZone]
      : anyZoneOf(storageClass)
    if (storageClass.provisioner === noProvisioner || zone === undefined) return
    const volume = newVolume(claim, storageClass, { zone, handle: `vol-0${deps.random.hex(16)}` })
    try {
      await bind(claim, await client.create(persistentVolumes, volume))
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error
    }
  }

  function anyZoneOf(storageClass: StorageClass): string | undefined {
    const allowed = (storageClass.allowedTopologies ?? []).flatMap(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions
        .filter(({ key }) => key === labelZone || key === ebsZoneKey)
        .flatMap(({ values }) => values),
    )
    const zones = allowed.length > 0 ? allowed : deps.zones
    return zones[deps.random.below(Math.max(1, zones.length))]
  }

  async function bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { name, resourceVersion } = volume.metadata
    if (volume.spec.claimRef?.uid !== claim.metadata.uid) {
      const body = { metadata: { resourceVersion }, spec: { claimRef: referenceTo(claim) } }
      await client.patch(persistentVolumes, { name }, { kind: 'merge', body })
    }
    // As kube-controller-manager marks what it has bound; autoscalers take a claim without the mark for unbound.
    const chosen = claim.spec.volumeName === undefined ? { 'pv.kubernetes.io/bound-by-controller': 'yes' } : {}
    const annotations = { [bindCompletedAnnotation]: 'yes', ...chosen }
    const body = { metadata: { uid: claim.metadata.uid, annotations }, spec: { volumeName: name } }
    await client.patch(persistentVolumeClaims, keyOf(claim), { kind: 'merge', body })
    const asStatus = { subresource: 'status' } as const
    await client.patch(persistentVolumes, { name }, { kind: 'merge', body: { status: { phase: 'Bound' } } }, asStatus)
    const { accessModes = ['ReadWriteOnce'], capacity } = volume.spec
    const status = { phase: 'Bound', accessModes, capacity: { storage: capacity?.['storage'] } }
    await client.patch(persistentVolumeClaims, keyOf(claim), { kind: 'merge', body: { status } }, asStatus)
  }

  function tell(about: PersistentVolumeClaim, type: Told['type'], reason: string, message: string): void {
    deps.tell({ about, type, reason, message, by: { component: 'persistentvolume-controller' } })
  }
}
