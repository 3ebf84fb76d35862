import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** What a type and its fields are documented to mean, by the name each field has on the wire. */
export interface TypeDocs {
  readonly type: string
  readonly fields: ReadonlyMap<string, string>
}

const remembered = new Map<string, TypeDocs>()

/**
 * The documentation of a built-in type, as the installed @kubernetes/client-node declares it. Read when first asked for: it is only
 * wanted by those who ask for OpenAPI, which `kubectl explain` does.
 */
export function builtinDocs(model: string): TypeDocs {
  const known = remembered.get(model)
  if (known !== undefined) return known
  const docs = readDocs(model)
  remembered.set(model, docs)
  return docs
}

const models = join(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')), 'gen', 'models')

function readDocs(model: string): TypeDocs {
  const declarations = readFileSync(join(models, `${model}.d.ts`), 'utf8')
  const script = readFileSync(join(models, `${model}.js`), 'utf8')
  // The declaration knows a field by its TypeScript name, which differs from the wire's where that is a reserved word.
  const wireNames = new Map<string, string>()
  for (const [, own = '', wire = ''] of script.matchAll(/"name": "([^"]+)",\s*"baseName": "([^"]+)"/g)) {
    wireNames.set(own, wire)
  }
  const fields = new Map<string, string>()
  for (const [, doc = '', own = ''] of declarations.matchAll(/\/\*\*\n\s*\* ([^\n]*)\n\s*\*\/\n\s*'([^']+)'\??: /g)) {
    const wire = wireNames.get(own)
    if (wire !== undefined) fields.set(wire, plain(doc))
  }
  const own = /\/\*\*\n\* ((?:.|\n)*?)\n\*\/\nexport declare class/.exec(declarations)?.[1] ?? ''
  return { type: plain(own), fields }
}

function plain(text: string): string {
  return text.replaceAll("\\'", "'").replaceAll('\\"', '"').trim()
}
