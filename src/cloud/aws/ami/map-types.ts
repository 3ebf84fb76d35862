import type { RequirementEntry } from '../../../model/requirement.ts'
import { isCompatible, type Requirements, toRequirements } from '../../../model/requirements.ts'
import { labelAliases, wellKnownLabels } from '../keys.ts'
import type { StatusAMI } from '../wire.ts'

const parsed = new WeakMap<StatusAMI, Requirements>()

/** The first AMI, in status order, that a machine with these labels can boot. */
export function amiFor(
  type: { readonly requirements: Requirements },
  amis: readonly StatusAMI[],
): StatusAMI | undefined {
  return amis.find((ami) => isCompatible(type.requirements, amiRequirements(ami), wellKnownLabels))
}

export function amiRequirements(ami: StatusAMI): Requirements {
  const known = parsed.get(ami)
  if (known !== undefined) return known
  const requirements = toRequirements(ami.requirements.map(toEntry), labelAliases)
  parsed.set(ami, requirements)
  return requirements
}

function toEntry({ key, operator, values }: StatusAMI['requirements'][number]): RequirementEntry {
  return { key, operator: isOperator(operator) ? operator : 'In', ...(values === undefined ? {} : { values }) }
}

const operators: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'])

function isOperator(text: string): text is RequirementEntry['operator'] {
  return operators.has(text)
}
