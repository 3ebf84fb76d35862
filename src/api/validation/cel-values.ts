import type { StructuralSchema } from '../custom-resource-definition.ts'
import { isRecord } from '../json.ts'
import { propertySchema } from './structural.ts'

/**
 * A JSON value as CEL sees it. JSON has one kind of number and CEL has two, so the schema decides; text with a date format becomes
 * a timestamp.
 */
export function toCelValue(value: unknown, schema: StructuralSchema | undefined): unknown {
  if (typeof value === 'number') return schema?.type === 'number' || !Number.isInteger(value) ? value : BigInt(value)
  if (typeof value === 'string') return isTimestamp(schema) ? new Date(value) : value
  if (Array.isArray(value)) return value.map((item: unknown) => toCelValue(item, schema?.items))
  if (!isRecord(value)) return value
  const isMap = schema?.properties === undefined
  const entries = Object.entries(value).map(([name, child]): [string, unknown] => [
    isMap ? name : escapeFieldName(name),
    toCelValue(child, schema === undefined ? undefined : propertySchema(schema, name)),
  ])
  // The evaluator tells what a value is by its constructor, and a label may be called that.
  return Object.hasOwn(value, 'constructor') ? new Map(entries) : Object.fromEntries(entries)
}

function isTimestamp(schema: StructuralSchema | undefined): boolean {
  return schema?.format === 'date-time' || schema?.format === 'date'
}

const keywords: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
])

const needsEscape = /__|[.\-/]/

/** Field names that are no CEL identifiers are spelled differently in rules. */
export function escapeFieldName(name: string): string {
  if (keywords.has(name)) return `__${name}__`
  if (!needsEscape.test(name)) return name
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__')
}
