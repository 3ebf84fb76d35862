import { field, type FieldError } from '../errors.ts'
import { type JsonObject, objectAt } from '../json.ts'
import { labelErrors, qualifiedNameProblem } from './names.ts'
import { podSpecErrors } from './pod-validation/pod-spec.ts'

/**
 * What is wrong with the template of pods in a spec; `path` is the template's.
 * @param claimed names of volumes that claim templates add
 */
export function templateErrors(spec: JsonObject, path: string, claimed: readonly string[] = []): FieldError[] {
  const annotations = objectAt(spec, 'template', 'metadata', 'annotations') ?? {}
  return [
    ...labelErrors(objectAt(spec, 'template', 'metadata', 'labels') ?? {}, `${path}.labels`),
    ...Object.keys(annotations).flatMap((key) => {
      const problem = qualifiedNameProblem(key)
      return problem === undefined ? [] : [field.invalid(`${path}.annotations`, key, problem)]
    }),
    ...podSpecErrors(objectAt(spec, 'template', 'spec') ?? {}, `${path}.spec`, claimed),
  ]
}
