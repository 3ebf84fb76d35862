import { field, type FieldError } from '../errors.ts'
import { textAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { choice, immutableFields } from './field-rules.ts'
import { qualifiedNameProblem } from './names.ts'

export function storageClassErrors(object: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const provisioner = textAt(object, 'provisioner') ?? ''
  const problem = provisioner === '' ? undefined : qualifiedNameProblem(provisioner.toLowerCase())
  return [
    ...(provisioner === '' ? [field.required('provisioner')] : []),
    ...(problem === undefined ? [] : [field.invalid('provisioner', provisioner.toLowerCase(), problem)]),
    ...choice(object, 'reclaimPolicy', ['Delete', 'Retain']),
    ...choice(object, 'volumeBindingMode', ['Immediate', 'WaitForFirstConsumer']),
    ...immutableFields(object, old, ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode']),
  ]
}

/** As it is printed. */
export function storageClassName(object: StoredObject): string {
  const isDefault = object.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
  return isDefault ? `${object.metadata.name} (default)` : object.metadata.name
}
