import { conditionOf, isConditionTrue } from '../../api/conditions.ts'
import { diffFields } from '../../api/field-diff.ts'
import {
  changedFields,
  ec2NodeClassHashAnnotations,
  ec2NodeClassHashInput,
  type HashAnnotations,
  hashesDiffer,
  nodePoolHashAnnotations,
  nodePoolHashInput,
  recordOf,
} from '../../api/hash/index.ts'
import { isRecord, memberOf } from '../../api/json.ts'
import type { EC2NodeClass, EC2NodeClassSpec, NodeClaim, NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import type { LabelVocabulary } from '../../api/label-rules.ts'
import { driftFromPool, instanceTypeAgeMs, isInstanceTypeGone } from '../../disruption/conditions.ts'
import { instanceTypeGone, requirementChanges } from '../../disruption/pool-drift.ts'
import { parseTimestamp } from '../../model/clock.ts'
import type { DriftFinding, FieldChange } from '../../model/drift-finding.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { ownDriftOf } from '../own-drift.ts'
import type { ProviderDrift } from './input.ts'

/** One claim before what is asked for now and what would be asked for. */
export interface DriftQuestion {
  readonly claim: NodeClaim
  /** Undefined where there is none now. */
  readonly presentPool: NodePool | undefined
  readonly presentClass: EC2NodeClass | undefined
  /** Stamped. */
  readonly pool: NodePool
  /** Stamped; undefined when it is gone or going, and then the provider says nothing. */
  readonly nodeClass: EC2NodeClass | undefined
  readonly types: ReturnType<Snapshot['instanceTypes']['get']>
  /** That governs the pool. */
  readonly policy: RolloutPolicy | undefined
}

export interface DriftOptions {
  readonly vocabulary: LabelVocabulary
  readonly providerDrift: ProviderDrift
  readonly now: number
  /** Fields that were told for one claim, for others that were made of the same. Filled as it goes. */
  readonly told: Map<string, readonly FieldChange[]>
}

/** Reasons that rest on what only the cloud shows: what the controllers found stays true while the class selects in the same way. */
const observedReasons: ReadonlyMap<string, keyof EC2NodeClassSpec> = new Map([
  ['SecurityGroupDrift', 'securityGroupSelectorTerms'],
  ['SubnetDrift', 'subnetSelectorTerms'],
  ['CapacityReservationDrift', 'capacityReservationSelectorTerms'],
  ['PlacementGroupDrift', 'placementGroupSelector'],
])

/** What the controllers would say of the claim once the proposal is applied, with the fields that make the difference. */
export function driftVerdict(question: DriftQuestion, options: DriftOptions): DriftFinding | undefined {
  const { claim, pool, types } = question
  const launched = conditionOf(claim, 'Launched')
  if (launched !== undefined && launched.status !== 'True') return undefined
  const { aliases, wellKnown } = options.vocabulary
  const own = driftFromPool(claim, pool, aliases)
  if (own === 'NodePoolDrifted')
    return {
      reason: own,
      fields: once(options, stampKey(claim, pool, nodePoolHashAnnotations), () => poolFields(question)),
    }
  if (own !== undefined) return { reason: own, fields: requirementChanges(claim, pool, aliases) }
  const createdAt = parseTimestamp(claim.metadata.creationTimestamp) ?? options.now
  if (types?.kind === 'resolved' && options.now - createdAt > instanceTypeAgeMs) {
    const gone = isInstanceTypeGone(claim, types.types, { aliases, wellKnownLabels: wellKnown })
    if (gone) return instanceTypeGone(claim, types.types)
  }
  return classDrift(question, options) ?? askedDrift(question, options)
}

function classDrift(question: DriftQuestion, options: DriftOptions): DriftFinding | undefined {
  const { claim, nodeClass } = question
  if (nodeClass === undefined) return undefined
  if (hashesDiffer(nodeClass, claim, ec2NodeClassHashAnnotations)) {
    const key = stampKey(claim, nodeClass, ec2NodeClassHashAnnotations)
    return { reason: 'NodeClassDrift', fields: once(options, key, () => classFields(question, nodeClass)) }
  }
  return options.providerDrift(claim, nodeClass) ?? observedDrift(question)
}

/** What annotations and the policy ask for, where nothing else makes the node drift. */
function askedDrift({ claim, ...asking }: DriftQuestion, { now }: DriftOptions): DriftFinding | undefined {
  const own = ownDriftOf(claim, asking, now)
  return own.kind === 'drifted' ? { reason: own.reason, fields: [], detail: own.detail } : undefined
}

/** Of the claim as its condition has it, where nothing that the finding rests on changes. */
function observedDrift({ claim, presentClass, nodeClass }: DriftQuestion): DriftFinding | undefined {
  if (!isConditionTrue(claim, 'Drifted')) return undefined
  const { reason = '', message = '' } = conditionOf(claim, 'Drifted') ?? {}
  const field = observedReasons.get(reason)
  if (field === undefined || diffFields(presentClass?.spec?.[field], nodeClass?.spec?.[field], '').length > 0) {
    return undefined
  }
  return message === '' || message === reason
    ? { reason, fields: [] }
    : { reason, fields: [], detail: message.startsWith(`${reason}: `) ? message.slice(reason.length + 2) : message }
}

function once({ told }: DriftOptions, key: string, tell: () => readonly FieldChange[]): readonly FieldChange[] {
  const known = told.get(key)
  if (known !== undefined) return known
  const fields = tell()
  told.set(key, fields)
  return fields
}

/** Claims of one pool or class with the same stamp and the same record differ from it in the same fields. */
function stampKey(claim: NodeClaim, from: NodePool | EC2NodeClass, keys: HashAnnotations): string {
  const { annotations = {} } = claim.metadata
  return JSON.stringify([from.kind, from.metadata.name, annotations[keys.hash], annotations[keys.input]])
}

function poolFields({ claim, pool, presentPool }: DriftQuestion): readonly FieldChange[] {
  const record = recordOf(claim, nodePoolHashAnnotations)?.input
  const before = record ?? (presentPool === undefined ? undefined : nodePoolHashInput(presentPool))
  return before === undefined ? [] : changedFields({ input: before }, nodePoolHashInput(pool))
}

function classFields({ claim, presentClass }: DriftQuestion, nodeClass: EC2NodeClass): readonly FieldChange[] {
  const record = recordOf(claim, ec2NodeClassHashAnnotations)?.input['spec']
  const before = record ?? specInput(presentClass)
  const after = sameUserData(specInput(nodeClass), before)
  return before === undefined ? [] : changedFields({ input: { spec: before } }, { spec: after })
}

/** Without the CA bundle, which is the cluster's and not the class's. */
function specInput(nodeClass: EC2NodeClass | undefined): unknown {
  return nodeClass?.spec === undefined ? undefined : ec2NodeClassHashInput({ spec: nodeClass.spec }, '')['spec']
}

/** A snapshot has user data as its digest, a record as a shorter one: as long as one begins like the other, they are the same. */
function sameUserData(after: unknown, before: unknown): unknown {
  const [now, then] = [memberOf(after, 'userData'), memberOf(before, 'userData')]
  if (typeof now !== 'string' || typeof then !== 'string' || !isRecord(after)) return after
  return now.slice(0, digestShown) === then.slice(0, digestShown) ? { ...after, userData: then } : after
}

/** `sha256:` and sixteen digits. */
const digestShown = 23
