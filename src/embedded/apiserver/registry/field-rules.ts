import { jsonEqual } from '../../../api/json.ts'
import { field, type FieldError } from '../errors.ts'
import { type JsonObject, numberAt, textAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'

/** The field at `path`, whose last part is its name in `object`, is one of a few words, if it is there. */
export function choice(object: unknown, path: string, supported: readonly string[]): readonly FieldError[] {
  const value = textAt(object, path.slice(path.lastIndexOf('.') + 1))
  return value === undefined || supported.includes(value) ? [] : [field.notSupported(path, value, supported)]
}

/** Fields of the object at `path` that are numbers, none of them below zero. */
export function notNegative(object: JsonObject, path: string, names: readonly string[]): readonly FieldError[] {
  return names.flatMap((name) => {
    const value = numberAt(object, name) ?? 0
    return value < 0 ? [field.invalid(`${path}.${name}`, value, 'must be greater than or equal to 0')] : []
  })
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
