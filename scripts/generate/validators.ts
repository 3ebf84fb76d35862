import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { type JsonObject, listAt, objectAt } from './json.ts'
import { type KindSchema, mapSchema } from './schemas.ts'

const constraintKeywords = new Set([
  'type',
  'properties',
  'additionalProperties',
  'required',
  'items',
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
  'anyOf',
  'const',
])

/**
 * Patterns are written for RE2, which an API server uses: JavaScript's own expressions backtrack, and some of these then take longer than
 * anybody lives for a text of a few hundred characters. The name is the function that generated code calls.
 */
const regExp = Object.assign((pattern: string, flags: string) => new RegExp(pattern, flags), { code: 'schemaPattern' })

/**
 * One module with a compiled check per kind. Patterns apart it needs nothing at run time: lengths count UTF-16 units, which needs no
 * helper of Ajv's.
 */
export function validatorsModule(kinds: readonly KindSchema[], banner: string): string {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    unicodeRegExp: false,
    unicode: false,
    logger: false,
    code: { source: true, esm: true, lines: true, optimize: true, regExp },
  })
  const exported: Record<string, string> = {}
  for (const kind of kinds) {
    ajv.addSchema(JSON.parse(JSON.stringify(objectSchema(kind))), kind.kind)
    exported[`validate${kind.kind}`] = kind.kind
  }
  const code = standalone.default(ajv, exported).replace(/^"use strict";\s*/, '')
  if (code.includes('require(')) throw new Error('a generated validator needs a helper of Ajv at run time')
  if (code.includes('RegExp')) throw new Error('a generated validator has an expression that backtracks')
  return (
    `// @ts-nocheck: compiled code without types; validators.ts gives it types.\n${banner}\n` +
    `import { schemaPattern } from '../validation/patterns.ts'\n${code.trim()}\n`
  )
}

function objectSchema(kind: KindSchema): JsonObject {
  const schema = mapSchema(kind.schema, onlyConstraints)
  return {
    ...schema,
    required: ['apiVersion', 'kind', 'metadata', ...listAt(schema, 'required')],
    properties: {
      apiVersion: { const: `${kind.group}/${kind.version}` },
      kind: { const: kind.kind },
      metadata: { type: 'object' },
      ...objectAt(schema, 'properties'),
    },
  }
}

function onlyConstraints(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => constraintKeywords.has(key)))
}
