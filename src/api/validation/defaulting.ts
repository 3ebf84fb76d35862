import type { StructuralSchema } from '../custom-resource-definition.ts'
import { isRecord } from './json-value.ts'

/**
 * Fills in defaults from the top down, so that a default object is itself completed. A null that is not allowed counts as absent,
 * in a map too, but not in a list; kube-apiserver 1.36 was seen to do so.
 */
export function applyDefaults(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined
      ? value
      : value.map((item: unknown) =>
          applyDefaults(
            item === null && items.nullable !== true && items.default !== undefined
              ? structuredClone(items.default)
              : item,
            items,
          ),
        )
  }
  if (!isRecord(value)) return value
  const properties = schema.properties ?? {}
  const additional = schema.additionalProperties
  const entries = new Map<string, unknown>(Object.entries(value))
  for (const [name, property] of Object.entries(properties)) {
    if (entries.get(name) === null && property.nullable !== true) entries.delete(name)
    if (!entries.has(name) && property.default !== undefined) entries.set(name, structuredClone(property.default))
    if (entries.has(name)) entries.set(name, applyDefaults(entries.get(name), property))
  }
  if (typeof additional === 'object') {
    for (const [name, child] of entries) {
      if (Object.hasOwn(properties, name)) continue
      if (child !== null || additional.nullable === true) entries.set(name, applyDefaults(child, additional))
      else if (additional.default === undefined) entries.delete(name)
      else entries.set(name, applyDefaults(structuredClone(additional.default), additional))
    }
  }
  return Object.fromEntries(entries)
}
