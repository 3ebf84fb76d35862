import { goValue } from '../../../api/go-text.ts'
import { jsonEqual } from '../../../api/json.ts'
import { KubeError } from '../../../kube/errors.ts'
import { badRequest } from '../errors.ts'
import { isArray, isObject, type JsonObject } from '../json.ts'
import { type ListType, memberType, type TypeNode } from '../types/type-node.ts'

/**
 * Kubernetes' own merge patch for built-in kinds: lists with a merge key merge item by item, `$patch: delete|replace`,
 * `$deleteFromPrimitiveList`, `$setElementOrder` and `$retainKeys` direct it.
 */
export function strategicMerge(document: unknown, patch: JsonObject, type: TypeNode): unknown {
  const directive = patch['$patch']
  if (directive === 'delete') return undefined
  if (directive === 'replace') return withoutDirectives(patch)
  if (directive !== undefined && directive !== 'merge')
    throw unreadable(`unknown patch type: ${goValue(directive)} in map: ${goValue(patch)}`)
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
      if (isArray(current)) result[name] = current.filter((item) => !gone.some((other) => jsonEqual(item, other)))
    } else if (key.startsWith('$setElementOrder/')) {
      const name = key.slice('$setElementOrder/'.length)
      const current = result[name]
      if (patch[name] === undefined && isArray(current))
        result[name] = reorder(current, current, order(patch, name) ?? [], keyOf(memberType(type, name)))
    }
  }
  return result
}

function retainKeys(result: Record<string, unknown>, patch: JsonObject): void {
  const retained = patch['$retainKeys']
  if (retained === undefined) return
  const named = isArray(retained) && Object.keys(patch).every((key) => key.startsWith('$') || retained.includes(key))
  if (!named) throw badRequest('invalid patch format of retainKeys')
  for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key]
}

function order(patch: JsonObject, name: string): readonly unknown[] | undefined {
  const wanted = patch[`$setElementOrder/${name}`]
  if (wanted === undefined || isArray(wanted)) return wanted
  throw unreadable(`expected a []interface {}, but received a ${typeof wanted}`)
}

function mergeList(
  current: unknown,
  patch: readonly unknown[],
  type: TypeNode,
  wanted: readonly unknown[] | undefined,
): readonly unknown[] {
  if (type.kind !== 'list' || type.patchKey === undefined) return patch.map(withoutDirectives)
  if (!isArray(current) && type.patchKey !== '') {
    // There is nothing to merge with, so nothing needs a key.
    return patch.filter((item) => !isObject(item) || item['$patch'] === undefined).map(withoutDirectives)
  }
  const existing = isArray(current) ? current : []
  if (type.patchKey === '') {
    const added = patch.filter((item) => !existing.some((other) => jsonEqual(item, other)))
    return [...existing, ...added]
  }
  if (patch.some((item) => isObject(item) && item['$patch'] === 'replace')) {
    return patch.filter((item) => !(isObject(item) && item['$patch'] === 'replace')).map(withoutDirectives)
  }
  const merged = mergeItems(existing, patch, { ...type, patchKey: type.patchKey })
  return reorder(merged, existing, wanted ?? patch, type.patchKey)
}

function keyOf(type: TypeNode): string {
  return type.kind === 'list' ? (type.patchKey ?? '') : ''
}

function mergeItems(
  existing: readonly unknown[],
  patch: readonly unknown[],
  type: ListType & { readonly patchKey: string },
): readonly unknown[] {
  const result: unknown[] = [...existing]
  for (const item of patch) {
    if (!isObject(item))
      throw unreadable(`list element types are not identical: [${goValue(existing)} ${goValue(patch)}]`)
    const key = item[type.patchKey]
    if (key === undefined)
      throw unreadable(`map: ${goValue(item)} does not contain declared merge key: ${type.patchKey}`)
    const index = result.findIndex((other) => isObject(other) && jsonEqual(other[type.patchKey], key))
    if (item['$patch'] === 'delete') {
      if (index !== -1) result.splice(index, 1)
    } else if (index === -1) result.push(strategicMerge(undefined, item, type.items))
    else result[index] = strategicMerge(result[index], item, type.items)
  }
  return result
}

/**
 * The order of a merged list: what the patch names in its order, the rest in the order it had, and between the two whoever came first before.
 * What is new has no place yet and goes ahead.
 */
function reorder(
  merged: readonly unknown[],
  before: readonly unknown[],
  named: readonly unknown[],
  key: string,
): readonly unknown[] {
  const identity = (item: unknown): string => JSON.stringify(key === '' || !isObject(item) ? item : item[key])
  const rank = new Map(named.map((item, index) => [identity(item), index]))
  const place = new Map(before.map((item, index) => [identity(item), index]))
  const patched = merged.filter((item) => rank.has(identity(item)))
  patched.sort((a, b) => (rank.get(identity(a)) ?? 0) - (rank.get(identity(b)) ?? 0))
  const rest = merged.filter((item) => !rank.has(identity(item)))
  const result: unknown[] = []
  const placeOf = (item: unknown): number => place.get(identity(item)) ?? -1
  for (const item of patched) {
    while (rest[0] !== undefined && placeOf(rest[0]) < placeOf(item)) result.push(rest.shift())
    result.push(item)
  }
  return [...result, ...rest]
}

/** A real server takes these for mistakes of its own. */
function unreadable(message: string): KubeError {
  return new KubeError('Unknown', 500, message)
}

function withoutDirectives(value: unknown): unknown {
  if (isArray(value)) return value.map(withoutDirectives)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key, item]) => !key.startsWith('$') && item !== null)
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutDirectives(item)]))
}
