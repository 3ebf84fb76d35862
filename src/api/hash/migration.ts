import type { KubeObject } from '../kubernetes.ts'
import { type Conditioned, conditionOf } from '../conditions.ts'

/** The pair of annotations that carry a static-drift hash. */
export interface HashAnnotations {
  readonly hash: string
  readonly version: string
}

/** A parent's present hash and the version of the algorithm it was computed with. */
export interface StampedHash {
  readonly hash: string
  readonly version: string
}

export type AnnotationPatch = Readonly<Record<string, string>>

export interface HashPlan {
  /** Claims to patch first, by position in the list given. If one fails, the parent must not be stamped: then all is tried again. */
  readonly claims: readonly { readonly index: number; readonly annotations: AnnotationPatch }[]
  /** Undefined when the parent carries the hash already. */
  readonly parent: AnnotationPatch | undefined
}

/**
 * What to write so that a NodePool or node class and its claims carry the present hash. A change of version, in either direction,
 * restamps the claims so that nothing drifts; a claim that is already drifted keeps its old hash and so stays drifted.
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
  return {
    claims: migrates
      ? claims.flatMap((claim, index) => {
          if (claim.metadata.annotations?.[keys.version] === present.version) return []
          const isDrifted = conditionOf(claim, 'Drifted') !== undefined
          const version = { [keys.version]: present.version }
          return [{ index, annotations: isDrifted ? version : { ...version, [keys.hash]: present.hash } }]
        })
      : [],
    parent: stale ? { [keys.hash]: present.hash, [keys.version]: present.version } : undefined,
  }
}

/** Static drift: both sides carry hashes of the same version and these differ. */
export function hashesDiffer(parent: KubeObject, claim: KubeObject, keys: HashAnnotations): boolean {
  const wanted = parent.metadata.annotations ?? {}
  const carried = claim.metadata.annotations ?? {}
  const complete = [wanted[keys.hash], wanted[keys.version], carried[keys.hash], carried[keys.version]].every(
    (text) => text !== undefined,
  )
  return complete && wanted[keys.version] === carried[keys.version] && wanted[keys.hash] !== carried[keys.hash]
}
