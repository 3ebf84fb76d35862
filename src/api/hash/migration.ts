import type { KubeObject } from '../kubernetes.ts'
import { type Conditioned, conditionOf } from '../conditions.ts'
import { type HashRecord, recordOf, recordText } from './record.ts'

/** The annotations that carry a static-drift hash, and on claims what it was made of. */
export interface HashAnnotations {
  readonly hash: string
  readonly version: string
  readonly input: string
}

/** A parent's present hash and the version of the algorithm it was computed with. */
export interface StampedHash {
  readonly hash: string
  readonly version: string
  /** What it was computed from; without it no records are planned. */
  readonly input?: HashRecord['input']
}

export type AnnotationPatch = Readonly<Record<string, string>>

export interface HashPlan {
  /** Claims to patch first, by position in the list given. If one fails, the parent must not be stamped: then all is tried again. */
  readonly claims: readonly { readonly index: number; readonly annotations: AnnotationPatch }[]
  /** Undefined when the parent carries the hash already. */
  readonly parent: AnnotationPatch | undefined
  /** Claims of the present hash that lack its record, launched by another controller perhaps: what they were made of is known now. */
  readonly records: HashPlan['claims']
}

/**
 * What to write so that a NodePool or node class and its claims carry the present hash. A change of version, in either direction,
 * restamps the claims so that nothing drifts; a claim that is already drifted keeps its old hash, and the record of it, and so stays drifted.
 */
export function planHashStamps(
  parent: KubeObject,
  claims: readonly (KubeObject & Conditioned)[],
  present: StampedHash,
  keys: HashAnnotations,
): HashPlan {
  const carried = parent.metadata.annotations ?? {}
  const migrates = carried[keys.version] !== present.version
  const stale = migrates || carried[keys.hash] !== present.hash
  const recorded = (claim: KubeObject): AnnotationPatch => {
    if (present.input === undefined) return {}
    const image = recordOf(claim, keys)?.image
    const generation = parent.metadata.generation ?? 0
    const record = { generation, hash: present.hash, input: present.input, ...(image && { image }) }
    return { [keys.input]: recordText(record) }
  }
  return {
    claims: migrates
      ? claims.flatMap((claim, index) => {
          if (claim.metadata.annotations?.[keys.version] === present.version) return []
          const version = { [keys.version]: present.version }
          if (conditionOf(claim, 'Drifted') !== undefined) return [{ index, annotations: version }]
          return [{ index, annotations: { ...version, [keys.hash]: present.hash, ...recorded(claim) } }]
        })
      : [],
    parent: stale ? { [keys.hash]: present.hash, [keys.version]: present.version } : undefined,
    records: claims.flatMap((claim, index) =>
      present.input !== undefined && lacksRecord(claim, present, keys) ? [{ index, annotations: recorded(claim) }] : [],
    ),
  }
}

function lacksRecord({ metadata }: KubeObject, present: StampedHash, keys: HashAnnotations): boolean {
  const { annotations = {}, deletionTimestamp } = metadata
  if (annotations[keys.hash] !== present.hash || annotations[keys.version] !== present.version) return false
  // Every record of ours names its hash so; parsing thousands of them at every look would cost more than it tells.
  return annotations[keys.input]?.includes(`"hash":"${present.hash}"`) !== true && deletionTimestamp === undefined
}

/** A hash as it is now, computed from the spec: the annotation may lag a moment behind. */
export interface PresentHash {
  readonly hash: string
  readonly version: string
}

/** Whether a claim carries this hash. Hashes of different versions say nothing about each other. */
export function compareHash(
  { metadata }: KubeObject,
  present: PresentHash,
  keys: HashAnnotations,
): 'same' | 'other' | 'incomparable' {
  const { [keys.hash]: hash, [keys.version]: version } = metadata.annotations ?? {}
  if (hash === undefined || version !== present.version) return 'incomparable'
  return hash === present.hash ? 'same' : 'other'
}

/** Static drift: both sides carry hashes of the same version and these differ. */
export function hashesDiffer({ metadata }: KubeObject, claim: KubeObject, keys: HashAnnotations): boolean {
  const { [keys.hash]: hash, [keys.version]: version } = metadata.annotations ?? {}
  return hash !== undefined && version !== undefined && compareHash(claim, { hash, version }, keys) === 'other'
}
