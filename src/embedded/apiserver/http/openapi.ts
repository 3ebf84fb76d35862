import { isObject, type JsonObject } from '../json.ts'
import { apiVersionOf, type KindDefinition } from '../registry/definition.ts'
import { builtinDocs } from '../types/builtin-docs.ts'
import { builtinType } from '../types/builtin.ts'
import type { ScalarType, StructType, TypeNode } from '../types/type-node.ts'

/** OpenAPI v3 of one group version: enough for explain, diff, apply and server-side field validation. */
export function openapiDocument(definitions: readonly KindDefinition[]): JsonObject {
  const schemas = new Map<string, JsonObject>()
  const paths: Record<string, JsonObject> = {}
  for (const definition of definitions) {
    const gvk = { group: definition.group, version: definition.version, kind: definition.kind }
    const name = definition.custom === undefined ? refName(definition.type.name) : customName(definition)
    if (definition.custom === undefined) addBuiltin(schemas, definition.type.name)
    else schemas.set(name, customSchema(definition, schemas))
    schemas.set(name, { ...schemas.get(name), 'x-kubernetes-group-version-kind': [gvk] })
    addPaths(paths, definition, gvk, name)
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.33.0' },
    paths,
    components: { schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))) },
  }
}

function addPaths(paths: Record<string, JsonObject>, definition: KindDefinition, gvk: object, schema: string): void {
  const root = definition.group === '' ? '/api' : '/apis'
  const scope = definition.namespaced ? '/namespaces/{namespace}' : ''
  const collection = `${root}/${apiVersionOf(definition)}${scope}/${definition.plural}`
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
  const operation = (action: string, parameters: readonly string[]): JsonObject => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
    parameters: parameters.map((name) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } })),
    responses: { '200': { description: 'OK', content } },
  })
  const writes = ['dryRun', 'fieldManager', 'fieldValidation']
  const patchTypes = ['json-patch+json', 'merge-patch+json', 'apply-patch+yaml']
  if (definition.custom === undefined) patchTypes.push('strategic-merge-patch+json')
  paths[collection] = {
    get: operation('list', ['labelSelector', 'fieldSelector', 'limit', 'continue', 'watch']),
    post: operation('post', writes),
  }
  paths[`${collection}/{name}`] = {
    get: operation('get', []),
    put: operation('put', writes),
    patch: {
      ...operation('patch', [...writes, 'force']),
      requestBody: {
        content: Object.fromEntries(patchTypes.map((type) => [`application/${type}`, { schema: { type: 'object' } }])),
      },
    },
    delete: operation('delete', ['dryRun', 'gracePeriodSeconds', 'propagationPolicy']),
  }
}

/** `V1PodSpec` is called `io.k8s.V1PodSpec.PodSpec`: unique, and explain prints the last part. */
function refName(model: string): string {
  return `io.k8s.${model}.${model.replace(/^[A-Za-z]*?V\d+((alpha|beta)\d+)?(?=[A-Z])/, '')}`
}

function addBuiltin(schemas: Map<string, JsonObject>, model: string): void {
  const name = refName(model)
  if (schemas.has(name)) return
  // Entered before its fields are, because types refer to themselves.
  schemas.set(name, {})
  const struct = builtinType(model)
  const docs = builtinDocs(model)
  const required = [...struct.fields].filter(([, field]) => field.required).map(([field]) => field)
  schemas.set(name, {
    type: 'object',
    description: docs.type,
    properties: Object.fromEntries(
      [...struct.fields].map(([field, { type }]) => [
        field,
        describe(builtinSchema(schemas, type), docs.fields.get(field)),
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
    ...(struct.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  })
}

function describe(schema: JsonObject, description: string | undefined): JsonObject {
  const documented = description === undefined ? {} : { description }
  return schema['$ref'] === undefined ? { ...documented, ...schema } : { ...documented, allOf: [schema], default: {} }
}

function builtinSchema(schemas: Map<string, JsonObject>, type: TypeNode): JsonObject {
  switch (type.kind) {
    case 'any':
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    case 'scalar':
      return scalarSchemas[type.scalar]
    case 'map':
      return {
        type: 'object',
        additionalProperties: builtinSchema(schemas, type.values),
        ...(type.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      }
    case 'list':
      return {
        type: 'array',
        items: builtinSchema(schemas, type.items),
        'x-kubernetes-list-type': type.merge,
        ...(type.keys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': type.keys }),
        ...(type.patchKey === undefined ? {} : { 'x-kubernetes-patch-strategy': 'merge' }),
        ...(type.patchKey === undefined || type.patchKey === ''
          ? {}
          : { 'x-kubernetes-patch-merge-key': type.patchKey }),
      }
    case 'struct':
      return structReference(schemas, type)
  }
}

function structReference(schemas: Map<string, JsonObject>, type: StructType): JsonObject {
  addBuiltin(schemas, type.name)
  return { $ref: `#/components/schemas/${refName(type.name)}` }
}

const scalarSchemas: Record<ScalarType, JsonObject> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  integer: { type: 'integer', format: 'int64' },
  number: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  byte: { type: 'string', format: 'byte' },
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  intOrString: { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
}

function customName(definition: KindDefinition): string {
  return [...definition.group.split('.').reverse(), definition.version, definition.kind].join('.')
}

function customSchema(definition: KindDefinition, schemas: Map<string, JsonObject>): JsonObject {
  const schema: unknown = definition.custom?.schema
  const base = isObject(schema) ? schema : { type: 'object' }
  const properties = isObject(base['properties']) ? base['properties'] : {}
  const { fields } = builtinDocs('V1Pod')
  addBuiltin(schemas, 'V1ObjectMeta')
  return {
    ...base,
    properties: {
      ...properties,
      apiVersion: { type: 'string', description: fields.get('apiVersion') ?? '' },
      kind: { type: 'string', description: fields.get('kind') ?? '' },
      metadata: {
        allOf: [{ $ref: `#/components/schemas/${refName('V1ObjectMeta')}` }],
        description: fields.get('metadata') ?? '',
      },
    },
  }
}
