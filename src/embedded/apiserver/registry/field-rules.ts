import { jsonEqual } from '../../../api/json.ts'
import { field, type FieldError } from '../errors.ts'
import { type JsonObject, textAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'

/** A field that is one of a few words, if it is there. */
export function choice(object: JsonObject, name: string, supported: readonly string[]): readonly FieldError[] {
  const value = textAt(object, name)
  return value === undefined || supported.includes(value) ? [] : [field.notSupported(name, value, supported)]
}

/** Fields that an update leaves as they are. */
export function immutableFields(
  object: IncomingObject,
  old: StoredObject | undefined,
  names: readonly string[],
): readonly FieldError[] {
  if (old === undefined) return []
  return names
    .filter((name) => !jsonEqual(old[name], object[name]))
    .map((name) => field.invalid(name, object[name], 'field is immutable'))
}
