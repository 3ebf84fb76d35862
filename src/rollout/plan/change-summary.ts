import { diffFields } from '../../api/field-diff.ts'
import {
  changedFields,
  ec2NodeClassHashAnnotations,
  ec2NodeClassHashInput,
  ec2NodeClassHashVersion,
  type HashAnnotations,
  nodePoolHash,
  nodePoolHashAnnotations,
  nodePoolHashInput,
  nodePoolHashVersion,
} from '../../api/hash/index.ts'
import type { EC2NodeClass, EC2NodeClassSpec, ImageRevision, NodeClaim, NodePool } from '../../api/karpenter.ts'
import { requirementChanges } from '../../disruption/pool-drift.ts'
import type { FieldChange } from '../../model/drift-finding.ts'
import { isCompatible, type LabelAliases, labelRequirements, toRequirements } from '../../model/requirements.ts'
import { imagesOfAliasAgain } from '../alias-images.ts'
import { classHash, residueOf } from './hash-stamps.ts'
import { reservationChanges } from './reservation-change.ts'

/** What a change of one object does to its nodes, as far as the object and the claims tell: cheap enough for an admission review. */
export interface ChangeSummary {
  /** Nodes that the change makes drift, of all that are made from the object. */
  readonly drifting: number
  readonly of: number
  readonly fields: readonly FieldChange[]
  /** False where only the cloud can tell whether something else is found. */
  readonly isCertain: boolean
}

/** `claims` are those of the pool. Durations must be readable. */
export function poolChangeSummary(
  before: NodePool,
  after: NodePool,
  claims: readonly NodeClaim[],
  aliases: LabelAliases,
): ChangeSummary {
  const [hashBefore, hash] = [nodePoolHash(before), nodePoolHash(after)]
  const wantedBefore = toRequirements(before.spec.template.spec.requirements, aliases)
  const wanted = toRequirements(after.spec.template.spec.requirements, aliases)
  const drifting = claims.filter((claim) => {
    const carried = carriedHash(claim, nodePoolHashAnnotations, nodePoolHashVersion) ?? hashBefore
    const labels = labelRequirements(claim.metadata.labels ?? {}, aliases)
    const isAsBefore = carried === hashBefore && isCompatible(labels, wantedBefore)
    return isAsBefore && (carried !== hash || !isCompatible(labels, wanted))
  })
  const [first] = drifting
  const fields = (claim: NodeClaim): readonly FieldChange[] =>
    hash === hashBefore
      ? requirementChanges(claim, after, aliases)
      : changedFields({ input: nodePoolHashInput(before) }, nodePoolHashInput(after))
  return {
    drifting: drifting.length,
    of: claims.length,
    fields: first === undefined ? [] : fields(first),
    isCertain: true,
  }
}

/** `claims` are those of the class, and `before` is stamped with its hash. */
export function classChangeSummary(
  before: Pick<EC2NodeClass, 'metadata' | 'status'> & { readonly spec: EC2NodeClassSpec },
  after: EC2NodeClassSpec,
  claims: readonly NodeClaim[],
): ChangeSummary {
  const of = claims.length
  const residue = residueOf(before)
  const [hashBefore, hash] = [classHash(before.spec, residue), classHash(after, residue)]
  const others =
    hash === hashBefore
      ? []
      : claims.filter((claim) => carriedHash(claim, ec2NodeClassHashAnnotations, ec2NodeClassHashVersion) !== hash)
  if (others.length > 0) {
    const input = ec2NodeClassHashInput(before, '')
    const fields = changedFields({ input }, ec2NodeClassHashInput({ spec: after }, ''))
    return { drifting: others.length, of, fields, isCertain: true }
  }
  const fields = selectors.flatMap((field) => diffFields(before.spec[field], after[field], `spec.${field}`))
  const otherImages = fields.every(({ path }) => path.startsWith('spec.amiSelectorTerms'))
    ? claimsOfOtherImages(claims, imagesOfAliasAgain(before, after))
    : undefined
  if (otherImages !== undefined && otherImages.length > 0) {
    return { drifting: otherImages.length, of, fields, isCertain: true }
  }
  if (fields.length > 0 && otherImages === undefined) return { drifting: of, of, fields, isCertain: false }
  const reserved = claims
    .map((claim) => reservationChanges(claim, before.spec, after))
    .filter((changes) => changes.length > 0)
  const [changed = []] = reserved
  return { drifting: reserved.length, of, fields: changed, isCertain: reserved.length === 0 }
}

/** Undefined where nobody knows the images. */
function claimsOfOtherImages(
  claims: readonly NodeClaim[],
  found: ImageRevision | undefined,
): readonly NodeClaim[] | undefined {
  if (found === undefined) return undefined
  const ids = new Set(found.images.map(({ id }) => id))
  return claims.filter(({ status: { imageID = '' } = {} }) => imageID !== '' && !ids.has(imageID))
}

/** Undefined where a claim says nothing that could be compared. */
function carriedHash({ metadata }: NodeClaim, keys: HashAnnotations, version: string): string | undefined {
  const { annotations = {} } = metadata
  return annotations[keys.version] === version ? annotations[keys.hash] : undefined
}

/** What they find decides about drift of every node; what is found of reservations, only about nodes in one. */
const selectors = ['amiSelectorTerms', 'subnetSelectorTerms', 'securityGroupSelectorTerms'] as const
