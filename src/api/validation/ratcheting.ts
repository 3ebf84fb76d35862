import type { StructuralSchema } from '../custom-resource-definition.ts'
import { jsonEqual, memberOf } from '../json.ts'

/** Whether an update leaves a value as it was stored; it then cannot fail for what was already wrong with it. */
export function isUnchanged(value: unknown, old: unknown): boolean {
  return old !== undefined && jsonEqual(value, old)
}

/** The stored item that a list item continues. Only lists that are maps say which one it is. */
export function correlatedItem(schema: StructuralSchema, item: unknown, old: unknown): unknown {
  const keys = schema['x-kubernetes-list-map-keys']
  if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined || !Array.isArray(old)) return undefined
  return old.find((candidate: unknown) => keys.every((key) => jsonEqual(memberOf(candidate, key), memberOf(item, key))))
}
