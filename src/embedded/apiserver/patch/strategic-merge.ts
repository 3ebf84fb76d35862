import { badRequest } from '../errors.ts'
import { equalJson, isArray, isObject, type JsonObject } from '../json.ts'
import { type ListType, memberType, type TypeNode } from '../types/type-node.ts'

/**
 * Kubernetes' own merge patch for built-in kinds: lists with a merge key merge item by item, `$patch: delete|replace`,
 * `$deleteFromPrimitiveList`, `$setElementOrder` and `$retainKeys` direct it.
 */
export function strategicMerge(document: unknown, patch: JsonObject, type: TypeNode): unknown {
  const directive = patch['$patch']
  if (directive === 'delete') return undefined
  if (directive === 'replace') return withoutDirectives(patch)
  const result: Record<string, unknown> = isObject(document) ? { ...document } : {}
  retainKeys(result, patch)
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue
    const member = memberType(type, key)
    if (value === null) delete result[key]
    else if (isObject(value)) {
      const next = strategicMerge(result[key], value, member)
      if (next === undefined) delete result[key]
      else result[key] = next
    } else if (isArray(value)) result[key] = mergeList(result[key], value, member, order(patch, key))
    else result[key] = value
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$deleteFromPrimitiveList/')) {
      const name = key.slice('$deleteFromPrimitiveList/'.length)
      const gone = isArray(value) ? value : []
      const current = result[name]
      if (isArray(current)) result[name] = current.filter((item) => !gone.some((other) => equalJson(item, other)))
    } else if (key.startsWith('$setElementOrder/')) {
      const name = key.slice('$setElementOrder/'.length)
      const current = result[name]
      if (patch[name] === undefined && isArray(current))
        result[name] = reorder(current, order(patch, name), memberType(type, name))
    }
  }
  return result
}

function retainKeys(result: Record<string, unknown>, patch: JsonObject): void {
  const retained = patch['$retainKeys']
  if (!isArray(retained)) return
  for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key]
}

function order(patch: JsonObject, name: string): readonly unknown[] | undefined {
  const wanted = patch[`$setElementOrder/${name}`]
  return isArray(wanted) ? wanted : undefined
}

function mergeList(
  current: unknown,
  patch: readonly unknown[],
  type: TypeNode,
  wanted: readonly unknown[] | undefined,
): readonly unknown[] {
  if (type.kind !== 'list' || type.patchKey === undefined) return patch.map(withoutDirectives)
  const existing = isArray(current) ? current : []
  if (type.patchKey === '') {
    const added = patch.filter((item) => !existing.some((other) => equalJson(item, other)))
    return reorder([...existing, ...added], wanted, type)
  }
  if (patch.some((item) => isObject(item) && item['$patch'] === 'replace')) {
    return patch.filter((item) => !(isObject(item) && item['$patch'] === 'replace')).map(withoutDirectives)
  }
  return reorder(mergeItems(existing, patch, { ...type, patchKey: type.patchKey }), wanted, type)
}

function mergeItems(
  existing: readonly unknown[],
  patch: readonly unknown[],
  type: ListType & { readonly patchKey: string },
): readonly unknown[] {
  const result: unknown[] = [...existing]
  for (const item of patch) {
    if (!isObject(item)) continue
    const key = item[type.patchKey]
    if (key === undefined)
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${type.patchKey}`)
    const index = result.findIndex((other) => isObject(other) && equalJson(other[type.patchKey], key))
    if (item['$patch'] === 'delete') {
      if (index !== -1) result.splice(index, 1)
    } else if (index === -1) result.push(strategicMerge(undefined, item, type.items))
    else result[index] = strategicMerge(result[index], item, type.items)
  }
  return result
}

/** Items that the patch orders take that order; others keep their place relative to those before them. */
function reorder(
  items: readonly unknown[],
  wanted: readonly unknown[] | undefined,
  type: TypeNode,
): readonly unknown[] {
  if (wanted === undefined) return items
  const key = type.kind === 'list' ? (type.patchKey ?? '') : ''
  const identity = (item: unknown): string => JSON.stringify(key === '' || !isObject(item) ? item : item[key])
  const rank = new Map(wanted.map((item, index) => [identity(item), index]))
  const ordered = items.filter((item) => rank.has(identity(item)))
  ordered.sort((a, b) => (rank.get(identity(a)) ?? 0) - (rank.get(identity(b)) ?? 0))
  return [...ordered, ...items.filter((item) => !rank.has(identity(item)))]
}

function withoutDirectives(value: unknown): unknown {
  if (isArray(value)) return value.map(withoutDirectives)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key, item]) => !key.startsWith('$') && item !== null)
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutDirectives(item)]))
}
