import { conditionOf, isConditionTrue } from '../api/conditions.ts'
import { nillableDurationMs } from '../api/duration.ts'
import {
  compareHash,
  hashesDiffer,
  nodePoolHash,
  nodePoolHashAnnotations,
  nodePoolHashVersion,
} from '../api/hash/index.ts'
import type { NodeClaim, NodePool } from '../api/karpenter.ts'
import {
  capacityTypeOnDemand,
  capacityTypeReserved,
  labelCapacityReservationID,
  labelCapacityReservationInterruptible,
  labelCapacityReservationType,
  labelCapacityType,
  labelInstanceType,
} from '../api/labels.ts'
import { parseTimestamp } from '../model/clock.ts'
import { byIdentity } from '../model/by-identity.ts'
import type { InstanceType } from '../model/instance-type.ts'
import { toRequirement } from '../model/requirement.ts'
import {
  isCompatible,
  type LabelAliases,
  labelRequirements,
  type Requirements,
  toRequirements,
} from '../model/requirements.ts'

/** What the claim says of itself, against what its pool says now; the provider's own findings come after these. */
export type ClaimDriftReason = 'NodePoolDrifted' | 'RequirementsDrifted'

const hashOf = byIdentity((pool: NodePool) => nodePoolHash(pool))

/** Objects are immutable, and each claim is looked at again every few minutes. */
const comparedWith = new WeakMap<
  NodeClaim,
  { readonly pool: NodePool; readonly aliases: LabelAliases; readonly reason: ClaimDriftReason | undefined }
>()

/** Drift that the two objects show by themselves. */
export function driftFromPool(claim: NodeClaim, pool: NodePool, aliases: LabelAliases): ClaimDriftReason | undefined {
  const known = comparedWith.get(claim)
  if (known?.pool === pool && known.aliases === aliases) return known.reason
  const reason = compareWithPool(claim, pool, aliases)
  comparedWith.set(claim, { pool, aliases, reason })
  return reason
}

function compareWithPool(claim: NodeClaim, pool: NodePool, aliases: LabelAliases): ClaimDriftReason | undefined {
  if (hashDiffers(claim, pool)) return 'NodePoolDrifted'
  const wanted = toRequirements(pool.spec.template.spec.requirements, aliases)
  return meetsRequirements(claim, wanted, aliases) ? undefined : 'RequirementsDrifted'
}

/** No leniency for well-known labels: a launched claim has been told all of them. */
export function meetsRequirements({ metadata }: NodeClaim, wanted: Requirements, aliases: LabelAliases): boolean {
  return isCompatible(labelRequirements(metadata.labels ?? {}, aliases), wanted)
}

/** The catalogue of a young claim is what it was launched from. */
export const instanceTypeAgeMs = 3_600_000

/** Whether the claim's instance type could no longer be chosen for the pool, whatever is available at the moment. */
export function isInstanceTypeGone(
  claim: NodeClaim,
  types: readonly InstanceType[],
  { aliases, wellKnownLabels }: { readonly aliases: LabelAliases; readonly wellKnownLabels: ReadonlySet<string> },
): boolean {
  const name = claim.metadata.labels?.[labelInstanceType]
  const type = types.find((candidate) => candidate.name === name)
  if (type === undefined) return true
  const labels = offeringLabels(claim, aliases)
  return !type.offerings.some(({ requirements }) => isCompatible(labels, requirements, wellKnownLabels))
}

export type ConsolidatableDecision = Readonly<
  | { kind: 'consolidatable' }
  | { kind: 'not'; because: 'consolidation is disabled' | "nodeclaim isn't initialized" }
  | {
      kind: 'not'
      because: 'consolidateAfter window not yet elapsed'
      remainingMs: number
      sincePodEventMs: number
      consolidateAfterMs: number
    }
>

/** When pods last came to the claim's node or left it, or else when it was ready for them. */
export function lastPodEventAt(claim: NodeClaim): number | undefined {
  return (
    parseTimestamp(claim.status?.lastPodEventTime) ??
    parseTimestamp(conditionOf(claim, 'Initialized')?.lastTransitionTime)
  )
}

/** Whether the claim's node has been without pod changes for long enough. */
export function decideConsolidatable(claim: NodeClaim, pool: NodePool, now: number): ConsolidatableDecision {
  const consolidateAfterMs = nillableDurationMs(pool.spec.disruption?.consolidateAfter ?? '0s')
  if (consolidateAfterMs === undefined) return { kind: 'not', because: 'consolidation is disabled' }
  if (!isConditionTrue(claim, 'Initialized')) return { kind: 'not', because: "nodeclaim isn't initialized" }
  const sincePodEventMs = now - (lastPodEventAt(claim) ?? now)
  if (consolidateAfterMs === 0 || sincePodEventMs >= consolidateAfterMs) return { kind: 'consolidatable' }
  return {
    kind: 'not',
    because: 'consolidateAfter window not yet elapsed',
    remainingMs: consolidateAfterMs - sincePodEventMs,
    sincePodEventMs,
    consolidateAfterMs,
  }
}

/**
 * Hashes of different versions cannot be compared. The pool's stamp comes a moment after its edit: a claim that is what the template asks
 * for now, because an edit was taken back or because it was made after one, does not drift meanwhile.
 */
function hashDiffers(claim: NodeClaim, pool: NodePool): boolean {
  return hashesDiffer(pool, claim, nodePoolHashAnnotations) && !isMadeFrom(claim, pool)
}

function isMadeFrom(claim: NodeClaim, pool: NodePool): boolean {
  const present = { hash: hashOf(pool), version: nodePoolHashVersion }
  return compareHash(claim, present, nodePoolHashAnnotations) === 'same'
}

/**
 * A reservation that ends leaves its instance running on demand, which is no reason to replace it: neither before nor after the label of
 * its capacity type has followed, which leaves behind whether the reservation could be interrupted.
 */
function offeringLabels(claim: NodeClaim, aliases: LabelAliases): Requirements {
  const labels = new Map(labelRequirements(claim.metadata.labels ?? {}, aliases))
  for (const key of [labelCapacityReservationID, labelCapacityReservationType, labelCapacityReservationInterruptible]) {
    labels.delete(key)
  }
  if (claim.metadata.labels?.[labelCapacityType] === capacityTypeReserved) {
    labels.set(labelCapacityType, toRequirement(labelCapacityType, 'In', [capacityTypeReserved, capacityTypeOnDemand]))
  }
  return labels
}
