/** JSON values as the store holds them: immutable, so parts may be shared between objects and versions. */
export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** What lies at `path`; undefined when a step is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current: unknown = value
  for (const step of path) {
    if (!isObject(current) || !Object.hasOwn(current, step)) return undefined
    current = current[step]
  }
  return current
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : undefined
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path)
  return typeof found === 'number' ? found : undefined
}

export function objectAt(value: unknown, ...path: readonly string[]): JsonObject | undefined {
  const found = at(value, ...path)
  return isObject(found) ? found : undefined
}

export function arrayAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path)
  return isArray(found) ? found : []
}

/** The string entries of a map such as labels; anything else in it is left out. */
export function textMapAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = objectAt(value, ...path)
  if (found === undefined) return {}
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** A copy with `next` at `path`; undefined removes the field. Everything beside the path is shared. */
export function withAt<T extends JsonObject>(value: T, path: readonly string[], next: unknown): T
export function withAt(value: JsonObject, path: readonly string[], next: unknown): JsonObject {
  return withFrom(value, path, 0, next)
}

function withFrom(value: JsonObject, path: readonly string[], from: number, next: unknown): JsonObject {
  const head = path[from]
  if (head === undefined) return value
  if (from + 1 < path.length) {
    const inner = value[head]
    if (next === undefined && !isObject(inner)) return value
    return { ...value, [head]: withFrom(isObject(inner) ? inner : {}, path, from + 1, next) }
  }
  if (next === undefined) {
    if (!Object.hasOwn(value, head)) return value
    const { [head]: _dropped, ...others } = value
    return others
  }
  return { ...value, [head]: next }
}
