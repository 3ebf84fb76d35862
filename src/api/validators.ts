import { validateEC2NodeClass, validateInstanceTypeCatalog, validateNodePool } from './generated/validators.gen.ts'
import type { EC2NodeClass, InstanceTypeCatalog, NodePool } from './karpenter.ts'

/** What does not fit a schema: a JSON pointer and a sentence. */
interface ShapeError {
  readonly path: string
  readonly message: string
}

export type ParseResult<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'invalid'; readonly errors: readonly ShapeError[] }

/** As ajv tells it. */
interface SchemaError {
  readonly instancePath: string
  readonly message?: string
  readonly params?: { readonly additionalProperty?: string }
}

interface CompiledValidator {
  (value: unknown): boolean
  errors?: readonly SchemaError[] | null
}

function parser<T>(compiled: CompiledValidator): (value: unknown) => ParseResult<T> {
  return (value) => {
    if (compiled(value)) return { kind: 'ok', value: value as T }
    return { kind: 'invalid', errors: (compiled.errors ?? []).map(shapeError) }
  }
}

function shapeError({ instancePath, message = 'is not valid', params }: SchemaError): ShapeError {
  const unknown = params?.additionalProperty
  return unknown === undefined
    ? { path: instancePath, message }
    : { path: `${instancePath}/${unknown.replaceAll('~', '~0').replaceAll('/', '~1')}`, message: 'unknown field' }
}

/*
 * From parsed JSON or YAML to a wire type, by the schema alone: fast, without defaults, pruning or rules. The verdict of an
 * API server, with its texts, is that of validation/.
 */
export const parseNodePool = parser<NodePool>(validateNodePool)
export const parseEC2NodeClass = parser<EC2NodeClass>(validateEC2NodeClass)
export const parseInstanceTypeCatalog = parser<InstanceTypeCatalog>(validateInstanceTypeCatalog)
