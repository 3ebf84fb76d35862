import type { LabelSelector } from '../../api/kubernetes.ts'
import { holds, type Labels } from '../labels.ts'
import { badRequest } from './errors.ts'
import { parseRequirements, type Requirement } from './label-selector-text.ts'

export type LabelPredicate = (labels: Labels) => boolean

const operators: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist'])

/** A decoded selector: its shape was checked when the body was read. */
export function toLabelSelector(selector: Readonly<Record<string, unknown>>): LabelSelector {
  return selector
}

/** A selector as an object of the API (`matchLabels`, `matchExpressions`). An empty one selects everything. */
export function labelPredicate(selector: LabelSelector): LabelPredicate {
  const requirements: Requirement[] = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }))
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (!operators.has(operator)) throw badRequest(`"${String(operator)}" is not a valid label selector operator`)
    requirements.push({ key, operator, values })
  }
  return conjunction(requirements)
}

/** A selector as the query parameter has it: `a=b,c!=d,e in (f,g),!h,i`. */
export function parseLabelSelector(text: string): LabelPredicate {
  return conjunction(parseRequirements(text))
}

/** The same selector as text, for a query parameter. */
export function labelSelectorText(selector: LabelSelector): string {
  const parts = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (operator === 'Exists') parts.push(key)
    else if (operator === 'DoesNotExist') parts.push(`!${key}`)
    else parts.push(`${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`)
  }
  return parts.join(',')
}

function conjunction(requirements: readonly Requirement[]): LabelPredicate {
  return (labels) => requirements.every((requirement) => isMet(requirement, labels))
}

function isMet(requirement: Requirement, labels: Labels): boolean {
  const { key, values } = requirement
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (requirement.operator) {
    case 'Gt':
      return value !== undefined && Number.parseInt(value, 10) > Number(values[0])
    case 'Lt':
      return value !== undefined && Number.parseInt(value, 10) < Number(values[0])
    case 'In':
    case 'NotIn':
    case 'Exists':
    case 'DoesNotExist':
      return holds(requirement, value)
  }
}
