/** The page of the chart's values, made from the comments in its values.yaml. A test fails while it is not up to date. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isNode, isScalar, parseDocument, type YAMLMap } from 'yaml'

const valuesPath = join(import.meta.dirname, '../manifests/charts/joinery/values.yaml')

interface Row {
  /** Keys from the outside in, joined by dots. */
  readonly name: string
  readonly value: string
  /** Of the value, or of the group that it opens. */
  readonly comment: string
}

export function chartValuesPage(): string {
  const { contents } = parseDocument(readFileSync(valuesPath, 'utf8'))
  if (!isMap(contents)) throw new Error('values.yaml is no mapping')
  const rows = rowsOf(contents, '').map(({ name, value, comment }) => `| \`${name}\` | ${value} | ${comment} |`)
  return [
    "# The chart's values",
    '',
    "Made from `manifests/charts/joinery/values.yaml` by `npm run generate`. Values have the names of Karpenter's chart where the meaning is the",
    'same. A group that has a row of its own is described there.',
    '',
    '| value | default | |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

function rowsOf(map: YAMLMap, prefix: string): Row[] {
  return map.items.flatMap(({ key, value }, index): Row[] => {
    if (!isScalar(key)) return []
    const name = `${prefix}${String(key.value)}`
    // The parser takes what stands before the first key for the mapping's own. What an empty line sets apart is about more than the key.
    const before = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined) ?? ''
    const own = before.split(/\n\s*\n/).at(-1) ?? ''
    const comment = own
      .replaceAll(/\s*\n\s*/g, ' ')
      .replaceAll('|', '\\|')
      .trim()
    if (!isMap(value) || value.items.length === 0) return [{ name, value: textOf(value), comment }]
    const inner = rowsOf(value, `${name}.`)
    return comment === '' ? inner : [{ name, value: '', comment }, ...inner]
  })
}

function textOf(value: unknown): string {
  return `\`${JSON.stringify(isNode(value) ? value.toJSON() : value).replaceAll('|', '\\|')}\``
}
