import { isJsonObject, type Json, type JsonObject, listAt, objectAt, textAt } from './json.ts'
import type { KindSchema } from './schemas.ts'

/** The reference page of a kind, in Markdown. */
export function referenceOf(kind: KindSchema): string {
  const lines = [`# ${kind.kind}`, '', kind.description, '', ...identity(kind)]
  const properties = objectAt(kind.schema, 'properties')
  for (const part of ['spec', 'status']) {
    const schema = properties[part]
    if (!isJsonObject(schema)) continue
    lines.push(
      '',
      `## ${part}`,
      '',
      '| field | type | default | constraints | meaning |',
      '| --- | --- | --- | --- | --- |',
    )
    lines.push(...fieldRows(schema, ''))
    const rules = ruleRows(schema, part)
    if (rules.length > 0)
      lines.push('', `### Rules of ${part}`, '', '| at | refused with | rule |', '| --- | --- | --- |', ...rules)
  }
  const columns = kind.crd === undefined ? [] : listAt(kind.crd, 'printerColumns')
  if (columns.length > 0) {
    lines.push('', '## Columns of `kubectl get`', '', '| column | shows | |', '| --- | --- | --- |')
    for (const column of columns) {
      if (!isJsonObject(column)) continue
      lines.push(
        `| ${textAt(column, 'name')} | \`${cell(textAt(column, 'jsonPath'))}\` | ${column['priority'] === 1 ? 'wide output only' : ''} |`,
      )
    }
  }
  return `${lines.join('\n')}\n`
}

export function referenceIndex(kinds: readonly KindSchema[]): string {
  const rows = kinds.map(
    (kind) => `| [${kind.kind}](${kind.fileName}.md) | \`${kind.group}/${kind.version}\` | ${cell(kind.description)} |`,
  )
  return ['# Reference', '', '| kind | apiVersion | |', '| --- | --- | --- |', ...rows, ''].join('\n')
}

function identity(kind: KindSchema): string[] {
  const crd = kind.crd
  if (crd === undefined)
    return [
      `\`apiVersion: ${kind.group}/${kind.version}\`, \`kind: ${kind.kind}\`. Read from files only; there is no CRD.`,
    ]
  const shortNames = listAt(crd, 'shortNames').join(', ')
  return [
    `\`apiVersion: ${kind.group}/${kind.version}\`, \`kind: ${kind.kind}\`. Scope: ${textAt(crd, 'scope')}. ` +
      `Resource: \`${textAt(crd, 'plural')}.${kind.group}\`. Short names: ${shortNames === '' ? 'none' : shortNames}. ` +
      `Categories: ${listAt(crd, 'categories').join(', ')}. Subresources: status${crd['scale'] === undefined ? '' : ', scale'}.`,
  ]
}

function fieldRows(schema: JsonObject, prefix: string): string[] {
  const required = listAt(schema, 'required')
  return Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {}).flatMap(([name, child]) => {
    if (!isJsonObject(child)) return []
    const path = `${prefix}${name}`
    const row = `| \`${path}\` | ${typeText(child)} | ${defaultText(child)} | ${constraintText(child, required.includes(name))} | ${cell(String(child['description'] ?? ''))} |`
    const items = child['items']
    return [row, ...fieldRows(child, `${path}.`), ...(isJsonObject(items) ? fieldRows(items, `${path}[].`) : [])]
  })
}

function ruleRows(schema: JsonObject, path: string): string[] {
  const own = listAt(schema, 'x-kubernetes-validations').flatMap((rule) =>
    isJsonObject(rule)
      ? [`| \`${path}\` | ${cell(textAt(rule, 'message'))} | \`${cell(textAt(rule, 'rule'))}\` |`]
      : [],
  )
  const children = Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {}).flatMap(
    ([name, child]) => (isJsonObject(child) ? ruleRows(child, `${path}.${name}`) : []),
  )
  const items = schema['items']
  return [...own, ...children, ...(isJsonObject(items) ? ruleRows(items, `${path}[]`) : [])]
}

function typeText(schema: JsonObject): string {
  if (schema['x-kubernetes-int-or-string'] === true)
    return schema['tsType'] === 'QuantityText' ? 'quantity' : 'integer or string'
  const values = schema['additionalProperties']
  if (isJsonObject(values))
    return values['type'] === undefined && values['x-kubernetes-int-or-string'] !== true
      ? 'object'
      : `map of ${typeText(values)}`
  const items = schema['items']
  if (isJsonObject(items)) return `list of ${typeText(items)}`
  return typeof schema['type'] === 'string' ? schema['type'] : 'any'
}

function defaultText(schema: JsonObject): string {
  return schema['default'] === undefined ? '' : `\`${cell(JSON.stringify(schema['default']))}\``
}

function constraintText(schema: JsonObject, required: boolean): string {
  const parts = required ? ['required'] : []
  const values = schema['enum']
  if (Array.isArray(values)) parts.push(`one of ${values.map((value: Json) => `\`${String(value)}\``).join(', ')}`)
  for (const [keyword, text] of bounds) {
    const bound = schema[keyword]
    if (typeof bound === 'number') parts.push(`${text} ${bound}`)
  }
  if (typeof schema['pattern'] === 'string' && schema['tsType'] === undefined)
    parts.push(`matches \`${cell(schema['pattern'])}\``)
  if (schema['x-kubernetes-list-type'] === 'set') parts.push('no duplicates')
  return parts.join('; ')
}

const bounds: readonly (readonly [string, string])[] = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['minLength', 'length at least'],
  ['maxLength', 'length at most'],
  ['minItems', 'items at least'],
  ['maxItems', 'items at most'],
  ['maxProperties', 'entries at most'],
]

/** A bar would end the cell, also within code. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
