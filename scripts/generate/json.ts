/** JSON as the generator handles it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key]
  if (!isJsonObject(value)) throw new Error(`${key} is not an object`)
  return value
}

export function optionalObjectAt(parent: JsonObject, key: string): JsonObject | undefined {
  return parent[key] === undefined ? undefined : objectAt(parent, key)
}

export function textAt(parent: JsonObject, key: string): string {
  const value = parent[key]
  if (typeof value !== 'string') throw new Error(`${key} is not text`)
  return value
}

export function listAt(parent: JsonObject, key: string): readonly Json[] {
  const value = parent[key]
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new Error(`${key} is not a list`)
  return value
}
