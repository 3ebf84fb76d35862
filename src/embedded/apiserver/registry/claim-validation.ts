import { jsonEqual } from '../../../api/json.ts'
import { tryParseQuantity } from '../../../model/quantity.ts'
import { field, type FieldError } from '../errors.ts'
import { arrayAt, at, type JsonObject, objectAt, textAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { choice } from './field-rules.ts'
import { subdomainProblem } from './names.ts'
import { selectorErrors } from './selector-validation.ts'

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
const volumeModes = ['Block', 'Filesystem']

/** What is wrong with a claim, or with the template of one. */
export function claimErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const modes = arrayAt(spec, 'accessModes').map(String)
  const errors = [...selectorErrors(objectAt(spec, 'selector'), `${path}.selector`)]
  if (modes.length === 0) errors.push(field.required(`${path}.accessModes`, 'at least 1 access mode is required'))
  for (const mode of modes) {
    if (!accessModes.includes(mode)) errors.push(field.notSupported(`${path}.accessModes`, mode, accessModes))
  }
  if (modes.length > 1 && modes.includes('ReadWriteOncePod')) {
    const detail = 'may not use ReadWriteOncePod with other access modes'
    errors.push(field.forbidden(`${path}.accessModes`, detail))
  }
  const storage = at(spec, 'resources', 'requests', 'storage')
  if (storage === undefined) errors.push(field.required(`${path}.resources[storage]`))
  else if (typeof storage === 'string' && /^-|^0[^.1-9]*$/.test(storage)) {
    errors.push(field.invalid(`${path}.resources[storage]`, storage, 'must be greater than zero'))
  }
  const storageClass = textAt(spec, 'storageClassName') ?? ''
  const problem = storageClass === '' ? undefined : subdomainProblem(storageClass)
  if (problem !== undefined) errors.push(field.invalid(`${path}.storageClassName`, storageClass, problem))
  errors.push(...choice(spec, `${path}.volumeMode`, volumeModes))
  return errors
}

/** A claim is what it was made as; one that is bound may grow, and one without a class may get one. */
export function claimChangeErrors(claim: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  if (old === undefined) return []
  const [spec, before] = [objectAt(claim, 'spec') ?? {}, objectAt(old, 'spec') ?? {}]
  const isBound = textAt(old, 'status', 'phase') === 'Bound'
  const free = [
    'volumeAttributesClassName',
    ...(isBound ? ['resources'] : []),
    ...(textAt(before, 'volumeName') === undefined ? ['volumeName'] : []),
    ...(textAt(before, 'storageClassName') === undefined ? ['storageClassName'] : []),
  ]
  const names = new Set([...Object.keys(spec), ...Object.keys(before)])
  const errors: FieldError[] = []
  if ([...names].some((name) => !free.includes(name) && !jsonEqual(spec[name], before[name]))) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    errors.push(field.forbidden('spec', detail))
  }
  if (isBound) {
    const [wanted, had] = [spec, before].map((each) =>
      tryParseQuantity(String(at(each, 'resources', 'requests', 'storage'))),
    )
    const given = tryParseQuantity(String(at(old, 'status', 'capacity', 'storage')))
    if (
      wanted !== undefined &&
      had !== undefined &&
      wanted.compare(had) < 0 &&
      (given === undefined || wanted.compare(given) <= 0)
    ) {
      const detail = 'field can not be less than status.capacity'
      errors.push(field.forbidden('spec.resources.requests.storage', detail))
    }
  }
  if (!jsonEqual(spec['volumeMode'], before['volumeMode'])) {
    errors.push(field.invalid('volumeMode', spec['volumeMode'] ?? null, 'field is immutable'))
  }
  return errors
}
