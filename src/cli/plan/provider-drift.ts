import { diffFields } from '../../api/field-diff.ts'
import type { EC2NodeClass, NodeClaim, SecurityGroupSelectorTerm, SubnetSelectorTerm } from '../../api/karpenter.ts'
import { labelInstanceType, labelNodePool, labelZone } from '../../api/labels.ts'
import { amiFor } from '../../cloud/aws/ami/map-types.ts'
import type { DriftFinding, FieldChange } from '../../model/drift-finding.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { compareText } from '../../model/order.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { ProviderDrift } from '../../rollout/plan/input.ts'
import { reservationChanges } from '../../rollout/plan/reservation-change.ts'
import type { ResolvedClass } from './images.ts'

export interface ProviderFacts {
  /** As they are now, with what their selectors find in status. */
  readonly presentClasses: readonly EC2NodeClass[]
  /** What selectors would find, by class, as far as somebody has said so. */
  readonly resolved: ReadonlyMap<string, ResolvedClass>
  /** By pool, as proposed. */
  readonly instanceTypes: Snapshot['instanceTypes']
}

/**
 * What the cloud would find different, judged without asking it. A selector that changes finds what its ids say, or what `resolved`
 * says; where neither is known, the nodes count as drifted: a plan rather warns of too much.
 */
export function offlineProviderDrift(facts: ProviderFacts): ProviderDrift {
  const present = new Map(facts.presentClasses.map((nodeClass) => [nodeClass.metadata.name, nodeClass]))
  const types = new Map<string, ReadonlyMap<string, InstanceType>>()
  for (const [pool, list] of facts.instanceTypes) {
    if (list.kind === 'resolved') types.set(pool, new Map(list.types.map((type) => [type.name, type])))
  }
  return (claim, nodeClass) => {
    const { labels = {} } = claim.metadata
    const question: Question = {
      claim,
      before: present.get(nodeClass.metadata.name),
      after: nodeClass,
      resolved: facts.resolved.get(nodeClass.metadata.name),
      type: types.get(labels[labelNodePool] ?? '')?.get(labels[labelInstanceType] ?? ''),
    }
    return imageDrift(question) ?? securityGroupDrift(question) ?? subnetDrift(question) ?? reservationDrift(question)
  }
}

/** Classes whose images cannot be known offline: their selector changes, and nobody has said what it finds. */
export function unresolvedImages(
  presentClasses: readonly EC2NodeClass[],
  proposedClasses: readonly EC2NodeClass[],
  resolved: ReadonlyMap<string, ResolvedClass>,
): ReadonlySet<string> {
  const present = new Map(presentClasses.map((nodeClass) => [nodeClass.metadata.name, nodeClass]))
  return new Set(
    proposedClasses.flatMap((nodeClass) => {
      const { name } = nodeClass.metadata
      if (resolved.get(name)?.amis !== undefined) return []
      const before = present.get(name)
      const isNew = before === undefined
      return isNew || selectorChanges(before, nodeClass, 'amiSelectorTerms').length > 0 ? [name] : []
    }),
  )
}

interface Question {
  readonly claim: NodeClaim
  readonly before: EC2NodeClass | undefined
  readonly after: EC2NodeClass
  readonly resolved: ResolvedClass | undefined
  readonly type: InstanceType | undefined
}

function imageDrift({ claim, before, after, resolved, type }: Question): DriftFinding | undefined {
  const imageID = claim.status?.imageID
  if (imageID === undefined || imageID === '') return undefined
  const changes = selectorChanges(before, after, 'amiSelectorTerms')
  const found = (fields: readonly FieldChange[]): DriftFinding => ({ reason: 'AMIDrift', fields })
  const terms = after.spec?.amiSelectorTerms ?? []
  const ids = terms.flatMap(({ id }) => id ?? [])
  const isByID = terms.length > 0 && ids.length === terms.length
  const amis = resolved?.amis ?? (changes.length === 0 ? before?.status?.amis : undefined)
  if (amis === undefined || amis.length === 0) {
    // Images by id and no word about their architecture: one that is named still counts as right.
    if (changes.length === 0 || (isByID && ids.includes(imageID))) return undefined
    return found(changes)
  }
  if (type === undefined) return undefined
  const wanted = amiFor(type, amis)
  if (wanted?.id === imageID) return undefined
  const now = wanted === undefined ? `none for ${type.name}` : imageText(wanted)
  return found([...changes, { path: 'status.amis', old: imageID, new: now }])
}

function securityGroupDrift({ before, after, resolved }: Question): DriftFinding | undefined {
  const now = before?.status?.securityGroups?.map(({ id }) => id)
  const changes = selectorChanges(before, after, 'securityGroupSelectorTerms')
  if (before === undefined || (changes.length === 0 && resolved?.securityGroups === undefined)) return undefined
  const wanted = resolved?.securityGroups?.map(({ id }) => id) ?? idsOf(after.spec?.securityGroupSelectorTerms)
  const same = wanted !== undefined && now !== undefined && listText(wanted) === listText(now)
  return same
    ? undefined
    : { reason: 'SecurityGroupDrift', fields: withLists(changes, 'status.securityGroups', now, wanted) }
}

function subnetDrift({ claim, before, after, resolved }: Question): DriftFinding | undefined {
  const zone = claim.metadata.labels?.[labelZone]
  const changes = selectorChanges(before, after, 'subnetSelectorTerms')
  if (before === undefined || (changes.length === 0 && resolved?.subnets === undefined)) return undefined
  const wanted = resolved?.subnets?.map(({ id }) => id) ?? idsOf(after.spec?.subnetSelectorTerms)
  // Which of the zone's subnets an instance is in, only the cloud knows.
  const possible = before.status?.subnets?.filter((subnet) => subnet.zone === zone).map(({ id }) => id)
  const stays =
    wanted !== undefined && possible !== undefined && possible.length > 0 && possible.every((id) => wanted.includes(id))
  return stays ? undefined : { reason: 'SubnetDrift', fields: withLists(changes, 'status.subnets', possible, wanted) }
}

function reservationDrift({ claim, before, after }: Question): DriftFinding | undefined {
  const fields = reservationChanges(claim, before?.spec ?? {}, after.spec ?? {})
  return before === undefined || fields.length === 0 ? undefined : { reason: 'CapacityReservationDrift', fields }
}

function selectorChanges(
  before: EC2NodeClass | undefined,
  after: EC2NodeClass,
  field: 'amiSelectorTerms' | 'securityGroupSelectorTerms' | 'subnetSelectorTerms',
): readonly FieldChange[] {
  return before === undefined ? [] : diffFields(before.spec?.[field], after.spec?.[field], `spec.${field}`)
}

/** Undefined when some term selects by anything but an id. */
function idsOf(terms: readonly (SubnetSelectorTerm | SecurityGroupSelectorTerm)[] = []): readonly string[] | undefined {
  const ids = terms.flatMap(({ id }) => id ?? [])
  return ids.length === terms.length ? ids : undefined
}

function withLists(
  changes: readonly FieldChange[],
  path: string,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): readonly FieldChange[] {
  return changes.length > 0 || after === undefined ? changes : [{ path, old: before, new: after }]
}

function listText(ids: readonly string[]): string {
  return [...new Set(ids)].toSorted(compareText).join(' ')
}

function imageText({ id, name }: { readonly id: string; readonly name?: string }): string {
  return name === undefined ? id : `${id} (${name})`
}
