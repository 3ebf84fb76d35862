import * as model from '../../../model/requirement.ts'
import type { Requirement } from '../../../model/requirement.ts'

/**
 * Requirements of instance types, each statement once: a thousand types with thirty labels each say the same few things over and over,
 * and one object for all of them saves most of a catalogue's memory. What AWS has types of bounds how many there are.
 */
const byKey = new Map<string, Map<string, Requirement>>()
const absentByKey = new Map<string, Requirement>()

export function oneValue(key: string, value: string): Requirement {
  let byValue = byKey.get(key)
  if (byValue === undefined) {
    byValue = new Map()
    byKey.set(key, byValue)
  }
  let known = byValue.get(value)
  if (known === undefined) {
    known = model.oneValue(key, value)
    byValue.set(value, known)
  }
  return known
}

/** Lists are few: zones, capacity types, tenancies. */
export function oneOf(key: string, values: readonly string[]): Requirement {
  const [only] = values
  if (only !== undefined && values.length === 1) return oneValue(key, only)
  const text = `${key}=${values.join()}`
  let known = lists.get(text)
  if (known === undefined) {
    known = model.oneOf(key, values)
    lists.set(text, known)
  }
  return known
}

const lists = new Map<string, Requirement>()

export function absent(key: string): Requirement {
  let known = absentByKey.get(key)
  if (known === undefined) {
    known = model.absent(key)
    absentByKey.set(key, known)
  }
  return known
}
