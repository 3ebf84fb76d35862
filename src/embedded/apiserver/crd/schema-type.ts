import type { StructuralSchema } from '../../../api/custom-resource-definition.ts'
import { builtinType } from '../types/builtin.ts'
import { anyType, type FieldType, type StructType, type TypeNode } from '../types/type-node.ts'

/** The type of a custom kind's objects, as its structural schema describes them. */
export function typeOfResource(schema: StructuralSchema): StructType {
  const struct = structOf(schema)
  const fields = new Map(struct.fields)
  const text: FieldType = { required: false, type: { kind: 'scalar', scalar: 'string' } }
  fields.set('apiVersion', text)
  fields.set('kind', text)
  fields.set('metadata', { required: false, type: builtinType('V1ObjectMeta') })
  return { ...struct, fields }
}

function typeOfSchema(schema: StructuralSchema): TypeNode {
  if (schema['x-kubernetes-int-or-string'] === true) return { kind: 'scalar', scalar: 'intOrString' }
  const { type = '' } = schema
  switch (type) {
    case 'object':
      if (typeof schema.additionalProperties === 'object') {
        return { kind: 'map', atomic: isAtomic(schema), values: typeOfSchema(schema.additionalProperties) }
      }
      return schema.properties === undefined ? anyType : structOf(schema)
    case 'array': {
      const merge = schema['x-kubernetes-list-type']
      return {
        kind: 'list',
        merge: merge === 'map' || merge === 'set' ? merge : 'atomic',
        keys: schema['x-kubernetes-list-map-keys'] ?? [],
        patchKey: undefined,
        items: schema.items === undefined ? anyType : typeOfSchema(schema.items),
      }
    }
    case 'integer':
    case 'number':
    case 'boolean':
    case 'string':
      return { kind: 'scalar', scalar: type }
    default:
      return anyType
  }
}

function structOf(schema: StructuralSchema): StructType {
  const required = new Set(schema.required ?? [])
  const fields = new Map<string, FieldType>()
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    fields.set(name, { required: required.has(name), type: typeOfSchema(property) })
  }
  return {
    kind: 'struct',
    name: '',
    atomic: isAtomic(schema),
    open: schema['x-kubernetes-preserve-unknown-fields'] === true,
    retainKeys: false,
    fields,
  }
}

function isAtomic(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-map-type'] === 'atomic'
}
