import { qualifiedNameErrors } from '../../../api/qualified-name.ts'
import { field, type FieldError } from '../errors.ts'
import { arrayAt, type JsonObject, objectAt, textAt } from '../json.ts'
import { labelErrors } from './names.ts'

/** What is wrong with a selector of labels, as workloads and budgets have it. */
export function labelSelectorErrors(selector: JsonObject | undefined, path: string): FieldError[] {
  return [
    ...labelErrors(objectAt(selector, 'matchLabels') ?? {}, `${path}.matchLabels`),
    ...selectorErrors(selector, path),
  ]
}

/** The same without its `matchLabels`, which affinity, spread and claims take as they are. */
export function selectorErrors(selector: JsonObject | undefined, path: string): FieldError[] {
  return arrayAt(selector, 'matchExpressions').flatMap((expression, index) => {
    const at = `${path}.matchExpressions[${index}]`
    return [...expressionErrors(expression, at), ...keyErrors(textAt(expression, 'key') ?? '', `${at}.key`)]
  })
}

/** What label selectors and selectors of nodes have in common. */
export function expressionErrors(expression: unknown, at: string): FieldError[] {
  const operator = textAt(expression, 'operator') ?? ''
  const count = arrayAt(expression, 'values').length
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [field.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
    case 'Exists':
    case 'DoesNotExist': {
      const problem = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
      return count === 0 ? [] : [field.forbidden(`${at}.values`, problem)]
    }
    default:
      return [field.invalid(`${at}.operator`, operator, 'not a valid selector operator')]
  }
}

export function keyErrors(key: string, at: string): FieldError[] {
  return qualifiedNameErrors(key).map((problem) => field.invalid(at, key, problem))
}
