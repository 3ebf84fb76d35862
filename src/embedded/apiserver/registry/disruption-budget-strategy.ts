import { field, type FieldError } from '../errors.ts'
import { at, type JsonObject, objectAt, textAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { labelSelectorErrors } from './selector-validation.ts'

/** What is printed of one of its two limits. */
export function budgetText(pdb: StoredObject, name: string): string {
  const value = at(pdb, 'spec', name)
  return value === undefined ? 'N/A' : String(value)
}

export function budgetErrors(object: IncomingObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {}
  const errors: FieldError[] = []
  const { minAvailable, maxUnavailable } = spec
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(field.invalid('spec', goBudget(spec), 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const [name, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (typeof value === 'number' && value < 0) {
      errors.push(field.invalid(`spec.${name}`, value, 'must be greater than or equal to 0'))
    }
    if (typeof value === 'string' && !/^\d+%$/.test(value)) {
      errors.push(
        field.invalid(
          `spec.${name}`,
          value,
          "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        ),
      )
    } else if (typeof value === 'string' && Number.parseInt(value, 10) > 100) {
      errors.push(field.invalid(`spec.${name}`, value, 'must not be greater than 100%'))
    }
  }
  errors.push(...labelSelectorErrors(objectAt(spec, 'selector'), 'spec.selector'))
  const policy = textAt(spec, 'unhealthyPodEvictionPolicy')
  if (policy !== undefined && !['IfHealthyBudget', 'AlwaysAllow'].includes(policy)) {
    errors.push(field.notSupported('spec.unhealthyPodEvictionPolicy', policy, ['AlwaysAllow', 'IfHealthyBudget']))
  }
  return errors
}

/** As Go prints the internal type in messages. */
function goBudget(spec: JsonObject): JsonObject {
  return {
    MinAvailable: spec['minAvailable'] ?? null,
    Selector: spec['selector'] ?? null,
    MaxUnavailable: spec['maxUnavailable'] ?? null,
    UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
  }
}
