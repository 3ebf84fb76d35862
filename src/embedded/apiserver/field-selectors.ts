import { BoundedMemo } from '../../api/bounded-memo.ts'
import { badRequest } from './errors.ts'
import { textAt } from './json.ts'
import type { StoredObject } from './object.ts'

export type FieldGetter = (object: StoredObject) => string

/** Every kind can be selected by these; further fields are its own. */
export const commonFields: Readonly<Record<string, FieldGetter>> = {
  'metadata.name': (object) => object.metadata.name,
  'metadata.namespace': (object) => object.metadata.namespace ?? '',
}

/** A getter for a text field at a dotted path. */
export function fieldAt(path: string): FieldGetter {
  const steps = path.split('.')
  return (object) => textAt(object, ...steps) ?? ''
}

/** Undefined when the selector asks for nothing. @throws when it asks for a field that the kind cannot be selected by */
export function fieldPredicate(
  text: string,
  fields: Readonly<Record<string, FieldGetter>>,
): ((object: StoredObject) => boolean) | undefined {
  const requirements = parsedFields.of(text, parseFieldSelector)
  if (requirements.length === 0) return undefined
  const checks = requirements.map(({ field: name, equal, value }) => {
    const getter = commonFields[name] ?? fields[name]
    if (getter === undefined) throw badRequest(unknownField(name, fields))
    return (object: StoredObject) => (getter(object) === value) === equal
  })
  return (object) => checks.every((check) => check(object))
}

/** Kinds with fields of their own word it differently from those that have only the common ones. */
function unknownField(name: string, fields: Readonly<Record<string, FieldGetter>>): string {
  if (Object.keys(fields).length > 0) return `field label not supported: ${name}`
  return `"${name}" is not a known field selector: only "metadata.name", "metadata.namespace"`
}

interface FieldRequirement {
  readonly field: string
  readonly equal: boolean
  readonly value: string
}

/** Clients ask the same again and again. */
const parsedFields = new BoundedMemo<string, readonly FieldRequirement[]>(1_000)

/** A field selector as text: `spec.nodeName=n1,status.phase!=Failed`. Values may hold `\\,`, `\\=` and `\\\\`. */
function parseFieldSelector(text: string): readonly FieldRequirement[] {
  const requirements: FieldRequirement[] = []
  for (const part of text.split(/(?<!\\),/)) {
    if (part.trim() === '') continue
    const match = /^([^=!]+?)\s*(!=|==|=)\s*(.*)$/.exec(part.trim())
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`)
    const [, name = '', sign, value = ''] = match
    requirements.push({ field: name, equal: sign !== '!=', value: value.replaceAll(/\\([\\,=])/g, '$1') })
  }
  return requirements
}
