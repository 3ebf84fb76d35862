import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, type Json, type JsonObject, listAt, objectAt, textAt } from './json.ts'

/** One kind: its schema with every reference replaced by what it refers to. */
export interface KindSchema {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** `nodepool`: how the generated files are named. */
  readonly fileName: string
  readonly description: string
  /** Absent for kinds that are only read from files. */
  readonly crd: JsonObject | undefined
  readonly schema: JsonObject
}

const sharedFile = 'common.json'

export function readKinds(folder: string): KindSchema[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
  const documents = new Map(files.map((name) => [name, parseObject(readFileSync(join(folder, name), 'utf8'), name)]))
  return files
    .filter((name) => name !== sharedFile)
    .map((name) => {
      const document = documents.get(name) ?? {}
      const crd = document['x-joinery-crd'] === undefined ? undefined : objectAt(document, 'x-joinery-crd')
      const names = crd ?? objectAt(document, 'x-joinery-file')
      const resolver = new References(documents, name)
      return {
        group: textAt(names, 'group'),
        version: textAt(names, 'version'),
        kind: textAt(names, 'kind'),
        fileName: textAt(names, 'kind').toLowerCase(),
        description: textAt(document, 'description'),
        crd,
        schema: resolver.resolve(
          without(document, ['$schema', '$id', '$defs', 'x-joinery-crd', 'x-joinery-file']),
          name,
        ),
      }
    })
}

/** Puts definitions in the place of references. A structural schema has no references, so every output starts from this. */
class References {
  readonly documents: ReadonlyMap<string, JsonObject>
  readonly home: string

  constructor(documents: ReadonlyMap<string, JsonObject>, home: string) {
    this.documents = documents
    this.home = home
  }

  resolve(schema: JsonObject, file: string): JsonObject {
    const reference = schema['$ref']
    const own: Record<string, Json> = {}
    for (const [key, value] of Object.entries(schema)) {
      if (key !== '$ref') own[key] = this.resolveValue(value, file)
    }
    if (typeof reference !== 'string') return own
    const [referredFile, name] = parseReference(reference, file)
    const definition = objectAt(objectAt(this.documents.get(referredFile) ?? {}, '$defs'), name)
    const base = this.resolve(definition, referredFile)
    const rules = [...listAt(base, 'x-kubernetes-validations'), ...listAt(own, 'x-kubernetes-validations')]
    return {
      ...(base['properties'] === undefined ? {} : { title: name }),
      ...base,
      ...own,
      ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
    }
  }

  private resolveValue(value: Json, file: string): Json {
    if (Array.isArray(value)) return value.map((item: Json) => this.resolveValue(item, file))
    return isJsonObject(value) ? this.resolve(value, file) : value
  }
}

function parseReference(reference: string, file: string): [string, string] {
  const match = /^([^#]*)#\/\$defs\/([A-Za-z0-9]+)$/.exec(reference)
  if (match?.[2] === undefined) throw new Error(`unsupported reference ${reference}`)
  return [match[1] === undefined || match[1] === '' ? file : match[1], match[2]]
}

function parseObject(text: string, name: string): JsonObject {
  const value: unknown = JSON.parse(text)
  if (!isJsonObject(value)) throw new Error(`${name} does not hold an object`)
  return value
}

function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

/** Walks a resolved schema and rewrites every schema in it, innermost first. Property names are never mistaken for keywords. */
export function mapSchema(schema: JsonObject, rewrite: (schema: JsonObject) => JsonObject): JsonObject {
  const result: Record<string, Json> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isJsonObject(value)) {
      result[key] = Object.fromEntries(
        Object.entries(value).map(([name, child]) => [name, isJsonObject(child) ? mapSchema(child, rewrite) : child]),
      )
    } else if ((key === 'items' || key === 'additionalProperties') && isJsonObject(value)) {
      result[key] = mapSchema(value, rewrite)
    } else {
      result[key] = value
    }
  }
  return rewrite(result)
}
