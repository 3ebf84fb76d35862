import { customResourceDefinitions } from '../../api/karpenter.ts'
import { type Admitted, admit, compileVersion } from '../../api/validation/index.ts'
import type { PartialObject } from './documents.ts'

/**
 * What the API server would make of an object of one of our kinds: pruned, with defaults, judged by schema and CEL. Undefined for
 * other kinds, and for versions that are not served.
 */
export function admitOwnKind(object: PartialObject): Admitted | undefined {
  const [group = '', version = ''] = String(object.apiVersion).split('/')
  const definition = customResourceDefinitions.find(
    ({ spec }) => spec.group === group && spec.names.kind === object.kind,
  )
  const resource = definition === undefined ? undefined : compileVersion(definition, version)
  return resource === undefined ? undefined : admit(resource, object)
}
