/**
 * The RFC 7386 merge patch that turns `before` into `after`; undefined when they are equal. Lists are replaced whole, so a patch that
 * carries one needs the resource version of what it was computed from.
 */
export function mergePatchBetween(before: object, after: object): Record<string, unknown> | undefined {
  const old = new Map<string, unknown>(Object.entries(before))
  const patch: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(after)) {
    const known = old.get(key)
    old.delete(key)
    if (value === known) continue
    if (value === undefined) {
      if (known !== undefined) patch[key] = null
    } else if (isRecord(value) && isRecord(known)) {
      const inner = mergePatchBetween(known, value)
      if (inner !== undefined) patch[key] = inner
    } else if (!sameJSON(known, value)) {
      patch[key] = value
    }
  }
  for (const [key, value] of old) if (value !== undefined) patch[key] = null
  return Object.keys(patch).length === 0 ? undefined : patch
}

/** Equal as JSON: the order of keys and keys that hold undefined do not matter. */
export function sameJSON(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJSON(item, b[index]))
  }
  return isRecord(a) && isRecord(b) && mergePatchBetween(a, b) === undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
