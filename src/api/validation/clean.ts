import type { StructuralSchema } from '../custom-resource-definition.ts'
import { isGoInteger } from '../go-text.ts'
import { canonicalText, isRecord, jsonEqual, type JsonRecord, memberOf } from '../json.ts'
import { failedFormat } from './formats.ts'
import type { KnownParts } from './known-parts.ts'
import { containsMatch } from './patterns.ts'
import { integerRanges } from './structural.ts'

/** Whether a value passes; false may also mean that it takes a closer look to tell. */
type Check = (value: unknown) => boolean

/**
 * A check that says yes only where pruning would drop nothing and neither structure nor list types have an error: most objects, most
 * of the time. Whatever it refuses is looked at again by the functions that know how to word it. `known` are the fields of the root that
 * passed before.
 */
export function compileClean(schema: StructuralSchema, known?: KnownParts): Check {
  return checkOf(schema, 'resource', known)
}

/** `part`: a member of allOf and its like, which says nothing about the fields that it does not name. */
type Place = 'resource' | 'field' | 'part'

function checkOf(schema: StructuralSchema, place: Place, known?: KnownParts): Check {
  const checks = [
    typeCheck(schema),
    ...valueChecks(schema),
    ...textChecks(schema),
    ...numberChecks(schema),
    ...arrayChecks(schema, place),
    ...objectChecks(schema, place, known),
    ...combinedChecks(schema),
  ]
  const all = allOf(checks)
  return schema.nullable === true ? (value) => value === null || all(value) : all
}

function allOf(checks: readonly Check[]): Check {
  const [first, second, third] = checks
  if (first === undefined) return () => true
  if (second === undefined) return first
  if (third === undefined) return (value) => first(value) && second(value)
  return (value) => {
    for (const check of checks) if (!check(value)) return false
    return true
  }
}

function typeCheck(schema: StructuralSchema): Check {
  if (schema['x-kubernetes-int-or-string'] === true) return (value) => typeof value === 'string' || isGoInteger(value)
  switch (schema.type ?? '') {
    case 'object':
      return isRecord
    case 'array':
      return Array.isArray
    case 'integer':
      return isGoInteger
    case 'number':
      return (value) => typeof value === 'number'
    case 'string':
      return (value) => typeof value === 'string'
    case 'boolean':
      return (value) => typeof value === 'boolean'
    default:
      return () => true
  }
}

function valueChecks({ enum: values }: StructuralSchema): Check[] {
  if (values === undefined) return []
  if (!values.every((one) => typeof one === 'string')) return [(value) => values.some((one) => jsonEqual(one, value))]
  const known = new Set<unknown>(values)
  return [(value) => known.has(value)]
}

function textChecks({ minLength, maxLength, pattern, format }: StructuralSchema): Check[] {
  const checks: ((text: string) => boolean)[] = []
  // Characters are counted, and a text has no more of them than of its units.
  if (maxLength !== undefined) {
    checks.push((text) => text.length <= maxLength || Array.from(text).length <= maxLength)
  }
  if (minLength !== undefined) {
    checks.push((text) => text.length >= minLength * 2 || Array.from(text).length >= minLength)
  }
  if (pattern !== undefined) checks.push((text) => containsMatch(pattern, text))
  if (format !== undefined) checks.push((text) => failedFormat(format, text) === undefined)
  return checks.map((check) => (value) => typeof value !== 'string' || check(value))
}

function numberChecks(schema: StructuralSchema): Check[] {
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum, format, type } = schema
  const checks: ((value: number) => boolean)[] = []
  if (minimum !== undefined) checks.push((value) => value > minimum || (value === minimum && exclusiveMinimum !== true))
  if (maximum !== undefined) checks.push((value) => value < maximum || (value === maximum && exclusiveMaximum !== true))
  if (multipleOf !== undefined) checks.push((value) => value % multipleOf === 0)
  const range = type === 'integer' && format !== undefined ? integerRanges[format] : undefined
  if (range !== undefined) checks.push((value) => value >= range[0] && value <= range[1])
  return checks.map((check) => (value) => typeof value !== 'number' || check(value))
}

function arrayChecks(schema: StructuralSchema, place: Place): Check[] {
  const { items, minItems, maxItems } = schema
  const checks: ((value: readonly unknown[]) => boolean)[] = []
  if (maxItems !== undefined) checks.push((value) => value.length <= maxItems)
  if (minItems !== undefined) checks.push((value) => value.length >= minItems)
  if (items !== undefined) {
    const check = checkOf(items, place === 'part' ? 'part' : 'field')
    checks.push((value) => value.every(check))
  }
  const listType = schema['x-kubernetes-list-type']
  if (place !== 'part' && (listType === 'set' || listType === 'map')) {
    const keys = schema['x-kubernetes-list-map-keys'] ?? []
    checks.push((value) => areDistinct(value, listType === 'set' ? undefined : keys))
  }
  return checks.map((check) => (value) => !Array.isArray(value) || check(value))
}

function areDistinct(items: readonly unknown[], keys: readonly string[] | undefined): boolean {
  if (items.length < 2) return true
  const identities = items.map((item) =>
    canonicalText(keys === undefined ? item : keys.map((key) => memberOf(item, key) ?? null)),
  )
  return new Set(identities).size === items.length
}

function objectChecks(schema: StructuralSchema, place: Place, known: KnownParts | undefined): Check[] {
  const { required = [], minProperties, maxProperties, additionalProperties: additional } = schema
  const keepsUnknown =
    place === 'part' || schema['x-kubernetes-preserve-unknown-fields'] === true || additional === true
  const isResource = place === 'resource' || schema['x-kubernetes-embedded-resource'] === true
  const properties = new Map(
    Object.entries(schema.properties ?? {}).map(([name, property]) => {
      const isFixed = isResource && fixedFields.has(name)
      const check = checkOf(property, place === 'part' || isFixed ? 'part' : 'field')
      return [name, known === undefined ? check : remembering(name, check, known)]
    }),
  )
  const others = typeof additional === 'object' ? checkOf(additional, place === 'part' ? 'part' : 'field') : undefined
  const check = (value: JsonRecord): boolean => {
    const names = Object.keys(value)
    if (maxProperties !== undefined && names.length > maxProperties) return false
    if (minProperties !== undefined && names.length < minProperties) return false
    for (const name of names) {
      const child = value[name]
      // No JSON value: how it counts is left to the closer look.
      if (child === undefined) return false
      const property = properties.get(name) ?? others
      if (property === undefined ? !keepsUnknown && !(isResource && fixedFields.has(name)) : !property(child))
        return false
    }
    for (const name of required) if (!Object.hasOwn(value, name)) return false
    return true
  }
  return [(value) => !isRecord(value) || check(value)]
}

function remembering(name: string, check: Check, known: KnownParts): Check {
  return (value) => {
    if (known.has(name, value)) return true
    const passes = check(value)
    if (passes) known.add(name, value)
    return passes
  }
}

/** What pruning keeps in every resource, with all that is in it. */
const fixedFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

function combinedChecks(schema: StructuralSchema): Check[] {
  if (schema['x-kubernetes-int-or-string'] === true && schema.allOf === undefined) return []
  const compile = (part: StructuralSchema): Check => checkOf(part, 'part')
  const checks = (schema.allOf ?? []).map(compile)
  if (schema.anyOf !== undefined) {
    const parts = schema.anyOf.map(compile)
    checks.push((value) => parts.some((part) => part(value)))
  }
  // Where "perhaps not" counts as a match, only a closer look can tell.
  if (schema.oneOf !== undefined || schema.not !== undefined) checks.push(() => false)
  return checks
}
