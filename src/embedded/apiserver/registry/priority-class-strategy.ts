import { jsonEqual } from '../../../api/json.ts'
import { field, type FieldError } from '../errors.ts'
import { numberAt, textAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { choice, immutableFields } from './field-rules.ts'

/** Classes of the cluster itself, by the only values that they may have. */
const systemPriorities: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
}
const userPriorityMax = 1_000_000_000

export function priorityClassErrors(object: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const errors: FieldError[] = []
  const name = textAt(object, 'metadata', 'name') ?? ''
  const value = numberAt(object, 'value') ?? 0
  if (name.startsWith('system-')) {
    if (systemPriorities[name] !== value) {
      const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`
      errors.push(field.forbidden('metadata.name', detail))
    }
  } else if (value > userPriorityMax) {
    const detail = `maximum allowed value of a user defined priority is ${userPriorityMax}`
    errors.push(field.forbidden('value', detail))
  }
  errors.push(...choice(object, 'preemptionPolicy', ['PreemptLowerPriority', 'Never']))
  if (old !== undefined && !jsonEqual(old['value'], object['value'])) {
    errors.push(field.forbidden('value', 'may not be changed in an update.'))
  }
  return [...errors, ...immutableFields(object, old, ['preemptionPolicy'])]
}
