import type { CSINode, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../api/kubernetes.ts'
import type { Caches } from '../../kube/controller.ts'
import { csiNodes, persistentVolumeClaims, persistentVolumes, storageClasses } from '../../kube/kinds.ts'
import { labelOf } from '../../model/label-selector.ts'
import { matchesAnyTerm } from './node-selection.ts'
import type { NodeState } from './node-state.ts'

/** The claim that a provisioner serves once the scheduler has chosen a node. */
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node'

export type VolumeState =
  | { readonly kind: 'missing'; readonly message: string }
  | {
      readonly kind: 'known'
      readonly bound: readonly PersistentVolume[]
      /** Claims that wait for their first consumer. */
      readonly waiting: readonly { readonly claim: PersistentVolumeClaim; readonly storageClass: StorageClass }[]
    }

/** The claims of a pod, generic ephemeral volumes included. */
export function claimNames(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return [volume.persistentVolumeClaim.claimName]
    return volume.ephemeral === undefined ? [] : [`${pod.metadata.name}-${volume.name}`]
  })
}

export function volumeState(pod: Pod, caches: Caches): VolumeState {
  const bound: PersistentVolume[] = []
  const waiting: { claim: PersistentVolumeClaim; storageClass: StorageClass }[] = []
  for (const name of claimNames(pod)) {
    const claim = caches.of(persistentVolumeClaims).get({ namespace: pod.metadata.namespace, name })
    if (claim === undefined) return { kind: 'missing', message: `persistentvolumeclaim "${name}" not found` }
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { kind: 'missing', message: `persistentvolumeclaim "${name}" is being deleted` }
    }
    if (claim.spec.volumeName !== undefined && claim.spec.volumeName !== '') {
      const volume = caches.of(persistentVolumes).get({ name: claim.spec.volumeName })
      if (volume === undefined)
        return { kind: 'missing', message: `persistentvolume "${claim.spec.volumeName}" not found` }
      bound.push(volume)
      continue
    }
    const storageClass = caches.of(storageClasses).get({ name: claim.spec.storageClassName ?? '' })
    if (storageClass?.volumeBindingMode !== 'WaitForFirstConsumer') {
      return { kind: 'missing', message: 'pod has unbound immediate PersistentVolumeClaims' }
    }
    waiting.push({ claim, storageClass })
  }
  return { kind: 'known', bound, waiting }
}

export type VolumeRefusal = 'affinity' | 'topology' | 'limit'

export function volumeRefusal(
  state: Extract<VolumeState, { kind: 'known' }>,
  nodeState: NodeState,
  caches: Caches,
): VolumeRefusal | undefined {
  const { node } = nodeState
  for (const { spec } of state.bound) {
    const terms = spec.nodeAffinity?.required?.nodeSelectorTerms
    if (terms !== undefined && !matchesAnyTerm(terms, node)) return 'affinity'
  }
  for (const { storageClass } of state.waiting) {
    const terms = storageClass.allowedTopologies ?? []
    const allowed =
      terms.length === 0 ||
      terms.some(({ matchLabelExpressions = [] }) =>
        matchLabelExpressions.every(({ key, values }) => values.includes(labelOf(node.metadata.labels, key) ?? '')),
      )
    if (!allowed) return 'topology'
  }
  return exceedsLimit(state, nodeState, caches) ? 'limit' : undefined
}

function exceedsLimit(
  state: Extract<VolumeState, { kind: 'known' }>,
  { name, pods }: NodeState,
  caches: Caches,
): boolean {
  if (state.bound.length + state.waiting.length === 0) return false
  const limits = limitsOf(caches.of(csiNodes).get({ name }))
  if (limits.size === 0) return false
  const used = new Map<string, Set<string>>()
  const use = (driver: string | undefined, volume: string) => {
    if (driver === undefined) return
    const volumes = used.get(driver) ?? new Set<string>()
    used.set(driver, volumes.add(volume))
  }
  const collect = (found: VolumeState) => {
    if (found.kind === 'missing') return
    for (const { metadata, spec } of found.bound) use(spec.csi?.driver, metadata.name)
    for (const { claim, storageClass } of found.waiting) use(storageClass.provisioner, `claim/${claim.metadata.uid}`)
  }
  for (const pod of pods) collect(volumeState(pod, caches))
  const before = new Map([...used].map(([driver, volumes]) => [driver, volumes.size]))
  collect(state)
  return [...used].some(([driver, volumes]) => {
    const limit = limits.get(driver)
    return limit !== undefined && volumes.size > limit && volumes.size > (before.get(driver) ?? 0)
  })
}

function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  return new Map(
    (csiNode?.spec.drivers ?? []).flatMap(({ name, allocatable }) =>
      allocatable?.count === undefined ? [] : [[name, allocatable.count] as const],
    ),
  )
}
