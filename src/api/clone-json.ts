/**
 * A copy of a JSON value that shares nothing with it. Several times as fast as `structuredClone` on the small objects that every
 * reconcile copies.
 */
export function cloneJSON<T>(value: T): T {
  return copyOf(value) as T
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf)
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    // An assignment to this name would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...own, value: copyOf(item) })
    else copy[key] = copyOf(item)
  }
  return copy
}

const own = { configurable: true, enumerable: true, writable: true }
