import { parseDuration } from '../duration.ts'
import { parseExactQuantity } from '../exact-quantity.ts'
import { type KubeletField, kubeletFields } from './kubelet-fields.ts'

export type KubeletDecoded =
  | { readonly kind: 'ok'; readonly unknownFields: readonly string[] }
  | { readonly kind: 'wrong-type'; readonly message: string }

/** Reads the document as the kubelet's strict decoder would: a wrong type ends it, unknown fields are collected. */
export function decodeKubelet(kubelet: Readonly<Record<string, unknown>>): KubeletDecoded {
  const unknownFields: string[] = []
  const problem = decodeFields(kubelet, kubeletFields, '', unknownFields)
  return problem === undefined ? { kind: 'ok', unknownFields } : { kind: 'wrong-type', message: problem }
}

function decodeFields(
  value: object,
  fields: Readonly<Record<string, KubeletField>>,
  path: string,
  unknown: string[],
): string | undefined {
  for (const [name, child] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) unknown.push(at)
    else {
      const problem = decode(child, field, at, unknown)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

function decode(value: unknown, field: KubeletField, path: string, unknown: string[]): string | undefined {
  // Go leaves a field as it is where null stands, but for durations, which it reads as empty text.
  if (value === null || value === undefined) return value === null && field === 'd' ? durationProblem('') : undefined
  if (typeof field === 'string') return decodeScalar(value, field, path)
  if ('list' in field) {
    if (!Array.isArray(value)) return cannot(value, path, `[]${goType(field.list)}`)
    return firstProblem(value.entries(), (item, index) => decode(item, field.list, `${path}[${index}]`, unknown))
  }
  if (typeof value !== 'object' || Array.isArray(value)) return cannot(value, path, goType(field))
  if ('map' in field)
    return firstProblem(Object.entries(value), (item, key) => decode(item, field.map, `${path}.${key}`, unknown))
  return decodeFields(value, field.fields, path, unknown)
}

function firstProblem<K>(
  entries: Iterable<[K, unknown]>,
  check: (item: unknown, key: K) => string | undefined,
): string | undefined {
  for (const [key, item] of entries) {
    const problem = check(item, key)
    if (problem !== undefined) return problem
  }
  return undefined
}

const integerRanges = {
  i: [-2_147_483_648, 2_147_483_647],
  I: [-(2 ** 63), 2 ** 63],
  u: [0, 4_294_967_295],
} as const

function decodeScalar(value: unknown, type: Exclude<KubeletField, object>, path: string): string | undefined {
  switch (type) {
    case 'b':
      return typeof value === 'boolean' ? undefined : cannot(value, path, 'bool')
    case 's':
      return typeof value === 'string' ? undefined : cannot(value, path, 'string')
    case 'f':
      return typeof value === 'number' ? undefined : cannot(value, path, 'float64')
    case 'i':
    case 'I':
    case 'u': {
      const [min, max] = integerRanges[type]
      return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
        ? undefined
        : cannot(value, path, goType(type))
    }
    case 'd':
      return typeof value === 'string' ? durationProblem(value) : cannot(value, path, 'string')
    case 'D':
      if (typeof value === 'number' && Number.isInteger(value)) return undefined
      return typeof value === 'string' ? durationProblem(value) : cannot(value, path, 'string')
    case 'q':
      if (typeof value === 'number') return undefined
      if (typeof value !== 'string') return cannot(value, path, 'string')
      return parseExactQuantity(value.trim()) === undefined
        ? "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        : undefined
  }
}

function durationProblem(text: string): string | undefined {
  const parsed = parseDuration(text)
  return parsed.kind === 'ok' ? undefined : parsed.message
}

function cannot(value: unknown, path: string, type: string): string {
  return `json: cannot unmarshal ${jsonKind(value, type)} into Go struct field KubeletConfiguration.${path} of type ${type}`
}

const numbers: ReadonlySet<string> = new Set(['int32', 'int64', 'uint32'])

function jsonKind(value: unknown, type: string): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  // Go's decoder names the number where it wanted another one.
  return typeof value === 'number' && numbers.has(type) ? `number ${value}` : typeof value
}

function goType(field: KubeletField): string {
  if (typeof field === 'string') return scalarTypes[field]
  if ('list' in field) return `[]${goType(field.list)}`
  return 'map' in field ? `map[string]${goType(field.map)}` : 'struct'
}

const scalarTypes = {
  b: 'bool',
  i: 'int32',
  I: 'int64',
  u: 'uint32',
  s: 'string',
  d: 'string',
  D: 'string',
  f: 'float64',
  q: 'string',
} as const
