import type { StructuralSchema } from '../custom-resource-definition.ts'
import { childPath, isRecord, sameOr } from '../json.ts'
import type { KnownParts } from './known-parts.ts'

export interface Pruned {
  readonly value: unknown
  /** Paths of the fields that were dropped, in document order. */
  readonly dropped: readonly string[]
}

/**
 * Drops what the schema does not know. The root's apiVersion, kind and metadata always stay. What loses nothing is not copied; `known`
 * are the fields of the root that lost nothing before.
 */
export function prune(value: unknown, schema: StructuralSchema, known?: KnownParts): Pruned {
  const dropped: string[] = []
  return { value: pruneValue(value, schema, '', dropped, true, known), dropped }
}

function pruneValue(
  value: unknown,
  schema: StructuralSchema,
  path: string,
  dropped: string[],
  isResource: boolean,
  known?: KnownParts,
): unknown {
  if (Array.isArray(value)) {
    // A list where none belongs is refused later; what is in it has no schema, so that nothing of it is known.
    const { items = {} } = schema
    if (schema.items === undefined && schema['x-kubernetes-preserve-unknown-fields'] === true) return value
    return sameOr(
      value,
      value.map((item: unknown, index) => pruneValue(item, items, `${path}[${index}]`, dropped, false)),
    )
  }
  if (!isRecord(value)) return value
  const properties = schema.properties ?? {}
  const additional = schema.additionalProperties
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true || additional === true
  const resource = isResource || schema['x-kubernetes-embedded-resource'] === true
  const entries: [string, unknown][] = []
  const given = Object.entries(value)
  for (const [key, child] of given) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (resource && (key === 'apiVersion' || key === 'kind' || key === 'metadata')) entries.push([key, child])
    else if (known?.has(key, child) === true) entries.push([key, child])
    else if (property !== undefined) {
      const kept = pruneValue(child, property, childPath(path, key), dropped, false)
      if (kept === child) known?.add(key, child)
      entries.push([key, kept])
    } else if (isSchema(additional))
      entries.push([key, pruneValue(child, additional, childPath(path, key), dropped, false)])
    else if (keepsUnknown) entries.push([key, child])
    else dropped.push(childPath(path, key))
  }
  const isWhole = entries.length === given.length && entries.every(([, child], index) => child === given[index]?.[1])
  return isWhole ? value : Object.fromEntries(entries)
}

function isSchema(value: boolean | StructuralSchema | undefined): value is StructuralSchema {
  return typeof value === 'object'
}
