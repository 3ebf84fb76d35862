import { isJsonObject, type Json, type JsonObject, listAt, objectAt, textAt } from './json.ts'

/**
 * The schemas of a CustomResourceDefinition for tools that check files, by path in the layout kubeconform reads:
 * `<group>/<kind>_<version>.json`. Unknown fields are refused, as a server does with strict field validation; rules in CEL are left
 * out, because JSON Schema cannot say them.
 */
export function jsonSchemasOf(crd: JsonObject): Map<string, JsonObject> {
  const spec = objectAt(crd, 'spec')
  const kind = textAt(objectAt(spec, 'names'), 'kind')
  return new Map(
    listAt(spec, 'versions')
      .filter(isJsonObject)
      .map((version) => {
        const name = textAt(version, 'name')
        const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema')
        const path = `${textAt(spec, 'group')}/${kind.toLowerCase()}_${name}.json`
        const { properties, ...rest } = toJSONSchema(schema)
        return [
          path,
          {
            $schema: 'http://json-schema.org/draft-07/schema#',
            ...rest,
            required: ['apiVersion', 'kind', ...listAt(schema, 'required')],
            properties: {
              ...(isJsonObject(properties ?? null) ? (properties as JsonObject) : {}),
              apiVersion: { const: `${textAt(spec, 'group')}/${name}` },
              kind: { const: kind },
            },
          },
        ] as const
      }),
  )
}

function toJSONSchema(schema: JsonObject): JsonObject {
  const result: Record<string, Json> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-kubernetes-')) continue
    if (key === 'properties' && isJsonObject(value)) {
      result[key] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, isJsonObject(inner) ? toJSONSchema(inner) : inner]),
      )
    } else if ((key === 'items' || key === 'additionalProperties') && isJsonObject(value)) {
      result[key] = toJSONSchema(value)
    } else if (key === 'required') {
      // What a server fills in need not be written.
      const required = listAt(schema, key).filter((name) => !hasDefault(schema, String(name)))
      if (required.length > 0) result[key] = required
    } else if (key !== 'default') result[key] = value
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || 'additionalProperties' in schema
  if (result['properties'] !== undefined && !isOpen) result['additionalProperties'] = false
  return result
}

function hasDefault(schema: JsonObject, name: string): boolean {
  const property = schema['properties']
  const inner = isJsonObject(property ?? null) ? (property as JsonObject)[name] : undefined
  return isJsonObject(inner ?? null) && 'default' in (inner as JsonObject)
}
