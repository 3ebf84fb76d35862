/** One field that differs between two objects. A side that lacks the field is undefined. */
export interface FieldChange {
  /** `spec.template.spec.taints[0].effect`; a key that is no plain word stands in brackets: `labels["example.com/team"]`. */
  readonly path: string
  readonly old: unknown
  readonly new: unknown
}

/**
 * Where two JSON values differ, by path. Objects are compared member by member and lists item by item; where only one side has a member
 * or an item, or the two are of different kinds, the whole value is one change. Empty if and only if the two are equal as JSON.
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
  if (Array.isArray(before) && Array.isArray(after)) {
    return Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, index) =>
      changesAt(before[index], after[index], `${path}[${index}]`),
    )
  }
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => changesAt(before[key], after[key], memberPath(path, key)))
  }
  return Object.is(before, after) || before === after ? [] : [{ path, old: before, new: after }]
}

function memberPath(path: string, key: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
