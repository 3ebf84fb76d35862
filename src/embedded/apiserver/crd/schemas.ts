import { compileForStore, type FieldError as SchemaError } from '../../../api/validation/index.ts'
import type { CustomSchemas } from '../api/context.ts'
import type { FieldError } from '../errors.ts'
import { isObject } from '../json.ts'
import type { IncomingObject } from '../object.ts'
import type { KindDefinition } from '../registry/definition.ts'

/** Pruning, defaulting, validation and CEL from the schema of the stored CRD. */
export const customSchemas: CustomSchemas = {
  admit(definition, object) {
    const compiled = compiledOf(definition)
    if (compiled === undefined) return { object, unknown: [] }
    const { value, dropped } = compiled.prune(object)
    const completed = compiled.default(value)
    return { object: isObject(completed) ? { ...completed, ...identity(object) } : object, unknown: dropped }
  },
  validate(definition, object, old) {
    const compiled = compiledOf(definition)
    return compiled === undefined ? [] : compiled.validate(object, old).map(toFieldError)
  },
}

function identity(object: IncomingObject) {
  return { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata }
}

function compiledOf(definition: KindDefinition) {
  const { schema, replicasPath } = definition.custom ?? {}
  return schema === undefined ? undefined : compileForStore(schema, replicasPath)
}

const kinds: Record<SchemaError['type'], FieldError['kind']> = {
  FieldValueRequired: 'required',
  FieldValueNotSupported: 'notSupported',
  FieldValueInvalid: 'invalid',
  FieldValueTypeInvalid: 'typeInvalid',
  FieldValueTooLong: 'tooLong',
  FieldValueTooMany: 'tooMany',
  FieldValueDuplicate: 'duplicate',
  FieldValueForbidden: 'forbidden',
}

function toFieldError(error: SchemaError): FieldError {
  return { kind: kinds[error.type], field: error.path === '' ? '<nil>' : error.path, message: error.body }
}
