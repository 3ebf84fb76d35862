import { field, type FieldError } from '../errors.ts'
import { arrayAt, at, type JsonObject, objectAt, textAt } from '../json.ts'
import { subdomainProblem } from './names.ts'
import { selectorErrors } from './pod-validation/scheduling.ts'

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
  const mode = textAt(spec, 'volumeMode')
  if (mode !== undefined && !volumeModes.includes(mode)) {
    errors.push(field.notSupported(`${path}.volumeMode`, mode, volumeModes))
  }
  return errors
}
