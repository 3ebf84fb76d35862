import { isRecord, sameWhenWritten } from '../api/json.ts'

/**
 * The RFC 7386 merge patch that turns `before` into `after`; undefined when they are equal. Lists are replaced whole, so a patch that
 * carries one needs the resource version of what it was computed from.
 */
export function mergePatchBetween(before: object, after: object): Record<string, unknown> | undefined {
  return isRecord(before) && isRecord(after) ? patchOf(before, after) : undefined
}

function patchOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  let patch: Record<string, unknown> | undefined
  for (const key of Object.keys(after)) {
    const value = after[key]
    const known = Object.hasOwn(before, key) ? before[key] : undefined
    if (value === known) continue
    if (value === undefined) {
      patch ??= {}
      patch[key] = null
    } else if (isRecord(value) && isRecord(known)) {
      const inner = patchOf(known, value)
      if (inner === undefined) continue
      patch ??= {}
      patch[key] = inner
    } else if (!sameWhenWritten(known, value)) {
      patch ??= {}
      patch[key] = value
    }
  }
  for (const key of Object.keys(before)) {
    if (before[key] === undefined || Object.hasOwn(after, key)) continue
    patch ??= {}
    patch[key] = null
  }
  return patch
}
