import type { ResolvedAMI } from '../api/karpenter.ts'
import { awsVocabulary } from '../api/label-rules.ts'
import { type RequirementEntry, requirementOperators } from './requirement.ts'
import { type Requirements, toRequirements } from './requirements.ts'

const parsed = new WeakMap<ResolvedAMI, Requirements>()

/** What a machine has to be to boot an image that a node class has found. */
export function imageRequirements(image: ResolvedAMI): Requirements {
  const known = parsed.get(image)
  if (known !== undefined) return known
  const requirements = toRequirements(image.requirements.map(toEntry), awsVocabulary.aliases)
  parsed.set(image, requirements)
  return requirements
}

function toEntry({ key, operator, values }: ResolvedAMI['requirements'][number]): RequirementEntry {
  return { key, operator: isOperator(operator) ? operator : 'In', ...(values === undefined ? {} : { values }) }
}

function isOperator(text: string): text is RequirementEntry['operator'] {
  return requirementOperators.has(text)
}
