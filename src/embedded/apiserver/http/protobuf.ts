import { KubeError } from '../../../kube/errors.ts'
import type { JsonObject } from '../json.ts'
import { messages } from './protobuf-types.ts'

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00])

/** What kubectl sends pods in protobuf for: `debug node/NAME` and `debug --copy-to`. It has no flag for JSON. */
const podsOfKubectl = 'kubectl debug: pods of the embedded cluster run no programs, there is nothing to debug'

/** Reads Kubernetes' protobuf envelope as the JSON it stands for. Kinds outside the table are refused as unsupported. */
export function decodeProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, 4).equals(magic)) throw unsupported('the body has no k8s protobuf header')
  try {
    const envelope = fieldsOf(body.subarray(4))
    const type = fieldsOf(bytesOf(envelope, 1))
    const apiVersion = bytesOf(type, 1).toString('utf8')
    const kind = bytesOf(type, 2).toString('utf8')
    if (messages[kind] === undefined) {
      const because = kind === 'Pod' ? ` (${podsOfKubectl})` : ''
      throw unsupported(`protobuf bodies of kind ${kind} are not supported, send JSON${because}`)
    }
    return { apiVersion, kind, ...decodeMessage(kind, bytesOf(envelope, 2)) }
  } catch (error) {
    if (error instanceof KubeError) throw error
    throw new KubeError('BadRequest', 400, 'the protobuf body could not be decoded', { cause: error })
  }
}

function unsupported(message: string): KubeError {
  return new KubeError('UnsupportedMediaType', 415, message)
}

interface WireField {
  readonly number: number
  readonly value: bigint | Buffer
}

function decodeMessage(name: string, bytes: Buffer): JsonObject {
  const table = messages[name] ?? {}
  const result: Record<string, unknown> = {}
  for (const { number, value } of fieldsOf(bytes)) {
    const field = table[number]
    if (field === undefined) continue
    const [key, code] = field
    if (code.startsWith('=')) {
      Object.assign(result, decodeMessage(code.slice(1), asBytes(value)))
    } else if (code.startsWith('[]')) {
      const list = result[key]
      const item = decodeValue(code.slice(2), value)
      result[key] = Array.isArray(list) ? [...list, item] : [item]
    } else if (code.startsWith('{}')) {
      const entry = fieldsOf(asBytes(value))
      const entryKey = bytesOf(entry, 1).toString('utf8')
      const entryValue = decodeValue(code.slice(2), entry.find((each) => each.number === 2)?.value ?? Buffer.alloc(0))
      const map = result[key]
      result[key] = { ...(typeof map === 'object' ? map : {}), [entryKey]: entryValue }
    } else {
      const decoded = decodeValue(code, value)
      // Go writes empty texts of required fields; in JSON they are left out.
      if (decoded !== '') result[key] = decoded
    }
  }
  return result
}

function decodeValue(code: string, value: bigint | Buffer): unknown {
  switch (code) {
    case 'string':
      return asBytes(value).toString('utf8')
    case 'bytes':
      return asBytes(value).toString('base64')
    case 'int':
      return typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0
    case 'bool':
      return value === 1n
    case 'quantity':
      return bytesOf(fieldsOf(asBytes(value)), 1).toString('utf8')
    case 'intOrString': {
      const fields = fieldsOf(asBytes(value))
      const isText = fields.find(({ number }) => number === 1)?.value === 1n
      const integer = fields.find(({ number }) => number === 2)?.value ?? 0n
      return isText
        ? bytesOf(fields, 3).toString('utf8')
        : Number(BigInt.asIntN(64, typeof integer === 'bigint' ? integer : 0n))
    }
    default:
      return decodeMessage(code, asBytes(value))
  }
}

function fieldsOf(bytes: Buffer): readonly WireField[] {
  const fields: WireField[] = []
  let offset = 0
  while (offset < bytes.length) {
    const tag = varint(bytes, offset)
    offset = tag.next
    const number = Number(tag.value >> 3n)
    switch (Number(tag.value & 7n)) {
      case 0: {
        const { value, next } = varint(bytes, offset)
        fields.push({ number, value })
        offset = next
        break
      }
      case 1:
        offset += 8
        break
      case 2: {
        const { value: length, next } = varint(bytes, offset)
        const end = next + Number(length)
        if (end > bytes.length) throw new RangeError('a field is longer than its message')
        fields.push({ number, value: bytes.subarray(next, end) })
        offset = end
        break
      }
      case 5:
        offset += 4
        break
      default:
        throw new RangeError('unknown wire type')
    }
  }
  return fields
}

function varint(bytes: Buffer, start: number): { readonly value: bigint; readonly next: number } {
  let value = 0n
  for (let index = start; index < start + 10; index += 1) {
    const byte = bytes[index]
    if (byte === undefined) throw new RangeError('a number is cut off')
    value |= BigInt(byte & 0x7f) << BigInt(7 * (index - start))
    if (byte < 0x80) return { value, next: index + 1 }
  }
  throw new RangeError('a number is too long')
}

function bytesOf(fields: readonly WireField[], number: number): Buffer {
  return asBytes(fields.find((field) => field.number === number)?.value ?? Buffer.alloc(0))
}

function asBytes(value: bigint | Buffer): Buffer {
  if (typeof value === 'bigint') throw new RangeError('a number where a message should be')
  return value
}
