import type { StructuralSchema } from '../custom-resource-definition.ts'
import { cloneJSON } from '../clone-json.ts'
import { isRecord, sameOr } from '../json.ts'
import type { KnownParts } from './known-parts.ts'

/**
 * Fills in defaults from the top down, so that a default object is itself completed. A null that is not allowed counts as absent,
 * in a map too, but not in a list; kube-apiserver 1.36 was seen to do so. What is complete is not copied; `known` are the properties
 * of the root that were complete before.
 */
export function applyDefaults(value: unknown, schema: StructuralSchema, known?: KnownParts): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined
      ? value
      : sameOr(
          value,
          value.map((item: unknown) =>
            applyDefaults(
              item === null && items.nullable !== true && items.default !== undefined ? cloneJSON(items.default) : item,
              items,
            ),
          ),
        )
  }
  if (!isRecord(value)) return value
  const properties = schema.properties ?? {}
  const additional = schema.additionalProperties
  const completed = new Map<string, unknown>()
  const gone = new Set<string>()
  const given = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)
  const put = (name: string, child: unknown): void => {
    if (child !== given(name) || !Object.hasOwn(value, name)) completed.set(name, child)
  }
  for (const [name, property] of Object.entries(properties)) {
    const isGiven = Object.hasOwn(value, name) && (value[name] !== null || property.nullable === true)
    if (isGiven) {
      const child = value[name]
      if (known?.has(name, child) === true) continue
      const complete = applyDefaults(child, property)
      if (complete === child) known?.add(name, child)
      put(name, complete)
    } else if (property.default !== undefined) put(name, applyDefaults(cloneJSON(property.default), property))
    else if (Object.hasOwn(value, name)) gone.add(name)
  }
  if (typeof additional === 'object') {
    for (const [name, child] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) continue
      if (child !== null || additional.nullable === true) put(name, applyDefaults(child, additional))
      else if (additional.default === undefined) gone.add(name)
      else put(name, applyDefaults(cloneJSON(additional.default), additional))
    }
  }
  if (completed.size === 0 && gone.size === 0) return value
  const entries = new Map<string, unknown>(Object.entries(value).filter(([name]) => !gone.has(name)))
  for (const [name, child] of completed) entries.set(name, child)
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
  return typeof value === 'object' ? cloneJSON(value) : value
}
