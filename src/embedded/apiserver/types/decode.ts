import { isArray, isObject, type JsonObject } from '../json.ts'
import type { ScalarType, StructType, TypeNode } from './type-node.ts'

export interface Decoded {
  /** The value without unknown fields and nulls, quantities as text. Parts that needed no change are shared with the input. */
  readonly value: JsonObject
  /** Paths of fields the type does not have: `spec.replcas`. */
  readonly unknown: readonly string[]
  /** What could not be read: `spec.replicas: expected integer, got string`. */
  readonly errors: readonly string[]
}

interface Findings {
  readonly unknown: string[]
  readonly errors: string[]
}

/** Reads a JSON body as a built-in type, as an API server's decoder does before anything else looks at it. */
export function decode(type: StructType, body: JsonObject): Decoded {
  const findings: Findings = { unknown: [], errors: [] }
  return { value: decodeStruct(type, body, '', findings), ...findings }
}

function decodeNode(type: TypeNode, value: unknown, path: string, findings: Findings): unknown {
  switch (type.kind) {
    case 'any':
      return value
    case 'scalar':
      return decodeScalar(type.scalar, value, path, findings)
    case 'list': {
      if (!isArray(value)) return mismatch('array', value, path, findings)
      let changed = false
      const items = value.map((item, index) => {
        const next = decodeNode(type.items, item, `${path}[${index}]`, findings)
        changed ||= next !== item
        return next
      })
      return changed ? items : value
    }
    case 'map': {
      if (!isObject(value)) return mismatch('object', value, path, findings)
      let copy: Record<string, unknown> | undefined
      for (const [key, item] of Object.entries(value)) {
        // Go decodes a null into the zero value; for maps of text that is the empty text.
        const next = item === null ? '' : decodeNode(type.values, item, `${path}.${key}`, findings)
        if (next !== item) copy = { ...(copy ?? value), [key]: next }
      }
      return copy ?? value
    }
    case 'struct':
      return isObject(value) ? decodeStruct(type, value, path, findings) : mismatch('object', value, path, findings)
  }
}

function decodeStruct(type: StructType, value: JsonObject, path: string, findings: Findings): JsonObject {
  let copy: Record<string, unknown> | undefined
  for (const key of Object.keys(value)) {
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
    if (item === null || item === undefined) {
      copy ??= { ...value }
      delete copy[key]
      continue
    }
    const next = decodeNode(field.type, item, at, findings)
    if (next !== item) {
      copy ??= { ...value }
      copy[key] = next
    }
  }
  return copy ?? value
}

function decodeScalar(scalar: ScalarType, value: unknown, path: string, findings: Findings): unknown {
  switch (scalar) {
    case 'string':
    case 'byte':
      return typeof value === 'string' ? value : mismatch('string', value, path, findings)
    case 'boolean':
      return typeof value === 'boolean' ? value : mismatch('bool', value, path, findings)
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) ? value : mismatch('integer', value, path, findings)
    case 'number':
      return typeof value === 'number' ? value : mismatch('number', value, path, findings)
    case 'intOrString':
      return typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value))
        ? value
        : mismatch('integer or string', value, path, findings)
    case 'quantity':
      if (typeof value === 'number') return String(value)
      if (typeof value === 'string' && quantityPattern.test(value)) return value
      findings.errors.push(`${path}: quantities must match the regular expression '${quantityText}'`)
      return value
    case 'time':
    case 'microTime':
      if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return value
      findings.errors.push(`${path}: parsing time ${JSON.stringify(value)} as RFC 3339`)
      return value
  }
}

const quantityText = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'
const quantityPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/

function mismatch(wanted: string, value: unknown, path: string, findings: Findings): unknown {
  const got = isArray(value) ? 'array' : value === null ? 'null' : typeof value
  findings.errors.push(`json: cannot unmarshal ${got} into Go struct field ${path} of type ${wanted}`)
  return value
}
