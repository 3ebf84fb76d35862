import type { StructuralSchema } from '../custom-resource-definition.ts'
import { goQuoted, isGoInteger } from '../go-text.ts'
import { isRecord } from '../json.ts'
import { type FieldError, remark, typeName, wrongTypeName } from './field-error.ts'

/*
 * Values of another type than their schema's. A server says in one to four sentences what is wrong, depending on formats and on what the
 * value is; these are its own, word for word, as kube-apiserver 1.36 was heard to say them.
 */

export function hasType(value: unknown, schema: StructuralSchema): boolean {
  if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || isGoInteger(value)
  switch (schema.type ?? '') {
    case 'object':
      return isRecord(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return isGoInteger(value)
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === schema.type
    default:
      return true
  }
}

export function typeErrors(value: unknown, schema: StructuralSchema, path: string): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] === true) return intOrStringErrors(value, path)
  const { type = '', format } = schema
  const first =
    format !== undefined && isJudgedByFormat(value, type)
      ? wrongTypeName(path, goTypeName(value), format)
      : wrongTypeName(path, typeName(value), type)
  return type === 'integer' && typeof value === 'number' ? [first, noInteger(path, format)] : [first]
}

/** A whole number that has no room in the format of its schema. */
export function noInteger(path: string, format: string | undefined): FieldError {
  const kind = format === undefined ? 'integer (default format)' : `integer with format ${format}`
  return remark(`Invalid value: "": Checked value must be of type ${kind} in ${path}`)
}

function intOrStringErrors(value: unknown, path: string): FieldError[] {
  const name = typeName(value)
  return [
    wrongTypeName(path, name, 'integer,string'),
    remark(`Invalid value: "": ${goQuoted(path)} must validate at least one schema (anyOf)`),
    wrongTypeName(path, name, 'integer'),
    ...(typeof value === 'number' ? [noInteger(path, undefined)] : []),
  ]
}

/** Of text and lists where a number belongs the format is not asked. */
function isJudgedByFormat(value: unknown, type: string): boolean {
  return type === 'integer' ? typeof value !== 'string' && !Array.isArray(value) : !Array.isArray(value)
}

/** Empty for what is neither a number nor text to Go. */
function goTypeName(value: unknown): string {
  if (typeof value === 'number') return isGoInteger(value) ? 'int64' : 'float64'
  return typeof value === 'string' ? 'string' : ''
}
