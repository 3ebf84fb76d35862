import { type FieldError, field } from '../../errors.ts'
import { labelProblem } from '../names.ts'

/** The name of an item in a list of a pod: a DNS label that no other item has. */
export function nameErrors(name: string, taken: ReadonlySet<string>, at: string): FieldError[] {
  if (name === '') return [field.required(at)]
  const problem = labelProblem(name)
  if (problem !== undefined) return [field.invalid(at, name, problem)]
  return taken.has(name) ? [field.duplicate(at, name)] : []
}
