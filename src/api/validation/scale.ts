import { goTypeOf, goValue, isGoInteger } from '../go-text.ts'
import { isRecord, memberOf } from '../json.ts'
import { type FieldError, invalid } from './field-error.ts'

const int32Max = 2_147_483_647

/** What a server says of replicas that its subresource `scale` could not tell. `specPath` as in a definition: `.spec.replicas`. */
export function scaleErrors(object: unknown, specPath: string): FieldError[] {
  const steps = specPath.split('.').filter((step) => step !== '')
  let value: unknown = object
  for (const [index, step] of steps.entries()) {
    if (value === undefined || value === null) return []
    if (!isRecord(value)) return [unreadable(specPath, steps.slice(0, index + 1), value, 'map[string]interface{}')]
    value = memberOf(value, step)
  }
  if (value === undefined || value === null) return []
  if (typeof value !== 'number' || !isGoInteger(value)) return [unreadable(specPath, steps, value, 'int64')]
  if (value < 0) return [invalid(specPath, value, 'should be a non-negative integer')]
  return value > int32Max ? [invalid(specPath, value, `should be less than or equal to ${int32Max}`)] : []
}

function unreadable(specPath: string, steps: readonly string[], value: unknown, expected: string): FieldError {
  const text = `${goValue(value)} is of the type ${goTypeOf(value)}, expected ${expected}`
  return invalid(specPath, 0, `.${steps.join('.')} accessor error: ${text}`)
}
