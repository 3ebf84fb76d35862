import type { StructuralSchema } from '../../api/custom-resource-definition.ts'
import { memberOf } from '../../api/json.ts'
import { compiledResourceOf, knownMetadata } from '../../api/validation/index.ts'
import type { PartialObject } from './documents.ts'
import { nearName } from './near-name.ts'

type Path = readonly (string | number)[]

/**
 * The field that was probably meant by the unknown one at this path; undefined where none has a like name, or the one that has is written
 * there already.
 */
export function nearField(object: PartialObject, path: Path): string | undefined {
  const [written, parent] = [path.at(-1), path.slice(0, -1)]
  if (typeof written !== 'string') return undefined
  const meant = nearName(written, fieldsKnownAt(object, parent))
  return meant === undefined || memberOf(valueAt(object, parent), meant) !== undefined ? undefined : meant
}

function fieldsKnownAt(object: PartialObject, path: Path): readonly string[] {
  if (path.length === 1 && path[0] === 'metadata') return [...knownMetadata]
  return Object.keys(schemaAt(compiledResourceOf(object)?.schema, path)?.properties ?? {})
}

/** In our kinds no map holds objects. */
function schemaAt(root: StructuralSchema | undefined, path: Path): StructuralSchema | undefined {
  return path.reduce<StructuralSchema | undefined>(
    (schema, part) => (typeof part === 'number' ? schema?.items : schema?.properties?.[part]),
    root,
  )
}

function valueAt(object: PartialObject, path: Path): unknown {
  return path.reduce<unknown>(
    (value, part) => (Array.isArray(value) ? (value[Number(part)] as unknown) : memberOf(value, String(part))),
    object,
  )
}
