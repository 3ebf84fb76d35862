export type JsonRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member of a JSON object, never one inherited from JavaScript. */
export function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The text, or the empty text for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Equality of JSON values; the order of members does not count, that of items does. A member that holds undefined is one. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let index = 0; index < a.length; index += 1) if (!jsonEqual(a[index], b[index])) return false
    return true
  }
  if (!isRecord(a) || !isRecord(b)) return false
  // Loops without lists of keys and closures: each review of a known object goes through all of it here.
  let members = 0
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !jsonEqual(a[key], b[key])) return false
    members += 1
  }
  for (const _key in b) members -= 1
  return members === 0
}

/** Equality of what is written of two values: a member that holds undefined is none. */
export function sameWhenWritten(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameWhenWritten(item, b[index]))
  }
  return isRecord(a) && isRecord(b) && sameMembers(a, b)
}

function sameMembers(a: JsonRecord, b: JsonRecord): boolean {
  for (const key of Object.keys(a)) {
    const other = Object.hasOwn(b, key) ? b[key] : undefined
    if (!sameWhenWritten(a[key], other)) return false
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined && !Object.hasOwn(a, key)) return false
  return true
}

/** Text that is the same for equal values: members sorted by name. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`)
  return `{${members.join(',')}}`
}

export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** The list itself where the items of its copy are those that it has. */
export function sameOr(list: readonly unknown[], copy: readonly unknown[]): readonly unknown[] {
  return copy.every((item, index) => item === list[index]) ? list : copy
}
