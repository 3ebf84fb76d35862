import { labelValueErrors, qualifiedNameErrors } from '../../../api/qualified-name.ts'
import { field, type FieldError } from '../errors.ts'
import { type JsonObject, objectAt, textAt } from '../json.ts'

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** What a server refuses about the taints of a node. */
export function taintErrors(taints: readonly unknown[]): readonly FieldError[] {
  const seen = new Set<string>()
  return taints.flatMap((taint, index) => {
    const path = `metadata.taints[${index}]`
    const key = textAt(taint, 'key') ?? ''
    const value = textAt(taint, 'value') ?? ''
    const effect = textAt(taint, 'effect') ?? ''
    const errors = key === '' ? [field.required(`${path}.key`)] : []
    if (key !== '')
      errors.push(...qualifiedNameErrors(key).map((problem) => field.invalid(`${path}.key`, key, problem)))
    const problems = labelValueErrors(value)
    if (problems.length > 0) errors.push(field.invalid(`${path}.value`, value, problems.join(';')))
    if (effect === '') errors.push(field.required(`${path}.effect`))
    else if (!effects.includes(effect)) errors.push(field.notSupported(`${path}.effect`, effect, effects))
    if (seen.has(`${key}:${effect}`))
      errors.push(field.duplicate(path, goTaint(taint), 'taints must be unique by key and effect pair'))
    seen.add(`${key}:${effect}`)
    return errors
  })
}

/** As Go prints the internal type in messages. */
function goTaint(taint: unknown): JsonObject {
  const { key = '', value = '', effect = '', timeAdded = null } = objectAt({ taint }, 'taint') ?? {}
  return { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded }
}
