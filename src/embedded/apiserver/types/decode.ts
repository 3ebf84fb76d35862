import { isArray, isObject, type JsonObject } from '../json.ts'
import { canonicalQuantity } from './quantity-text.ts'
import type { ScalarType, StructType, TypeNode } from './type-node.ts'

export interface Decoded {
  /** The value without unknown fields and nulls, quantities as text. Parts that needed no change are shared with the input. */
  readonly value: JsonObject
  /** Paths of fields the type does not have: `spec.replcas`. */
  readonly unknown: readonly string[]
  /** What could not be read: `spec.replicas: expected integer, got string`. */
  readonly errors: readonly string[]
}

export interface DecodeOptions {
  /** Appliers own empty maps and lists that they send; everything else leaves them out, as Go does. */
  readonly empty: 'keep' | 'omit'
  /** A value of the type that was decoded before: what the body shares with it is not read again. */
  readonly known?: JsonObject | undefined
}

interface Findings extends Pick<DecodeOptions, 'empty'> {
  /** The field being read, and the struct it is in: errors name both. */
  field: string
  owner: StructType
  readonly unknown: string[]
  readonly errors: string[]
}

/** Reads a JSON body as a built-in type, as an API server's decoder does before anything else looks at it. */
export function decode(type: StructType, body: JsonObject, options: DecodeOptions = { empty: 'omit' }): Decoded {
  const findings: Findings = { field: '', owner: type, unknown: [], errors: [], empty: options.empty }
  const value = decodeStruct(type, body, '', findings, options.known)
  return { value, unknown: findings.unknown, errors: findings.errors }
}

function decodeNode(type: TypeNode, value: unknown, path: string, findings: Findings): unknown {
  switch (type.kind) {
    case 'any':
      return value
    case 'scalar':
      return decodeScalar(type.scalar, value, path, findings)
    case 'list': {
      if (!isArray(value)) return mismatch(goType(type), value, findings)
      let changed = false
      const items = value.map((item, index) => {
        const next = decodeNode(type.items, item, `${path}[${index}]`, findings)
        changed ||= next !== item
        return next
      })
      return changed ? items : value
    }
    case 'map': {
      if (!isObject(value)) return mismatch(goType(type), value, findings)
      let copy: Record<string, unknown> | undefined
      for (const [key, item] of Object.entries(value)) {
        const next = item === null ? zeroOf(type.values) : decodeNode(type.values, item, `${path}.${key}`, findings)
        if (next !== item) copy = { ...(copy ?? value), [key]: next }
      }
      return copy ?? value
    }
    case 'struct':
      return isObject(value) ? decodeStruct(type, value, path, findings) : mismatch(goType(type), value, findings)
  }
}

function decodeStruct(
  type: StructType,
  value: JsonObject,
  path: string,
  findings: Findings,
  known?: JsonObject,
): JsonObject {
  let copy: Record<string, unknown> | undefined
  for (const key of Object.keys(value)) {
    const same = known?.[key]
    if (same !== undefined && same !== null && same === value[key]) continue
    const field = type.fields.get(key)
    const at = path === '' ? key : `${path}.${key}`
    if (field === undefined) {
      if (type.open) continue
      findings.unknown.push(at)
      copy ??= { ...value }
      delete copy[key]
      continue
    }
    const item = value[key]
    if (item === null && isZeroTime(type, key)) continue
    if (item === null || item === undefined) {
      copy ??= { ...value }
      delete copy[key]
      continue
    }
    findings.owner = type
    findings.field = at
    const next =
      field.type.kind === 'struct' && isObject(item) && isObject(same)
        ? decodeStruct(field.type, item, at, findings, same)
        : decodeNode(field.type, item, at, findings)
    if (findings.empty === 'omit' && !field.required && isOmitted(field.type, next)) {
      copy ??= { ...value }
      delete copy[key]
    } else if (next !== item) {
      copy ??= { ...value }
      copy[key] = next
    }
  }
  for (const key of zeroTimes[type.name] ?? []) if (value[key] === undefined) copy = { ...(copy ?? value), [key]: null }
  return copy ?? value
}

/** What Go makes of a null in a map: the zero value of what the map holds. */
function zeroOf(type: TypeNode): string {
  return type.kind === 'scalar' && type.scalar === 'quantity' ? '0' : ''
}

/** Times that Go writes as null when they are not set, instead of leaving them out. */
const zeroTimes: Readonly<Record<string, readonly string[]>> = {
  V1PodCondition: ['lastProbeTime', 'lastTransitionTime'],
  V1NodeCondition: ['lastHeartbeatTime', 'lastTransitionTime'],
}

function isZeroTime(type: StructType, key: string): boolean {
  return zeroTimes[type.name]?.includes(key) === true
}

function decodeScalar(scalar: ScalarType, value: unknown, path: string, findings: Findings): unknown {
  switch (scalar) {
    case 'string':
      return typeof value === 'string' ? value : mismatch('string', value, findings)
    case 'byte': {
      if (typeof value !== 'string') return mismatch('string', value, findings)
      const wrong = wrongBase64(value)
      if (wrong !== undefined) findings.errors.push(`illegal base64 data at input byte ${wrong}`)
      return value
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : mismatch('bool', value, findings)
    case 'int32':
    case 'int64':
    case 'integer': {
      const limit = scalar === 'int32' ? 2 ** 31 : 2 ** 63
      const fits = typeof value === 'number' && Number.isInteger(value) && value >= -limit && value < limit
      return fits ? value : mismatch(scalar, value, findings)
    }
    case 'number':
      return typeof value === 'number' ? value : mismatch('number', value, findings)
    case 'intOrString':
      return typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value))
        ? value
        : mismatch('integer or string', value, findings)
    case 'quantity':
      return decodeQuantity(value, findings)
    case 'time':
    case 'microTime':
      if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return value
      findings.errors.push(`${path}: parsing time ${JSON.stringify(value)} as RFC 3339`)
      return value
  }
}

/** Where a text stops being base64; undefined when it does not. Line ends are let pass. */
function wrongBase64(text: string): number | undefined {
  const bare = text.replaceAll(/[\r\n]/g, '')
  if (bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare)) return undefined
  const first = text.search(/[^A-Za-z0-9+/\r\n]/)
  return first === -1 ? bare.length - (bare.length % 4) : first
}

/** Go leaves empty lists and maps of optional fields out when it writes an object. */
function isOmitted(type: TypeNode, value: unknown): boolean {
  if (type.kind === 'list') return isArray(value) && value.length === 0
  return type.kind === 'map' && isObject(value) && Object.keys(value).length === 0
}

const quantityPattern = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'

function decodeQuantity(value: unknown, findings: Findings): unknown {
  const text = typeof value === 'number' ? String(value) : value
  const canonical = typeof text === 'string' ? canonicalQuantity(text) : undefined
  if (canonical !== undefined) return canonical
  findings.errors.push(`quantities must match the regular expression '${quantityPattern}'`)
  return value
}

/** As Go names a field in errors: `DeploymentSpec.spec.replicas`. */
function goField({ owner, field }: Findings): string {
  const struct = owner.name.replace(/^[A-Za-z]*?V\d+((alpha|beta)\d+)?(?=[A-Z])/, '')
  return `${struct}.${field.replaceAll(/\[\d+\]/g, '')}`
}

/** As Go writes the type of a field. */
function goType(type: TypeNode): string {
  switch (type.kind) {
    case 'any':
      return 'interface {}'
    case 'scalar':
      return type.scalar === 'boolean' ? 'bool' : type.scalar
    case 'list':
      return `[]${goType(type.items)}`
    case 'map':
      return `map[string]${goType(type.values)}`
    case 'struct':
      return type.name.replace(
        /^[A-Za-z]*?(V\d+(?:(?:alpha|beta)\d+)?)(?=[A-Z])/,
        (_match, version: string) => `${version.toLowerCase()}.`,
      )
  }
}

function mismatch(wanted: string, value: unknown, findings: Findings): unknown {
  const got = goKind(wanted, value)
  findings.errors.push(`json: cannot unmarshal ${got} into Go struct field ${goField(findings)} of type ${wanted}`)
  return value
}

/** A number that is one, and not of the wanted size, is told as it was written. */
function goKind(wanted: string, value: unknown): string {
  if (isArray(value)) return 'array'
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'number' && wanted.startsWith('int') ? `number ${value}` : typeof value
}
