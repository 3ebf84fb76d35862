import type { NodeClaim } from '../../../api/karpenter.ts'
import { oneValue, type RequirementEntry } from '../../../model/requirement.ts'
import { mergeRequirements, type Requirements, requirementsOf, toRequirements } from '../../../model/requirements.ts'
import { type CapacityType, capacityTypeKey, labelAliases } from '../keys.ts'

/** What a claim asks of its instance. */
export function claimRequirements(claim: Pick<NodeClaim, 'spec'>): Requirements {
  return toRequirements(claim.spec.requirements.map(toEntry), labelAliases)
}

export function narrowedTo(requirements: Requirements, capacityType: CapacityType): Requirements {
  return mergeRequirements(requirements, requirementsOf(oneValue(capacityTypeKey, capacityType)))
}

export function hasMinValues(requirements: Requirements): boolean {
  for (const requirement of requirements.values()) if (requirement.minValues !== undefined) return true
  return false
}

function toEntry(entry: NodeClaim['spec']['requirements'][number]): RequirementEntry {
  const { key, operator, values, minValues } = entry
  return {
    key,
    operator,
    ...(values === undefined ? {} : { values }),
    ...(minValues === undefined ? {} : { minValues }),
  }
}
