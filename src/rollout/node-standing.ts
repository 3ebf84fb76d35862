import { conditionOf, isConditionTrue } from '../api/conditions.ts'
import {
  compareHash,
  ec2NodeClassHashAnnotations,
  type HashAnnotations,
  nodePoolHashAnnotations,
  type PresentHash,
  recordOf,
} from '../api/hash/index.ts'
import type { EC2NodeClass, NodeClaim, NodePool } from '../api/karpenter.ts'
import { byIdentity } from '../model/by-identity.ts'
import { parseTimestamp } from '../model/clock.ts'
import { meetsRequirements } from '../disruption/conditions.ts'
import { type LabelAliases, type Requirements, toRequirements } from '../model/requirements.ts'

/** What nodes would be made of now. */
export interface Wanted {
  readonly pool: PresentHash | undefined
  readonly nodeClass: PresentHash | undefined
  /** Of the pool's template: no hash covers them. */
  readonly requirements: WantedRequirements | undefined
  /** Ids of the images of the class; none: not resolved. */
  readonly images: readonly string[]
}

/** What the labels of a launched node have to meet. */
export interface WantedRequirements {
  /** Tells these from others. */
  readonly text: string
  readonly requirements: Requirements
  readonly aliases: LabelAliases
}

export function wantedRequirements({ spec }: NodePool, aliases: LabelAliases): WantedRequirements {
  const { requirements } = spec.template.spec
  return { text: JSON.stringify(requirements), requirements: toRequirements(requirements, aliases), aliases }
}

/** Drift that comes of the pool or of the claim's age, not of its class. */
const notOfClass: ReadonlySet<string> = new Set([
  'NodePoolDrifted',
  'RequirementsDrifted',
  'InstanceTypeNotFound',
  'Retiring',
  'RestartRequested',
  'SoftExpired',
])

/** Found before the class is asked: what its subnets and security groups say of the node then, nobody has looked. */
const foundBeforeClass: ReadonlySet<string> = new Set([
  'NodePoolDrifted',
  'RequirementsDrifted',
  'InstanceTypeNotFound',
])

/** Whether a reason of drift lies in the node class. */
export function isOfClass(reason: string): boolean {
  return !notOfClass.has(reason)
}

export interface ClaimDrift {
  /** As the Drifted condition says it, or will say it. */
  readonly reason: string
  /** When the condition was set, in ms since the epoch; undefined where a comparison tells, for all nodes of one change at once. */
  readonly since: number | undefined
}

/**
 * Why a node is not as it is wanted; undefined for one that is. The Drifted condition follows a change by a moment, in which a fleet must
 * not look as if nothing had to be done, or as if what has to be done were still what it was: so hashes, requirements and images are
 * compared first, and the condition is asked for the rest.
 */
export function claimDrift(claim: NodeClaim, wanted: Wanted): ClaimDrift | undefined {
  const seen = differsFromPool(claim, wanted) ?? differsFromClass(claim, wanted)
  if (seen !== undefined) return { reason: seen, since: undefined }
  const drifted = conditionOf(claim, 'Drifted')
  if (drifted?.status !== 'True') return undefined
  const { reason = 'Drifted', lastTransitionTime } = drifted
  // It says so still, though the image is one of those wanted again.
  if (reason === 'AMIDrift' && wanted.images.includes(claim.status?.imageID ?? '')) return undefined
  return { reason, since: parseTimestamp(lastTransitionTime) }
}

/**
 * The same for the class alone: a node that only its pool wants replaced is as the class wants it, unless the class was edited since. What
 * selects subnets and security groups is in no hash, and a class that says too early that it is finished is worse than one that says it late.
 */
export function outdatedForClass(claim: NodeClaim, wanted: Wanted, nodeClass: AskedClass): string | undefined {
  const drifted = conditionOf(claim, 'Drifted')
  const reason = drifted?.status === 'True' ? (drifted.reason ?? 'Drifted') : undefined
  if (reason !== undefined && !notOfClass.has(reason)) return reason
  const { restartAt, generation } = nodeClass
  const createdAt = parseTimestamp(claim.metadata.creationTimestamp)
  if (restartAt !== undefined && createdAt !== undefined && createdAt < restartAt) return 'RestartRequested'
  const differs = differsFromClass(claim, wanted)
  if (differs !== undefined) return differs
  return reason !== undefined && foundBeforeClass.has(reason) && madeFrom(claim) < generation ? reason : undefined
}

/** What a class asks of its nodes beside what they are made of. */
export interface AskedClass {
  /** Nodes made before are to be replaced; ms since the epoch. */
  readonly restartAt: number | undefined
  /** The present metadata.generation. */
  readonly generation: number
}

/** The generation of the class that a claim was made from; the first where there is no record of it. */
const madeFrom = byIdentity(
  (claim: NodeClaim): number => recordOf(claim, ec2NodeClassHashAnnotations)?.generation ?? firstGeneration,
)

const firstGeneration = 1

/** Ids of the images that a class resolves to now. */
export function wantedImages(nodeClass: EC2NodeClass | undefined): readonly string[] {
  return (nodeClass?.status?.amis ?? []).map(({ id }) => id)
}

function differsFromPool(claim: NodeClaim, { pool, requirements }: Wanted): string | undefined {
  if (hasOtherHash(claim, pool, nodePoolHashAnnotations)) return 'NodePoolDrifted'
  return requirements === undefined || meets(claim, requirements) ? undefined : 'RequirementsDrifted'
}

function differsFromClass(claim: NodeClaim, { nodeClass, images }: Wanted): string | undefined {
  if (hasOtherHash(claim, nodeClass, ec2NodeClassHashAnnotations)) return 'NodeClassDrift'
  const image = claim.status?.imageID ?? ''
  const isLaunched = image !== '' && isConditionTrue(claim, 'Launched')
  return isLaunched && images.length > 0 && !images.includes(image) ? 'AMIDrift' : undefined
}

/** Objects are immutable, and a large pool is counted every second while it moves. */
const met = new WeakMap<NodeClaim, { readonly text: string; readonly is: boolean }>()

/** Until it is launched, a claim does not carry what its node will be. */
function meets(claim: NodeClaim, { text, requirements, aliases }: WantedRequirements): boolean {
  if (!isConditionTrue(claim, 'Launched')) return true
  const known = met.get(claim)
  if (known?.text === text) return known.is
  const is = meetsRequirements(claim, requirements, aliases)
  met.set(claim, { text, is })
  return is
}

function hasOtherHash(claim: NodeClaim, present: PresentHash | undefined, keys: HashAnnotations): boolean {
  return present !== undefined && compareHash(claim, present, keys) === 'other'
}
