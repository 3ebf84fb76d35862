import { arrayAt, at, isObject, numberAt, objectAt, textAt, textMapAt } from '../json.ts'
import type { StoredObject } from '../object.ts'
import type { TableColumn } from './definition.ts'

/** A column that prints what lies at a dotted path, `<none>` when nothing does. */
export function textColumn(name: string, path: string, priority: 0 | 1 = 0): TableColumn {
  const steps = path.split('.')
  return { name, type: 'string', priority, value: (object) => shown(at(object, ...steps)) }
}

/** A column that prints a count, 0 when nothing is there. */
export function countColumn(name: string, path: string): TableColumn {
  const steps = path.split('.')
  return { name, type: 'integer', priority: 0, value: (object) => numberAt(object, ...steps) ?? 0 }
}

export function column(name: string, value: TableColumn['value'], priority: 0 | 1 = 0): TableColumn {
  return { name, type: 'string', priority, value }
}

/** Containers, their images and the selector: the wide columns of every workload. */
export const workloadWideColumns: readonly TableColumn[] = [
  column('Containers', (object) => containerTexts(object, 'name'), 1),
  column('Images', (object) => containerTexts(object, 'image'), 1),
  column('Selector', (object) => selectorText(objectAt(object, 'spec', 'selector')), 1),
]

function containerTexts(object: StoredObject, fieldName: string): string {
  return arrayAt(object, 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, fieldName) ?? '')
    .join(',')
}

export function selectorText(selector: unknown): string {
  if (!isObject(selector)) return '<none>'
  const labels = isObject(selector['matchLabels']) ? textMapAt(selector, 'matchLabels') : textMapAt(selector)
  const parts = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  for (const expression of arrayAt(selector, 'matchExpressions')) {
    const values = arrayAt(expression, 'values').map(String).join(',')
    parts.push(`${textAt(expression, 'key') ?? ''} ${(textAt(expression, 'operator') ?? '').toLowerCase()} (${values})`)
  }
  return parts.length === 0 ? '<none>' : parts.join(',')
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '<none>'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
