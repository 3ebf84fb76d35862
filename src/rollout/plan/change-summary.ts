import { diffFields } from '../../api/field-diff.ts'
import {
  changedFields,
  ec2NodeClassHash,
  ec2NodeClassHashInput,
  nodePoolHash,
  nodePoolHashInput,
} from '../../api/hash/index.ts'
import type { EC2NodeClassSpec, NodeClaim, NodePool } from '../../api/karpenter.ts'
import { requirementChanges } from '../../disruption/pool-drift.ts'
import type { FieldChange } from '../../model/drift-finding.ts'
import { isCompatible, type LabelAliases, labelRequirements, toRequirements } from '../../model/requirements.ts'
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
  const common = { of: claims.length, isCertain: true }
  if (nodePoolHash(before) !== nodePoolHash(after)) {
    const fields = changedFields({ input: nodePoolHashInput(before) }, nodePoolHashInput(after))
    return { ...common, drifting: claims.length, fields }
  }
  const wantedBefore = toRequirements(before.spec.template.spec.requirements, aliases)
  const wanted = toRequirements(after.spec.template.spec.requirements, aliases)
  const drifting = claims.filter((claim) => {
    const labels = labelRequirements(claim.metadata.labels ?? {}, aliases)
    return isCompatible(labels, wantedBefore) && !isCompatible(labels, wanted)
  })
  const [first] = drifting
  return {
    ...common,
    drifting: drifting.length,
    fields: first === undefined ? [] : requirementChanges(first, after, aliases),
  }
}

/** `claims` are those of the class. */
export function classChangeSummary(
  before: EC2NodeClassSpec,
  after: EC2NodeClassSpec,
  claims: readonly NodeClaim[],
): ChangeSummary {
  const everyone = { drifting: claims.length, of: claims.length }
  // The CA bundle is the same on both sides, so any will do to compare.
  if (ec2NodeClassHash({ spec: before }, '') !== ec2NodeClassHash({ spec: after }, '')) {
    const input = ec2NodeClassHashInput({ spec: before }, '')
    return {
      ...everyone,
      fields: changedFields({ input }, ec2NodeClassHashInput({ spec: after }, '')),
      isCertain: true,
    }
  }
  const fields = selectors.flatMap((field) => diffFields(before[field], after[field], `spec.${field}`))
  if (fields.length > 0) return { ...everyone, fields, isCertain: false }
  const reserved = claims
    .map((claim) => reservationChanges(claim, before, after))
    .filter((changes) => changes.length > 0)
  const [changed = []] = reserved
  return { drifting: reserved.length, of: claims.length, fields: changed, isCertain: reserved.length === 0 }
}

/** What they find decides about drift of every node; what is found of reservations, only about nodes in one. */
const selectors = ['amiSelectorTerms', 'subnetSelectorTerms', 'securityGroupSelectorTerms'] as const
