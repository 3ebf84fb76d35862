import { type Json, type JsonObject, listAt, objectAt, optionalObjectAt, textAt } from './json.ts'
import { type KindSchema, mapSchema } from './schemas.ts'

const boilerplate: JsonObject = {
  apiVersion: {
    description: 'Version of the API that the object is written in.',
    type: 'string',
  },
  kind: {
    description: 'Kind of the object.',
    type: 'string',
  },
  metadata: { type: 'object' },
}

/** The CustomResourceDefinition of a kind, ready for an API server; undefined for kinds that are only read from files. */
export function crdOf(kind: KindSchema): JsonObject | undefined {
  const crd = kind.crd
  if (crd === undefined) return undefined
  const plural = textAt(crd, 'plural')
  const shortNames = listAt(crd, 'shortNames')
  const schema = mapSchema(kind.schema, forAPIServer)
  const scale = optionalObjectAt(crd, 'scale')
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${kind.group}` },
    spec: {
      group: kind.group,
      names: {
        categories: listAt(crd, 'categories'),
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        ...(shortNames.length === 0 ? {} : { shortNames }),
        singular: textAt(crd, 'singular'),
      },
      scope: textAt(crd, 'scope'),
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          additionalPrinterColumns: listAt(crd, 'printerColumns'),
          schema: {
            openAPIV3Schema: {
              description: kind.description,
              type: 'object',
              ...(listAt(schema, 'required').length === 0 ? {} : { required: listAt(schema, 'required') }),
              properties: { ...boilerplate, ...objectAt(schema, 'properties') },
            },
          },
          subresources: { status: {}, ...(scale === undefined ? {} : { scale }) },
        },
      ],
    },
  }
}

const keywordOrder = [
  'description',
  'type',
  'format',
  'x-kubernetes-int-or-string',
  'anyOf',
  'default',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]

function forAPIServer(schema: JsonObject): JsonObject {
  const result: Record<string, Json> = {}
  for (const key of keywordOrder) {
    const value = schema[key]
    if (value !== undefined) result[key] = value
  }
  const ignored = ['title', 'tsType', '$comment']
  const unknown = Object.keys(schema).filter((key) => !keywordOrder.includes(key) && !ignored.includes(key))
  if (unknown.length > 0) throw new Error(`keywords that no API server knows: ${unknown.join(', ')}`)
  return result
}
