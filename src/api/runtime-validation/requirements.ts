import {
  awsVocabulary,
  isRestrictedLabel,
  type LabelVocabulary,
  normalizeLabelKey,
  restrictedLabelMessage,
} from '../label-rules.ts'
import { labelValueErrors, qualifiedNameErrors } from '../qualified-name.ts'

export interface CheckedRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
  readonly minValues?: number
}

const operators = ['In', 'NotIn', 'Gt', 'Lt', 'Gte', 'Lte', 'Exists', 'DoesNotExist']
const boundOperators = ['Gt', 'Lt', 'Gte', 'Lte']

/** What is wrong with one requirement, in the words of the condition ValidationSucceeded; empty when it is fine. */
export function requirementErrors(
  requirement: CheckedRequirement,
  options: { readonly notInNeedsValue: boolean; readonly vocabulary?: LabelVocabulary },
): string[] {
  const vocabulary = options.vocabulary ?? awsVocabulary
  const { operator, minValues } = requirement
  const key = normalizeLabelKey(requirement.key, vocabulary)
  const values = requirement.values ?? []
  const errors: string[] = []
  if (!operators.includes(operator))
    errors.push(`key ${key} has an unsupported operator ${operator} not in ${list(operators)}`)
  if (isRestrictedLabel(key, vocabulary)) errors.push(restrictedLabelMessage(key, vocabulary))
  if (operator === 'In') errors.push(...knownValueErrors(key, values, minValues, vocabulary))
  errors.push(...qualifiedNameErrors(key).map((reason) => `key ${key} is not a qualified name, ${reason}`))
  for (const value of values)
    errors.push(...labelValueErrors(value).map((reason) => `invalid value ${value} for key ${key}, ${reason}`))
  if (operator === 'In' && values.length === 0) errors.push(`key ${key} with operator In must have a value defined`)
  if (options.notInNeedsValue && operator === 'NotIn' && values.length === 0) {
    errors.push(`key ${key} with operator NotIn must have a value defined`)
  }
  if (operator === 'In' && minValues !== undefined && values.length < minValues) {
    errors.push(`key ${key} with operator In must have at least minimum number of values defined in 'values' field`)
  }
  if (boundOperators.includes(operator) && !(values.length === 1 && isCount(values[0]))) {
    errors.push(`key ${key} with operator ${operator} must have a single positive integer value`)
  }
  return errors
}

function knownValueErrors(
  key: string,
  values: readonly string[],
  minValues: number | undefined,
  vocabulary: LabelVocabulary,
): readonly string[] {
  const known = vocabulary.knownValues.get(key)
  if (known === undefined) return []
  const valid = new Set(values.filter((value) => known.includes(value)))
  const isEnough = valid.size > 0 && (minValues === undefined || valid.size >= minValues)
  if (isEnough) return []
  const expected = list([...known].sort())
  if (valid.size === 0)
    return [`no valid values found in ${list(values)} for ${key}, expected one of: ${expected}, got: ${list(values)}`]
  return [
    `not enough valid values found in ${list(values)} for ${key}, expected at least ${minValues} valid values from: ${expected}, got: ${valid.size}`,
  ]
}

/** Zero counts: the texts say positive and mean not negative. What does not fit into 64 bits is no integer in Go and in CEL. */
function isCount(text: string | undefined): boolean {
  return text !== undefined && /^\+?[0-9]+$/.test(text) && BigInt(text) < 1n << 63n
}

function list(values: readonly string[]): string {
  return `[${values.join(' ')}]`
}
