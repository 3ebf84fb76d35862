import type { LabelSelector, LabelSelectorRequirement } from '../../api/kubernetes.ts'
import { holds, type Labels } from '../labels.ts'
import { badRequest } from './errors.ts'

export type LabelPredicate = (labels: Labels) => boolean

/** Selectors that are written as text have two operators more than those that are objects. */
type Requirement =
  | (RequirementOn & { readonly operator: LabelSelectorRequirement['operator'] })
  | (RequirementOn & { readonly operator: 'Gt' | 'Lt' })

interface RequirementOn {
  readonly key: string
  readonly values: readonly string[]
}

const operators: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist'])

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
  return conjunction(splitTopLevel(text).map(parseRequirement))
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

function splitTopLevel(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index <= text.length; index += 1) {
    const character = text[index]
    if (character === '(') depth += 1
    else if (character === ')') depth -= 1
    else if (index === text.length || (character === ',' && depth === 0)) {
      const part = text.slice(start, index).trim()
      if (part !== '') parts.push(part)
      start = index + 1
    }
  }
  return parts
}

const keyPattern = '[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?'
const setPattern = new RegExp(`^(${keyPattern})\\s+(in|notin)\\s*\\(([^()]*)\\)$`)
const comparisonPattern = new RegExp(`^(${keyPattern})\\s*(==|=|!=|>|<)\\s*([-A-Za-z0-9_.]*)$`)
const existencePattern = new RegExp(`^(!?)\\s*(${keyPattern})$`)

function parseRequirement(text: string): Requirement {
  const set = setPattern.exec(text)
  if (set !== null) {
    const [, key = '', operator, list = ''] = set
    return { key, operator: operator === 'in' ? 'In' : 'NotIn', values: list.split(',').map((item) => item.trim()) }
  }
  const comparison = comparisonPattern.exec(text)
  if (comparison !== null) {
    const [, key = '', sign = '', value = ''] = comparison
    const signs: Record<string, Requirement['operator']> = { '!=': 'NotIn', '>': 'Gt', '<': 'Lt' }
    return { key, operator: signs[sign] ?? 'In', values: [value] }
  }
  const existence = existencePattern.exec(text)
  if (existence !== null) {
    const [, not, key = ''] = existence
    return { key, operator: not === '!' ? 'DoesNotExist' : 'Exists', values: [] }
  }
  const second = /^\S+\s+(\S+)/.exec(text)?.[1] ?? text
  throw badRequest(`unable to parse requirement: found '${second}', expected: in, notin, =, ==, !=, gt, lt`)
}
