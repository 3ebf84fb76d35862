import { admit, type Admitted, compiledResourceOf } from '../../api/validation/index.ts'
import type { PartialObject } from './documents.ts'

/**
 * What the API server would make of an object of one of our kinds: pruned, with defaults, judged by schema and CEL. Undefined for
 * other kinds, and for versions that are not served.
 */
export function admitOwnKind(object: PartialObject): Admitted | undefined {
  const resource = compiledResourceOf(object)
  return resource === undefined ? undefined : admit(resource, object)
}
