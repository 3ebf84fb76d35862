import { isObject, type JsonObject } from '../json.ts'

/** RFC 7386: null removes, objects merge, everything else replaces. */
export function mergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result: Record<string, unknown> = isObject(document) ? { ...document } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = isObject(value) ? mergePatch(result[key], value) : value
  }
  const merged: JsonObject = result
  return merged
}
