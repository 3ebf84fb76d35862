import { customResourceDefinitions } from '../generated/crds.gen.ts'
import { textOf } from '../json.ts'
import { type CompiledCustomResource, compileVersion } from './custom-resource.ts'

/** What judges an object of one of our kinds; undefined for other kinds, and for versions that are not served. */
export function compiledResourceOf(object: {
  readonly apiVersion?: unknown
  readonly kind?: unknown
}): CompiledCustomResource | undefined {
  const [group = '', version = ''] = textOf(object.apiVersion).split('/')
  const definition = customResourceDefinitions.find(
    ({ spec }) => spec.group === group && spec.names.kind === object.kind,
  )
  return definition === undefined ? undefined : compileVersion(definition, version)
}
