import { isObject, type JsonObject, objectAt } from '../json.ts'
import type { KindDefinition } from '../registry/definition.ts'
import { openapiDocument } from './openapi.ts'

/** OpenAPI v2 of all kinds, for clients that know no v3: Argo CD, Terraform, kubectl before 1.29. It describes the kinds, no paths. */
export function swaggerDocument(definitions: readonly KindDefinition[]): JsonObject {
  const { info } = openapiDocument([])
  const schemas: Record<string, unknown> = {}
  for (const versions of byGroupVersion(definitions)) {
    const described = objectAt(openapiDocument(versions), 'components', 'schemas') ?? {}
    for (const [name, schema] of Object.entries(described)) {
      // A kind that another group only refers to is described here without its own group.
      const known = schemas[name]
      if (isObject(known) && known['x-kubernetes-group-version-kind'] !== undefined) continue
      schemas[name] = asV2(schema)
    }
  }
  return { swagger: '2.0', info, paths: {}, definitions: schemas }
}

function byGroupVersion(definitions: readonly KindDefinition[]): readonly (readonly KindDefinition[])[] {
  const groups = new Map<string, KindDefinition[]>()
  for (const definition of definitions) {
    const key = `${definition.group}/${definition.version}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [definition])
    else known.push(definition)
  }
  return [...groups.values()]
}

/** What v2 has no words for. */
const unknownInV2 = new Set(['nullable', 'oneOf', 'anyOf', 'not', 'allOf', 'default', 'x-kubernetes-validations'])

function asV2(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const [only] = Array.isArray(schema['allOf']) ? (schema['allOf'] as readonly unknown[]) : []
  const reference = schema['$ref'] ?? objectAt({ only }, 'only')?.['$ref']
  if (typeof reference === 'string') {
    const { description } = schema
    const $ref = reference.replace('#/components/schemas/', '#/definitions/')
    return { ...(description === undefined ? {} : { description }), $ref }
  }
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (unknownInV2.has(key)) continue
    if (key === 'properties' && isObject(value)) {
      result[key] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asV2(each)]))
    } else result[key] = key === 'items' || key === 'additionalProperties' ? asV2(value) : value
  }
  // A number or a text: v2 knows them as text with a format.
  if (schema['type'] === undefined && schema['x-kubernetes-preserve-unknown-fields'] !== true) result['type'] = 'string'
  return result
}

/** The same in gnostic's protobuf (`openapi.v2.Document`), which kubectl and Argo CD ask for. */
export function swaggerProtobuf(document: JsonObject): Buffer {
  const info = objectAt(document, 'info') ?? {}
  return Buffer.concat([
    text(1, document['swagger']),
    nested(2, [text(1, info['title']), text(2, info['version'])]),
    nested(8, []),
    nested(9, named(1, objectAt(document, 'definitions') ?? {})),
  ])
}

function named(number: number, schemas: JsonObject): readonly Buffer[] {
  return Object.entries(schemas).map(([name, schema]) =>
    nested(number, [text(1, name), nested(2, schemaFields(schema))]),
  )
}

function schemaFields(schema: unknown): readonly Buffer[] {
  if (!isObject(schema)) return []
  const { items, properties, additionalProperties, required } = schema
  const fields = [
    text(1, schema['$ref']),
    text(2, schema['format']),
    text(4, schema['description']),
    ...(Array.isArray(required) ? required.map((name) => text(19, name)) : []),
  ]
  if (isObject(additionalProperties)) fields.push(nested(21, [nested(1, schemaFields(additionalProperties))]))
  if (schema['type'] !== undefined) fields.push(nested(22, [text(1, schema['type'])]))
  if (isObject(items)) fields.push(nested(23, [nested(1, schemaFields(items))]))
  if (isObject(properties)) fields.push(nested(25, named(1, properties)))
  for (const [name, value] of Object.entries(schema)) {
    // JSON is YAML.
    if (name.startsWith('x-')) fields.push(nested(31, [text(1, name), nested(2, [text(2, JSON.stringify(value))])]))
  }
  return fields
}

function text(number: number, value: unknown): Buffer {
  return typeof value === 'string' && value !== '' ? lengthDelimited(number, Buffer.from(value)) : Buffer.alloc(0)
}

function nested(number: number, fields: readonly Buffer[]): Buffer {
  return lengthDelimited(number, Buffer.concat(fields))
}

function lengthDelimited(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  while (left > 0x7f) {
    bytes.push((left & 0x7f) | 0x80)
    left >>>= 7
  }
  return Buffer.from([...bytes, left])
}
