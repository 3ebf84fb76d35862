import { field, type FieldError } from '../errors.ts'
import { arrayAt, isObject, objectAt, textAt, withAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { withDefaults } from './pod-defaults.ts'

export function defaultCrd(crd: IncomingObject): IncomingObject {
  const names = objectAt(crd, 'spec', 'names') ?? {}
  const kind = textAt(names, 'kind') ?? ''
  const complete = withDefaults(names, { singular: kind.toLowerCase(), listKind: `${kind}List` })
  const conversion = objectAt(crd, 'spec', 'conversion') ?? { strategy: 'None' }
  return withAt(withAt(crd, ['spec', 'names'], complete), ['spec', 'conversion'], conversion)
}

/** The checks without which a stored CRD could not be served. */
export function crdErrors(crd: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const errors: FieldError[] = []
  const spec = objectAt(crd, 'spec') ?? {}
  const plural = textAt(spec, 'names', 'plural') ?? ''
  const group = textAt(spec, 'group') ?? ''
  const name = textAt(crd, 'metadata', 'name') ?? ''
  if (name !== `${plural}.${group}`) {
    errors.push(field.invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group'))
  }
  if (group === '') errors.push(field.required('spec.group'))
  if ((textAt(spec, 'names', 'kind') ?? '') === '') errors.push(field.required('spec.names.kind'))
  const scope = textAt(spec, 'scope') ?? ''
  if (!['Cluster', 'Namespaced'].includes(scope)) {
    errors.push(
      scope === '' ? field.required('spec.scope') : field.notSupported('spec.scope', scope, ['Cluster', 'Namespaced']),
    )
  }
  const versions = arrayAt(spec, 'versions').filter(isObject)
  if (versions.filter((version) => version['storage'] === true).length !== 1) {
    errors.push(
      field.invalid(
        'spec.versions',
        versions.map((version) => version['name']),
        'must have exactly one version marked as storage version',
      ),
    )
  }
  versions.forEach((version, index) => {
    if (objectAt(version, 'schema', 'openAPIV3Schema') === undefined) {
      errors.push(field.required(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required'))
    }
  })
  for (const path of ['group', 'scope'] as const) {
    if (old !== undefined && textAt(old, 'spec', path) !== textAt(spec, path)) {
      errors.push(field.invalid(`spec.${path}`, textAt(spec, path) ?? '', 'field is immutable'))
    }
  }
  return errors
}
