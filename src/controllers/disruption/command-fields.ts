import { labelCapacityType } from '../../api/labels.ts'
import { type Command, decisionOf, type Replacement } from '../../disruption/command.ts'
import { allows } from '../../model/requirement.ts'
import { requirementFor } from '../../model/requirements.ts'
import { listText } from '../../model/list-text.ts'

/** What log lines say of a command. */
export function commandFields(command: Command<Replacement>): object {
  return {
    decision: decisionOf(command),
    'disrupted-node-count': command.candidates.length,
    'replacement-node-count': command.replacements.length,
    'pod-count': command.candidates.reduce((sum, candidate) => sum + candidate.reschedulablePods.length, 0),
    'disrupted-nodes': command.candidates.map((candidate) => ({
      Node: { name: candidate.name },
      NodeClaim: { name: candidate.nodeClaim.metadata.name },
      'instance-type': candidate.instanceTypeName,
      'capacity-type': candidate.capacityType,
    })),
    'replacement-nodes': command.replacements.map((plan) => ({
      'capacity-type': likelyCapacityType(plan),
      ...(command.replacements.length === 1 ? { 'instance-types': typesText(plan) } : {}),
    })),
  }
}

function likelyCapacityType(plan: Replacement): string {
  const allowed = requirementFor(plan.requirements, labelCapacityType)
  return ['reserved', 'spot', 'on-demand'].find((type) => allows(allowed, type)) ?? ''
}

function typesText(plan: Replacement): string {
  return listText(plan.instanceTypes.map(({ name }) => name))
}
