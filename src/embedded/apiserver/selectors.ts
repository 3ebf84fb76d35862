import type { LabelSelector } from '../../api/kubernetes.ts'
import { badRequest } from './errors.ts'
import { textAt } from './json.ts'
import type { StoredObject } from './object.ts'

export type LabelPredicate = (labels: Readonly<Record<string, string>>) => boolean

interface Requirement {
  readonly key: string
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt'
  readonly values: readonly string[]
}

const everything: LabelPredicate = () => true

/** A selector as an object of the API (`matchLabels`, `matchExpressions`). An empty one selects everything. */
export function labelPredicate(selector: LabelSelector): LabelPredicate {
  const requirements: Requirement[] = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'in',
    values: [value],
  }))
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    switch (operator) {
      case 'In':
        requirements.push({ key, operator: 'in', values })
        break
      case 'NotIn':
        requirements.push({ key, operator: 'notin', values })
        break
      case 'Exists':
        requirements.push({ key, operator: 'exists', values: [] })
        break
      case 'DoesNotExist':
        requirements.push({ key, operator: 'absent', values: [] })
        break
      default:
        throw badRequest(`"${String(operator)}" is not a valid label selector operator`)
    }
  }
  return conjunction(requirements)
}

/** A selector as the query parameter has it: `a=b,c!=d,e in (f,g),!h,i`. */
function parseLabelSelector(text: string): LabelPredicate {
  const parts = splitTopLevel(text)
  return parts.length === 0 ? everything : conjunction(parts.map(parseRequirement))
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
  return (labels) => requirements.every((requirement) => holds(requirement, labels))
}

function holds({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value)
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'gt':
      return value !== undefined && Number.parseInt(value, 10) > Number(values[0])
    case 'lt':
      return value !== undefined && Number.parseInt(value, 10) < Number(values[0])
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
    return { key, operator: operator === 'in' ? 'in' : 'notin', values: list.split(',').map((item) => item.trim()) }
  }
  const comparison = comparisonPattern.exec(text)
  if (comparison !== null) {
    const [, key = '', sign = '', value = ''] = comparison
    const operators: Record<string, Requirement['operator']> = { '!=': 'notin', '>': 'gt', '<': 'lt' }
    return { key, operator: operators[sign] ?? 'in', values: [value] }
  }
  const existence = existencePattern.exec(text)
  if (existence !== null) {
    const [, not, key = ''] = existence
    return { key, operator: not === '!' ? 'absent' : 'exists', values: [] }
  }
  const second = /^\S+\s+(\S+)/.exec(text)?.[1] ?? text
  throw badRequest(`unable to parse requirement: found '${second}', expected: in, notin, =, ==, !=, gt, lt`)
}

interface FieldRequirement {
  readonly field: string
  readonly equal: boolean
  readonly value: string
}

/** Clients ask the same again and again. */
const parsedFields = new Map<string, readonly FieldRequirement[]>()
const parsedFieldsMax = 1_000

function fieldRequirements(text: string): readonly FieldRequirement[] {
  const known = parsedFields.get(text)
  if (known !== undefined) return known
  if (parsedFields.size >= parsedFieldsMax) parsedFields.clear()
  const requirements = parseFieldSelector(text)
  parsedFields.set(text, requirements)
  return requirements
}

/** A field selector as text: `spec.nodeName=n1,status.phase!=Failed`. Values may hold `\\,`, `\\=` and `\\\\`. */
function parseFieldSelector(text: string): readonly FieldRequirement[] {
  const requirements: FieldRequirement[] = []
  for (const part of text.split(/(?<!\\),/)) {
    if (part.trim() === '') continue
    const match = /^([^=!]+?)\s*(!=|==|=)\s*(.*)$/.exec(part.trim())
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`)
    const [, name = '', sign, value = ''] = match
    requirements.push({ field: name, equal: sign !== '!=', value: value.replaceAll(/\\([\\,=])/g, '$1') })
  }
  return requirements
}

export type FieldGetter = (object: StoredObject) => string

/** Every kind can be selected by these; further fields are its own. */
export const commonFields: Readonly<Record<string, FieldGetter>> = {
  'metadata.name': (object) => object.metadata.name,
  'metadata.namespace': (object) => object.metadata.namespace ?? '',
}

/** A getter for a text field at a dotted path. */
export function fieldAt(path: string): FieldGetter {
  const steps = path.split('.')
  return (object) => textAt(object, ...steps) ?? ''
}

function fieldPredicate(
  requirements: readonly FieldRequirement[],
  fields: Readonly<Record<string, FieldGetter>>,
): (object: StoredObject) => boolean {
  const checks = requirements.map(({ field: name, equal, value }) => {
    const getter = commonFields[name] ?? fields[name]
    if (getter === undefined) throw badRequest(unknownField(name, fields))
    return (object: StoredObject) => (getter(object) === value) === equal
  })
  return (object) => checks.every((check) => check(object))
}

/** Kinds with fields of their own word it differently from those that have only the common ones. */
function unknownField(name: string, fields: Readonly<Record<string, FieldGetter>>): string {
  if (Object.keys(fields).length > 0) return `field label not supported: ${name}`
  return `"${name}" is not a known field selector: only "metadata.name", "metadata.namespace"`
}

export interface Selection {
  readonly labelSelector?: LabelSelector | string | undefined
  readonly fieldSelector?: string | undefined
}

/** The test an object must pass to be listed or watched; undefined when everything passes. */
export function selectionOf(
  selection: Selection,
  fields: Readonly<Record<string, FieldGetter>>,
): ((object: StoredObject) => boolean) | undefined {
  const { labelSelector, fieldSelector } = selection
  const labels =
    labelSelector === undefined || labelSelector === ''
      ? undefined
      : typeof labelSelector === 'string'
        ? parseLabelSelector(labelSelector)
        : labelPredicate(labelSelector)
  const requirements = fieldSelector === undefined ? [] : fieldRequirements(fieldSelector)
  const byField = requirements.length === 0 ? undefined : fieldPredicate(requirements, fields)
  if (labels === undefined) return byField
  const byLabel = (object: StoredObject): boolean => labels(object.metadata.labels ?? {})
  return byField === undefined ? byLabel : (object) => byField(object) && byLabel(object)
}
