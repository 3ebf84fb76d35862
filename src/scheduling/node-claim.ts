import { durationMs, formatDurationMs } from '../api/duration.ts'
import type { KubeObject, ObjectMeta } from '../api/kubernetes.ts'
import type { NodeClaim, NodeClaimRequirement, NodePool } from '../api/karpenter.ts'
import {
  awsVocabulary,
  isRestrictedLabel,
  labelDomain,
  type LabelVocabulary,
  simulationOnlyLabels,
} from '../api/label-rules.ts'
import { labelCapacityType, labelInstanceType } from '../api/labels.ts'
import type { InstanceType } from '../model/instance-type.ts'
import { intersect, oneOf, type Requirement } from '../model/requirement.ts'
import { isCompatible, mayBeAbsent, type Requirements, toRequirementEntries } from '../model/requirements.ts'
import { noResources, toResourceList } from '../model/resources.ts'
import type { SchedulingSettings } from './context.ts'
import { anyLabelValue } from './finalize.ts'
import { templateAnnotations, templateLabels, templateRequirements } from './node-pools.ts'
import type { NodePlan } from './placement.ts'

/** A NodeClaim to create: the API server completes the name from `generateName`. */
type NewNodeClaim = Omit<NodeClaim, keyof KubeObject | 'status'> &
  Pick<NodeClaim, 'apiVersion' | 'kind'> & { metadata: Partial<ObjectMeta> & { generateName: string } }

/** The claim of a plan; of one whose requirements or types disruption narrowed further, too. */
export function toNodeClaim(plan: NodePlan, vocabulary: LabelVocabulary = awsVocabulary): NewNodeClaim {
  return {
    ...nodeClaimKind,
    metadata: { ...metadataOf(plan.pool), labels: { ...plan.labels }, annotations: { ...plan.annotations } },
    spec: {
      ...specOf(plan.pool),
      requirements: withinMax(wireRequirements(launchRequirements(plan, vocabulary)), vocabulary),
      resources: { requests: toResourceList(plan.requests) },
    },
  }
}

/** A node of a static pool: its bare template, without types, pods or requests. */
export function toStaticNodePlan(
  pool: NodePool,
  { vocabulary, nodePoolHash }: Pick<SchedulingSettings, 'vocabulary' | 'nodePoolHash'>,
): NodePlan {
  return {
    nodePool: pool.metadata.name,
    pool,
    requirements: templateRequirements(pool, vocabulary.aliases),
    instanceTypes: [],
    pods: [],
    requests: noResources,
    labels: templateLabels(pool),
    annotations: templateAnnotations(pool, nodePoolHash(pool)),
    reservations: [],
    minValuesRelaxed: false,
    price: undefined,
  }
}

/** A claim of a static pool: the bare template, for the provider to choose from. */
export function toStaticNodeClaim(
  pool: NodePool,
  nodePoolHash: string,
  vocabulary: LabelVocabulary = awsVocabulary,
): NewNodeClaim {
  const requirements = templateRequirements(pool, vocabulary.aliases)
  const labels = templateLabels(pool)
  for (const [key, requirement] of requirements) {
    if (vocabulary.wellKnown.has(key) || isRestrictedLabel(key, vocabulary) || simulationOnlyLabels.has(key)) continue
    const value = anyLabelValue(requirement)
    if (value !== undefined) labels[key] = value
  }
  return {
    ...nodeClaimKind,
    metadata: { ...metadataOf(pool), labels, annotations: templateAnnotations(pool, nodePoolHash) },
    spec: { ...specOf(pool), requirements: wireRequirements(requirements), resources: {} },
  }
}

/** Requirements with the types to choose from and the capacity types that they can be had in. */
function launchRequirements(
  { requirements, instanceTypes }: Pick<NodePlan, 'requirements' | 'instanceTypes'>,
  vocabulary: LabelVocabulary,
): Requirements {
  const result = new Map([...requirements].filter(([, one]) => isAdmissible(one, vocabulary)))
  const narrow = (key: string, values: readonly string[]): void => {
    const known = result.get(key)
    result.set(key, known === undefined ? oneOf(key, values) : intersect(known, oneOf(key, values)))
  }
  narrow(
    labelInstanceType,
    instanceTypes.map(({ name }) => name),
  )
  const capacityTypes = availableCapacityTypes(instanceTypes, requirements, vocabulary.wellKnown)
  if (capacityTypes.length > 0) narrow(labelCapacityType, capacityTypes)
  return result
}

/**
 * The API server refuses claims that name certain labels. A pod may prefer nodes without such a label, which none of ours has, so the
 * requirement is dropped. The CRD compares only the end of the domain; the claim's labels carry those values.
 */
function isAdmissible(requirement: Requirement, vocabulary: LabelVocabulary): boolean {
  const { key } = requirement
  if (vocabulary.wellKnown.has(key)) return true
  if (isRestrictedLabel(key, vocabulary)) return !mayBeAbsent(requirement)
  const domain = labelDomain(key)
  return !vocabulary.restrictedDomains.some((restricted) => domain.endsWith(restricted))
}

/** By the definition of a NodeClaim. */
const requirementsMax = 100

/** Where a pod rules out too many labels, those are left off that only the pool could give to the node: it would have said so. */
function withinMax(requirements: NodeClaimRequirement[], { wellKnown }: LabelVocabulary): NodeClaimRequirement[] {
  if (requirements.length <= requirementsMax) return requirements
  return requirements.filter(
    ({ key, operator }) => wellKnown.has(key) || (operator !== 'NotIn' && operator !== 'DoesNotExist'),
  )
}

function availableCapacityTypes(
  types: readonly InstanceType[],
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): string[] {
  const found = new Set<string>()
  const accepted = new Map<Requirements, boolean>()
  for (const { offerings } of types) {
    for (const offering of offerings) {
      if (!offering.available) continue
      let compatible = accepted.get(offering.requirements)
      if (compatible === undefined) {
        compatible = isCompatible(requirements, offering.requirements, wellKnown)
        accepted.set(offering.requirements, compatible)
      }
      if (compatible) for (const value of offering.requirements.get(labelCapacityType)?.values ?? []) found.add(value)
    }
  }
  return [...found]
}

/**
 * A minValues above the number of values is refused by the API server, as is one of 0. Types are counted by all their values, so a pod that
 * leaves a single zone may well meet a minimum of two, and BestEffort may have lowered it to nothing.
 */
function wireRequirements(requirements: Requirements): NodeClaimRequirement[] {
  return toRequirementEntries(requirements).map(({ values, minValues, ...entry }) => {
    const least = entry.operator === 'In' ? Math.min(minValues ?? 0, values?.length ?? 0) : (minValues ?? 0)
    return {
      ...entry,
      ...(values === undefined ? {} : { values: [...values] }),
      ...(least === 0 ? {} : { minValues: least }),
    }
  })
}

const nodeClaimKind = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim' } as const

function metadataOf(pool: NodePool): Partial<ObjectMeta> & { generateName: string } {
  return {
    generateName: `${pool.metadata.name}-`,
    ownerReferences: [
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        name: pool.metadata.name,
        uid: pool.metadata.uid,
        blockOwnerDeletion: true,
      },
    ],
  }
}

function specOf(pool: NodePool): Omit<NodeClaim['spec'], 'requirements'> {
  const { taints, startupTaints, nodeClassRef, expireAfter, terminationGracePeriod } = pool.spec.template.spec
  return {
    nodeClassRef,
    ...(taints === undefined ? {} : { taints }),
    ...(startupTaints === undefined ? {} : { startupTaints }),
    ...(expireAfter === undefined ? {} : { expireAfter }),
    // As Go writes a duration that it has read; `expireAfter` stays as it was written.
    ...(terminationGracePeriod === undefined
      ? {}
      : { terminationGracePeriod: formatDurationMs(durationMs(terminationGracePeriod)) }),
  }
}
