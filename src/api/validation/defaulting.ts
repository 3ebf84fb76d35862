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

/** Fills in defaults without copying what needs none; undefined for a schema that has none. Nulls stay where they are. */
export type Fill = (value: unknown) => unknown

interface FilledProperty {
  readonly name: string
  readonly default: unknown
  readonly fill: Fill | undefined
}

/** `applyDefaults` for objects without nulls: what is complete already is returned as it is. */
export function compileFill(schema: StructuralSchema): Fill | undefined {
  const items = schema.items === undefined ? undefined : compileFill(schema.items)
  const additional =
    typeof schema.additionalProperties === 'object' ? compileFill(schema.additionalProperties) : undefined
  const known = schema.properties ?? {}
  const properties = Object.entries(known).flatMap(([name, property]): FilledProperty[] => {
    const fill = compileFill(property)
    return fill === undefined && property.default === undefined ? [] : [{ name, default: property.default, fill }]
  })
  if (items === undefined && additional === undefined && properties.length === 0) return undefined
  return (value) => {
    if (Array.isArray(value)) return items === undefined ? value : filledItems(value, items)
    if (!isRecord(value)) return value
    let filled: Record<string, unknown> | undefined
    for (const property of properties) {
      const given = Object.hasOwn(value, property.name) ? value[property.name] : freshDefault(property.default)
      if (given === undefined) continue
      const complete = property.fill === undefined ? given : property.fill(given)
      if (complete === value[property.name]) continue
      filled ??= { ...value }
      filled[property.name] = complete
    }
    if (additional === undefined) return filled ?? value
    for (const [name, child] of Object.entries(value)) {
      if (Object.hasOwn(known, name)) continue
      const complete = additional(child)
      if (complete === child) continue
      filled ??= { ...value }
      filled[name] = complete
    }
    return filled ?? value
  }
}

function filledItems(items: readonly unknown[], fill: Fill): readonly unknown[] {
  let changed = false
  const filled = items.map((item) => {
    const complete = fill(item)
    changed ||= complete !== item
    return complete
  })
  return changed ? filled : items
}

function freshDefault(value: unknown): unknown {
  return typeof value === 'object' ? structuredClone(value) : value
}
