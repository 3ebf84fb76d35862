import type { CSINode, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../api/kubernetes.ts'
import type { Caches } from '../../kube/controller.ts'
import { csiNodes, persistentVolumeClaims, persistentVolumes, storageClasses } from '../../kube/kinds.ts'
import { labelOf } from '../../model/label-selector.ts'
import { canReach, matchingVolumes, reservedVolume, volumeCache } from '../storage/static-volumes.ts'
import type { NodeState } from './node-state.ts'

/** The claim that a provisioner serves once the scheduler has chosen a node. */
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node'

/** Of a claim that has its volume; one that only names a volume may not get it. */
export const bindCompletedAnnotation = 'pv.kubernetes.io/bind-completed'

/** Of classes whose volumes people make. */
export const noProvisioner = 'kubernetes.io/no-provisioner'

/** A claim that waits for its first consumer. */
interface WaitingClaim {
  readonly claim: PersistentVolumeClaim
  readonly storageClass: StorageClass
  /** A volume that is the claim's already, though not bound yet. */
  readonly reserved: PersistentVolume | undefined
  /** Free volumes that people made and that would do, the best first. */
  readonly made: readonly PersistentVolume[]
}

export type VolumeState =
  | { readonly kind: 'missing'; readonly message: string }
  | {
      readonly kind: 'known'
      readonly bound: readonly PersistentVolume[]
      readonly waiting: readonly WaitingClaim[]
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
  const waiting: WaitingClaim[] = []
  for (const name of claimNames(pod)) {
    const claim = caches.of(persistentVolumeClaims).get({ namespace: pod.metadata.namespace, name })
    if (claim === undefined) return { kind: 'missing', message: `persistentvolumeclaim "${name}" not found` }
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { kind: 'missing', message: `persistentvolumeclaim "${name}" is being deleted` }
    }
    const { volumeName = '' } = claim.spec
    if (volumeName !== '' && claim.metadata.annotations?.[bindCompletedAnnotation] !== undefined) {
      const volume = caches.of(persistentVolumes).get({ name: volumeName })
      if (volume === undefined) return { kind: 'missing', message: `persistentvolume "${volumeName}" not found` }
      bound.push(volume)
      continue
    }
    const storageClass = caches.of(storageClasses).get({ name: claim.spec.storageClassName ?? '' })
    if (storageClass?.volumeBindingMode !== 'WaitForFirstConsumer' || volumeName !== '') {
      return { kind: 'missing', message: 'pod has unbound immediate PersistentVolumeClaims' }
    }
    const reserved = reservedVolume(claim, volumeCache(caches))
    waiting.push({ claim, storageClass, reserved, made: matchingVolumes(claim, volumeCache(caches)) })
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
  if (!state.bound.every((volume) => canReach(node, volume))) return 'affinity'
  const chosen = madeVolumesFor(state.waiting, node)
  for (const { claim, storageClass, reserved } of state.waiting) {
    if (chosen.has(claim)) continue
    if (reserved !== undefined) return 'affinity'
    if (storageClass.provisioner === noProvisioner) return 'topology'
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

/** Which of the volumes that people made each claim gets if its pod goes to the node; claims that get none need a new one. */
export function madeVolumesFor(
  waiting: readonly WaitingClaim[],
  node: Node,
): ReadonlyMap<PersistentVolumeClaim, PersistentVolume> {
  const chosen = new Map<PersistentVolumeClaim, PersistentVolume>()
  for (const { claim, reserved, made } of waiting) {
    const taken = new Set(chosen.values())
    const candidates = reserved === undefined ? made : [reserved]
    const volume = candidates.find((each) => !taken.has(each) && canReach(node, each))
    if (volume !== undefined) chosen.set(claim, volume)
  }
  return chosen
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
