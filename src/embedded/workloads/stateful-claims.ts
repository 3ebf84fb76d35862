import type { PersistentVolumeClaim, Pod, StatefulSet, Unsaved } from '../../api/kubernetes.ts'
import { type Cache, type Source, source } from '../../kube/controller.ts'
import { hasCode } from '../../kube/errors.ts'
import { persistentVolumeClaims } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { setOwners } from './claim.ts'
import { controllerReference } from './ownership.ts'

/** Wakes the controller of a set for each change of a claim that one of its pods has or would have. */
export function claimsSource(sets: Cache<StatefulSet>): Source {
  return source(persistentVolumeClaims, ({ before, after }) => {
    const { name, namespace = '' } = (after ?? before).metadata
    const ordinal = /\d+$/.exec(name)?.[0]
    if (ordinal === undefined) return []
    return sets
      .by('namespace', namespace)
      .filter((set) => claimNames(set, Number(ordinal)).includes(name))
      .map(keyOf)
  })
}

export function claimName(set: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`
}

function claimNames(set: StatefulSet, ordinal: number): readonly string[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => claimName(set, metadata.name ?? 'data', ordinal))
}

export async function createClaims({ client, caches }: EmbeddedDeps, set: StatefulSet, ordinal: number): Promise<void> {
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(set, template.metadata.name ?? 'data', ordinal)
    if (caches.of(persistentVolumeClaims).get({ namespace: set.metadata.namespace, name }) !== undefined) continue
    const claim: Unsaved<PersistentVolumeClaim> = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name,
        ...(set.metadata.namespace === undefined ? {} : { namespace: set.metadata.namespace }),
        labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
      },
      spec: template.spec,
    }
    try {
      await client.create(persistentVolumeClaims, claim)
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error
    }
  }
}

interface Claimed {
  readonly set: StatefulSet
  readonly pod: Pod
  readonly ordinal: number
  /** Whether the set has fewer pods now than this one's ordinal asks for. */
  readonly surplus: boolean
}

/**
 * Makes the claims of a pod go with the set, with the pod, or with neither, as `persistentVolumeClaimRetentionPolicy` has it. False
 * where one has changed meanwhile, which comes up by itself.
 */
export async function goWithTheirOwners(deps: EmbeddedDeps, claimed: Claimed): Promise<boolean> {
  let settled = true
  for (const claim of claimsOf(deps, claimed.set, claimed.ordinal)) {
    const references = wantedOwners(claim, claimed)
    if (references === undefined) continue
    if ((await setOwners(deps, persistentVolumeClaims, claim, references)) === undefined) settled = false
  }
  return settled
}

/** Whether a claim still has as its owner the pod that had this ordinal before the set had fewer: it is about to go. */
export function hasOwnersThatWent(deps: EmbeddedDeps, set: StatefulSet, ordinal: number): boolean {
  const name = `${set.metadata.name}-${ordinal}`
  return claimsOf(deps, set, ordinal).some(({ metadata }) =>
    metadata.ownerReferences?.some((owner) => owner.kind === 'Pod' && owner.name === name),
  )
}

function claimsOf({ caches }: EmbeddedDeps, set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  const { namespace } = set.metadata
  const known = caches.of(persistentVolumeClaims)
  return claimNames(set, ordinal)
    .map((name) => known.get({ namespace, name }))
    .filter((claim) => claim !== undefined)
}

/** Undefined where nothing changes: its owner is right, or is somebody else's business. */
function wantedOwners({ metadata }: PersistentVolumeClaim, { set, pod, surplus }: Claimed) {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {}
  const wanted = surplus && whenScaled === 'Delete' ? pod : whenDeleted === 'Delete' ? set : undefined
  const references = metadata.ownerReferences ?? []
  const ours = references.filter(({ uid }) => uid === set.metadata.uid || uid === pod.metadata.uid)
  const others = references.filter((reference) => !ours.includes(reference))
  if (ours.length === (wanted === undefined ? 0 : 1) && ours.every(({ uid }) => uid === wanted?.metadata.uid)) return
  if (wanted !== undefined && others.some(({ controller }) => controller === true)) return
  return wanted === undefined ? others : [...others, controllerReference(wanted)]
}
