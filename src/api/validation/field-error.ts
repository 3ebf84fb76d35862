import { goNumber, goQuoted, isGoInteger } from '../go-text.ts'
import { goJson } from '../hash/go-json.ts'

/** What is wrong with one field, in an API server's words. */
export interface FieldError {
  readonly type: FieldErrorType
  /** Such as `spec.template.spec.requirements[0].key`; `<nil>` for a remark about the whole object. */
  readonly path: string
  /** What an API server prints after the path, and puts into a status cause. */
  readonly body: string
  /** `path: body`. */
  readonly message: string
  /** Where the error comes from: the schema's own keywords, or a CEL rule. */
  readonly source: 'schema' | 'cel'
}

/** The reasons of status causes. */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueNotSupported'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'

/** Types of error after which rules are not evaluated: their expressions could not rely on the schema's types. */
const blocking: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

export function blocksRules(error: FieldError): boolean {
  return blocking.has(error.type)
}

/** Types of error after which an object does not have the shape of its schema: code that reads typed fields would stumble. */
const misshaping: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueTypeInvalid',
])

export function hasShape(errors: readonly FieldError[]): boolean {
  return errors.every(({ type, source }) => source === 'cel' || !misshaping.has(type))
}

function fieldError(
  type: FieldErrorType,
  path: string,
  body: string,
  source: FieldError['source'] = 'schema',
): FieldError {
  return { type, path, body, message: `${path}: ${body}`, source }
}

export function required(path: string, detail?: string): FieldError {
  return fieldError('FieldValueRequired', path, detail === undefined ? 'Required value' : `Required value: ${detail}`)
}

export function invalid(path: string, value: unknown, detail: string): FieldError {
  return invalidAs(path, valueText(value), detail)
}

/** `text` is the value as the server prints it. */
export function invalidAs(path: string, text: string, detail: string): FieldError {
  return fieldError('FieldValueInvalid', path, `Invalid value: ${text}: ${detail}`)
}

export function unsupported(path: string, value: unknown, supported: readonly unknown[]): FieldError {
  const values = supported.map(valueText).join(', ')
  return fieldError(
    'FieldValueNotSupported',
    path,
    `Unsupported value: ${valueText(value)}: supported values: ${values}`,
  )
}

/** `detail` without the `<path> in body` in front of it. */
export function invalidInBody(path: string, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueInvalid', path, `Invalid value: ${valueText(value)}: ${inBody(path)}${detail}`)
}

export function wrongType(path: string, value: unknown, type: string): FieldError {
  return wrongTypeName(path, typeName(value), type)
}

/** `actual` is what the server calls the type that it was given. */
export function wrongTypeName(path: string, actual: string, type: string): FieldError {
  const text = `Invalid value: "${actual}": ${inBody(path)}must be of type ${type}: "${actual}"`
  return fieldError('FieldValueTypeInvalid', path, text)
}

/** What a server says of the object as a whole, though it means one field. */
export function remark(body: string): FieldError {
  return fieldError('FieldValueInvalid', '<nil>', body)
}

export function wrongFormat(path: string, value: string, format: string): FieldError {
  return fieldError(
    'FieldValueTypeInvalid',
    path,
    `Invalid value: ${valueText(value)}: ${inBody(path)}must be of type ${format}: ${valueText(value)}`,
  )
}

export function tooLong(path: string, max: number): FieldError {
  return fieldError('FieldValueTooLong', path, `Too long: may not be more than ${max} bytes`)
}

export function tooMany(path: string, actual: number, max: number): FieldError {
  return fieldError('FieldValueTooMany', path, `Too many: ${actual}: must have at most ${max} items`)
}

export function duplicate(path: string, value: unknown): FieldError {
  return fieldError('FieldValueDuplicate', path, `Duplicate value: ${valueText(value)}`)
}

/** A rule that does not hold. Scalars are quoted, objects and lists are not. */
export function ruleFailed(path: string, type: FieldErrorType, value: unknown, message: string): FieldError {
  const quoted = typeof value === 'object' ? '' : `${valueText(value)}: `
  return fieldError(
    type,
    path,
    `${ruleFailureWords[type] ?? 'Invalid value'}: ${type === 'FieldValueInvalid' ? quoted : ''}${message}`,
    'cel',
  )
}

/** A rule that cannot be evaluated; here the kind of value is named instead of the value. */
export function ruleBroken(path: string, value: unknown, message: string): FieldError {
  return fieldError('FieldValueInvalid', path, `Invalid value: ${JSON.stringify(typeName(value))}: ${message}`, 'cel')
}

const ruleFailureWords: Partial<Readonly<Record<FieldErrorType, string>>> = {
  FieldValueRequired: 'Required value',
  FieldValueForbidden: 'Forbidden',
  FieldValueDuplicate: 'Duplicate value',
}

export function rulesNotChecked(): FieldError {
  return remark(
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  )
}

export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return isGoInteger(value) ? 'integer' : 'number'
  return typeof value
}

function inBody(path: string): string {
  return path === '' ? '' : `${path} in body `
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return goQuoted(value)
  return typeof value === 'number' ? goNumber(value) : goJson(value)
}
