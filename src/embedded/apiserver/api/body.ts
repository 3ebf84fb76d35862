import { compareText } from '../../../model/order.ts'
import { badRequest } from '../errors.ts'
import { isObject } from '../json.ts'
import { identified, type IncomingObject, type StoredObject } from '../object.ts'
import { apiVersionOf, type KindDefinition } from '../registry/definition.ts'
import { builtinType } from '../types/builtin.ts'
import { decode } from '../types/decode.ts'
import type { StructType } from '../types/type-node.ts'
import type { ApiContext, WriteRequest } from './context.ts'

/**
 * Decodes, prunes and defaults: what the object means, whatever the client wrote. Reports unknown fields as the request asks. What the
 * body shares with `old`, which is stored, has been read before.
 */
export function readBody(
  context: ApiContext,
  definition: KindDefinition,
  body: IncomingObject,
  request: Pick<WriteRequest, 'fieldValidation' | 'warn'>,
  old?: StoredObject,
): IncomingObject {
  const { object, unknown } =
    definition.custom === undefined
      ? decodeBuiltin(definition, body, old)
      : decodeCustom(context, definition, body, old)
  reportUnknown(definition, unknown.toSorted(compareText), request)
  return definition.strategy.applyDefaults(object)
}

/** Refuses metadata that is not what metadata is made of, before the server fills in its own part of it. */
export function checkMetadata(definition: KindDefinition, body: unknown): void {
  if (!isObject(body) || body['metadata'] === undefined || body['metadata'] === null) return
  const { errors } = decode(metadataOnly(definition.kind), { metadata: body['metadata'] })
  if (errors[0] !== undefined) throw undecodable(definition, errors[0])
}

const metadataFields = new Map([['metadata', { type: builtinType('V1ObjectMeta'), required: false }]])

function metadataOnly(kind: string): StructType {
  return { kind: 'struct', name: `V1${kind}`, atomic: false, open: true, retainKeys: false, fields: metadataFields }
}

function reportUnknown(
  definition: KindDefinition,
  unknown: readonly string[],
  request: Pick<WriteRequest, 'fieldValidation' | 'warn'>,
): void {
  if (unknown.length === 0 || request.fieldValidation === 'Ignore') return
  const texts = unknown.map((path) => `unknown field "${path}"`)
  if (request.fieldValidation === 'Strict') throw undecodable(definition, `strict decoding error: ${texts.join(', ')}`)
  for (const text of texts) request.warn(text)
}

export function undecodable(definition: KindDefinition, because: string): Error {
  const { kind, version } = definition
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${because}`)
}

interface Read {
  readonly object: IncomingObject
  readonly unknown: readonly string[]
}

function decodeBuiltin(definition: KindDefinition, body: IncomingObject, old: StoredObject | undefined): Read {
  const { value, unknown, errors } = decode(definition.type, body, { empty: 'omit', known: old })
  if (errors[0] !== undefined) throw undecodable(definition, errors[0])
  const metadata = isObject(value['metadata']) ? value['metadata'] : {}
  return {
    object: identified(value, { apiVersion: apiVersionOf(definition), kind: definition.kind, metadata }),
    unknown,
  }
}

function decodeCustom(
  context: ApiContext,
  definition: KindDefinition,
  body: IncomingObject,
  old: StoredObject | undefined,
): Read {
  const known = isObject(old?.metadata) ? old.metadata : undefined
  const metadata = decode(builtinType('V1ObjectMeta'), body.metadata, { empty: 'omit', known })
  if (metadata.errors[0] !== undefined) throw undecodable(definition, metadata.errors[0])
  const { object, unknown } = context.schemas.admit(definition, { ...body, metadata: metadata.value })
  return { object, unknown: [...metadata.unknown.map((path) => `metadata.${path}`), ...unknown] }
}
