import { nodePoolHashAnnotations, nodePoolHashInput, recordedChanges, recordOf } from '../api/hash/index.ts'
import type { NodeClaim, NodePool } from '../api/karpenter.ts'
import { labelInstanceType } from '../api/labels.ts'
import type { DriftFinding, FieldChange } from '../model/drift-finding.ts'
import type { InstanceType } from '../model/instance-type.ts'
import { toRequirement } from '../model/requirement.ts'
import {
  isCompatible,
  labelRequirements,
  type LabelAliases,
  normaliseKey,
  requirementsOf,
} from '../model/requirements.ts'
import { driftFromPool } from './conditions.ts'

/** Drift that claim and pool show by themselves, with the fields that make it. */
export function explainPoolDrift(claim: NodeClaim, pool: NodePool, aliases: LabelAliases): DriftFinding | undefined {
  const reason = driftFromPool(claim, pool, aliases)
  if (reason === undefined) return undefined
  const generation = pool.metadata.generation === undefined ? {} : { generation: pool.metadata.generation }
  switch (reason) {
    case 'NodePoolDrifted': {
      const record = recordOf(claim, nodePoolHashAnnotations)
      return { reason, ...recordedChanges(record, nodePoolHashInput(pool)), ...generation }
    }
    case 'RequirementsDrifted':
      return { reason, fields: requirementChanges(claim, pool, aliases), ...generation }
  }
}

/** Said of claims whose instance type is no longer to be had, with all types that the pool has. */
export function instanceTypeGone(claim: NodeClaim, types: readonly InstanceType[]): DriftFinding {
  const type = claim.metadata.labels?.[labelInstanceType] ?? ''
  const detail =
    types.length === 0
      ? 'the NodePool has no instance types: its NodeClass is missing or being deleted'
      : `${type === '' ? 'the instance type' : type} could not be chosen for the NodePool any more, whatever is available`
  return { reason: 'InstanceTypeNotFound', fields: [], detail }
}

/** The pool's requirements that the claim's labels do not meet, each by itself. */
export function requirementChanges(claim: NodeClaim, pool: NodePool, aliases: LabelAliases): readonly FieldChange[] {
  const labels = labelRequirements(claim.metadata.labels ?? {}, aliases)
  return pool.spec.template.spec.requirements.flatMap(({ key, operator, values }, index) => {
    const normal = normaliseKey(key, aliases)
    if (isCompatible(labels, requirementsOf(toRequirement(normal, operator, values)))) return []
    const [label] = labels.get(normal)?.values ?? []
    return [
      {
        path: `spec.template.spec.requirements[${index}]`,
        old: label === undefined ? undefined : `${key}=${label}`,
        new: [key, operator, ...(values === undefined ? [] : [`[${values.join(' ')}]`])].join(' '),
      },
    ]
  })
}
