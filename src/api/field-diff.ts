import { isRecord } from './json.ts'

/** One field that differs between two objects. A side that lacks the field is undefined. */
export interface FieldChange {
  /** `spec.template.spec.taints[0].effect`; a key that is no plain word stands in brackets: `labels["example.com/team"]`. */
  readonly path: string
  readonly old: unknown
  readonly new: unknown
}

/**
 * Where two JSON values differ, by path. Objects are compared member by member and lists item by item, also against nothing: what was
 * added or removed is named by its leaves, but an item of a list whole. A value of another kind is one change. Empty if and only if the
 * two are equal as JSON.
 */
export function diffFields(before: unknown, after: unknown, root: string): readonly FieldChange[] {
  return changesAt(before, after, root).toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

/** A value as a message names it: JSON without spaces; text without quotes where it cannot be misread. */
export function fieldValueText(value: unknown): string {
  if (value === undefined) return '(absent)'
  if (typeof value === 'string' && /^[^\s",()](?:[^",\n]*[^\s",])?$/.test(value) && !value.includes('->')) return value
  return JSON.stringify(value)
}

function changesAt(before: unknown, after: unknown, path: string): readonly FieldChange[] {
  const [some, other] = before === undefined ? [after, before] : [before, after]
  if (isList(some) && (isList(other) || other === undefined) && !(some.length === 0 && other === undefined)) {
    const [olds, news] = [isList(before) ? before : [], isList(after) ? after : []]
    return Array.from({ length: Math.max(olds.length, news.length) }).flatMap((_, index) =>
      itemChanges(olds[index], news[index], `${path}[${index}]`),
    )
  }
  if (isRecord(some) && (isRecord(other) || other === undefined) && !(isEmpty(some) && other === undefined)) {
    const [olds, news] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
    const keys = new Set([...Object.keys(olds), ...Object.keys(news)])
    return [...keys].flatMap((key) => changesAt(olds[key], news[key], memberPath(path, key)))
  }
  return Object.is(before, after) || before === after ? [] : [{ path, old: before, new: after }]
}

/** An item that only one list has is one thing to a reader. */
function itemChanges(before: unknown, after: unknown, path: string): readonly FieldChange[] {
  const isWhole = (before === undefined) !== (after === undefined)
  return isWhole ? [{ path, old: before, new: after }] : changesAt(before, after, path)
}

function memberPath(path: string, key: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Without members, but for those that JSON leaves out. */
function isEmpty(value: Readonly<Record<string, unknown>>): boolean {
  return Object.values(value).every((member) => member === undefined)
}
