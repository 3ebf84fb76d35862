import type { KubeObject } from '../../src/api/kubernetes.ts'
import type { JsonObject } from '../../src/embedded/apiserver/json.ts'
import { builtinTypes } from '../../src/embedded/apiserver/types/builtin-types.gen.ts'
import { builtinType } from '../../src/embedded/apiserver/types/builtin.ts'
import { decode } from '../../src/embedded/apiserver/types/decode.ts'

/**
 * What an API server that decodes strictly would object to in an object of one of its own kinds: fields that the kind does not have,
 * values of another type. Undefined for kinds that come from a CustomResourceDefinition.
 */
export function builtInSchemaProblems(object: KubeObject): readonly string[] | undefined {
  const version = object.apiVersion.split('/').at(-1) ?? ''
  const model = `${version.charAt(0).toUpperCase()}${version.slice(1)}${object.kind}`
  if (builtinTypes[model] === undefined) return undefined
  const { unknown, errors } = decode(builtinType(model), object as unknown as JsonObject)
  return [...unknown.map((path) => `unknown field ${path}`), ...errors]
}
