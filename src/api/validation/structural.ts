import type { StructuralSchema } from '../custom-resource-definition.ts'
import { isGoInteger } from '../go-text.ts'
import { canonicalText, childPath, isRecord, jsonEqual, type JsonRecord, memberOf } from '../json.ts'
import {
  duplicate,
  type FieldError,
  invalid,
  invalidInBody,
  required,
  tooLong,
  tooMany,
  unsupported,
  wrongFormat,
} from './field-error.ts'
import { failedFormat } from './formats.ts'
import { correlatedItem, isUnchanged } from './ratcheting.ts'
import { containsMatch } from './patterns.ts'
import { hasType, noInteger, typeErrors } from './type-errors.ts'

/**
 * The checks that need no rule: types, bounds, patterns. `old` is the stored value at the same place, when there is one: what is
 * unchanged in an update is not held against it.
 */
export function structuralErrors(value: unknown, schema: StructuralSchema, path: string, old: unknown): FieldError[] {
  if (isUnchanged(value, old)) return []
  if (value === null && schema.nullable === true) return []
  if (!hasType(value, schema)) {
    // A fraction where an integer belongs is still measured by the bounds, and anything by what is listed.
    const bounds = typeof value === 'number' && schema.type === 'integer' ? numberErrors(value, schema, path) : []
    return [...typeErrors(value, schema, path), ...bounds, ...listedErrors(value, schema, path)]
  }
  const errors = scalarErrors(value, schema, path)
  if (Array.isArray(value)) errors.push(...arrayErrors(value, schema, path, old))
  else if (isRecord(value)) errors.push(...objectErrors(value, schema, path, old))
  errors.push(...combinedErrors(value, schema, path))
  return errors
}

/** Uniqueness in sets and in lists that are maps; checked after everything else that needs no rule. */
export function listTypeErrors(value: unknown, schema: StructuralSchema, path: string, old: unknown): FieldError[] {
  if (isUnchanged(value, old)) return []
  if (Array.isArray(value)) {
    const { items } = schema
    const nested =
      items === undefined
        ? []
        : value.flatMap((item: unknown, index) =>
            listTypeErrors(item, items, `${path}[${index}]`, correlatedItem(schema, item, old)),
          )
    return [...duplicates(value, schema, path), ...nested]
  }
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, child]) => {
    const property = propertySchema(schema, name)
    return property === undefined ? [] : listTypeErrors(child, property, childPath(path, name), memberOf(old, name))
  })
}

function duplicates(value: readonly unknown[], schema: StructuralSchema, path: string): FieldError[] {
  const type = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (type !== 'set' && type !== 'map') return []
  // However often a value is repeated, it is reported once.
  const seen = new Map<string, number>()
  return value.flatMap((item, index) => {
    if (type === 'map' && !isRecord(item)) {
      return [invalid(`${path}[${index}]`, item, 'must be an object for an array of list-type map')]
    }
    const identity = type === 'set' ? item : Object.fromEntries(keys.map((key) => [key, memberOf(item, key)]))
    const text = canonicalText(identity)
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    return times === 2 ? [duplicate(`${path}[${index}]`, identity)] : []
  })
}

function scalarErrors(value: unknown, schema: StructuralSchema, path: string): FieldError[] {
  const errors = listedErrors(value, schema, path)
  if (typeof value === 'string') errors.push(...textErrors(value, schema, path))
  if (typeof value === 'number') errors.push(...numberErrors(value, schema, path))
  return errors
}

function listedErrors(value: unknown, schema: StructuralSchema, path: string): FieldError[] {
  const isListed = schema.enum === undefined || schema.enum.some((one) => jsonEqual(one, value))
  return isListed ? [] : [unsupported(path, value, schema.enum ?? [])]
}

/** Of length and pattern only the first that fails is reported. */
function textErrors(value: string, schema: StructuralSchema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const characters = Array.from(value).length
  if (schema.maxLength !== undefined && characters > schema.maxLength) {
    errors.push(tooLong(path, schema.maxLength))
  } else if (schema.minLength !== undefined && characters < schema.minLength) {
    errors.push(invalidInBody(path, value, `should be at least ${schema.minLength} chars long`))
  } else if (schema.pattern !== undefined && !containsMatch(schema.pattern, value)) {
    errors.push(invalidInBody(path, value, `should match '${schema.pattern}'`))
  }
  const format = failedFormat(schema.format, value)
  if (format !== undefined) errors.push(wrongFormat(path, value, format))
  return errors
}

export const integerRanges: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-2_147_483_648, 2_147_483_647],
  // The exact bounds are no doubles; a JSON number of this size has already lost its last digits.
  int64: [-(2 ** 63), 2 ** 63],
}

function numberErrors(value: number, schema: StructuralSchema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const range = schema.type === 'integer' && schema.format !== undefined ? integerRanges[schema.format] : undefined
  // What is no integer at all has been told so.
  if (range !== undefined && isGoInteger(value) && (value < range[0] || value > range[1])) {
    errors.push(noInteger(path, schema.format))
  }
  const { minimum, maximum, multipleOf } = schema
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    errors.push(
      invalidInBody(
        path,
        value,
        `should be greater than ${schema.exclusiveMinimum === true ? '' : 'or equal to '}${minimum}`,
      ),
    )
  }
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    errors.push(
      invalidInBody(
        path,
        value,
        `should be less than ${schema.exclusiveMaximum === true ? '' : 'or equal to '}${maximum}`,
      ),
    )
  }
  if (multipleOf !== undefined && value % multipleOf !== 0)
    errors.push(invalidInBody(path, value, `should be a multiple of ${multipleOf}`))
  return errors
}

function arrayErrors(value: readonly unknown[], schema: StructuralSchema, path: string, old: unknown): FieldError[] {
  const errors: FieldError[] = []
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    errors.push(tooMany(path, value.length, schema.maxItems))
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    errors.push(invalidInBody(path, value.length, `should have at least ${schema.minItems} items`))
  }
  const { items } = schema
  if (items === undefined) return errors
  return [
    ...errors,
    ...value.flatMap((item, index) =>
      structuralErrors(item, items, `${path}[${index}]`, correlatedItem(schema, item, old)),
    ),
  ]
}

function objectErrors(value: JsonRecord, schema: StructuralSchema, path: string, old: unknown): FieldError[] {
  const errors: FieldError[] = []
  const count = Object.keys(value).length
  if (schema.maxProperties !== undefined && count > schema.maxProperties)
    errors.push(tooMany(path, count, schema.maxProperties))
  if (schema.minProperties !== undefined && count < schema.minProperties) {
    errors.push(invalidInBody(path, count, `should have at least ${schema.minProperties} properties`))
  }
  for (const name of Object.keys(value).sort()) {
    const child = value[name]
    const property = propertySchema(schema, name)
    if (property === undefined || child === undefined) continue
    errors.push(...structuralErrors(child, property, childPath(path, name), memberOf(old, name)))
  }
  const missing = (schema.required ?? []).filter((name) => memberOf(value, name) === undefined)
  return [...errors, ...missing.map((name) => required(childPath(path, name)))]
}

/** Value validations joined by allOf, anyOf, oneOf and not. */
function combinedErrors(value: unknown, schema: StructuralSchema, path: string): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] === true && schema.allOf === undefined) return []
  const passes = (part: StructuralSchema): boolean => structuralErrors(value, part, path, undefined).length === 0
  const errors = (schema.allOf ?? []).flatMap((part) => structuralErrors(value, part, path, undefined))
  if (schema.anyOf !== undefined && !schema.anyOf.some(passes))
    errors.push(invalidInBody(path, value, 'must validate at least one schema (anyOf)'))
  if (schema.oneOf !== undefined && schema.oneOf.filter(passes).length !== 1) {
    errors.push(invalidInBody(path, value, 'must validate one and only one schema (oneOf)'))
  }
  if (schema.not !== undefined && passes(schema.not))
    errors.push(invalidInBody(path, value, 'must not validate the schema (not)'))
  return errors
}

export function propertySchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties, additionalProperties } = schema
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}
