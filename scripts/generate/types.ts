import { compile } from 'json-schema-to-typescript'
import type { Json, JsonObject } from './json.ts'
import { type KindSchema, mapSchema } from './schemas.ts'

const kubernetesTypes = ['Condition', 'KubeObject', 'QuantityText', 'ResourceListText', 'Taint']

/** The wire type of a kind: what an API server stores, with whatever CRD defaults fill in still optional. */
export async function typesOf(kind: KindSchema, banner: string): Promise<string> {
  const schema: JsonObject = { ...mapSchema(kind.schema, forTypes), title: kind.kind, description: kind.description }
  const compiled = await compile(JSON.parse(JSON.stringify(schema)), kind.kind, {
    additionalProperties: false,
    bannerComment: '',
    enableConstEnums: false,
    ignoreMinAndMaxItems: true,
    unknownAny: true,
    style: { semi: false, singleQuote: true, printWidth: 120 },
  })
  const body = compiled.replace(`export interface ${kind.kind} {`, `export interface ${kind.kind} extends KubeObject {`)
  const imported = kubernetesTypes.filter((name) => new RegExp(`\\b${name}\\b`).test(withoutComments(body)))
  return `${banner}\nimport type { ${imported.join(', ')} } from '../kubernetes.ts'\n\n${body.trim()}\n`
}

function forTypes(schema: JsonObject): JsonObject {
  const kept: Record<string, Json> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-') || key === '$comment' || key === 'default' || key === 'pattern' || key === 'format')
      continue
    kept[key] = value
  }
  // A definition with a type of its own needs no name: the name would become a second, equal type.
  if (kept['tsType'] !== undefined) return { tsType: kept['tsType'], description: kept['description'] ?? '' }
  if (schema['x-kubernetes-int-or-string'] === true)
    return { tsType: 'number | string', description: kept['description'] ?? '' }
  if (kept['type'] !== 'object' || kept['properties'] === undefined) delete kept['title']
  return kept
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '')
}
