import { type Document, isMap, parseAllDocuments, visit } from 'yaml'
import { canonicalText } from '../../api/json.ts'
import { manifestOptions } from '../input/yaml-text.ts'

/** A document as its author would have written it. `source`: how it was written. */
export function printed(document: Document.Parsed, source: string): string {
  const { padding, ...layout } = layoutOf(source)
  padFlow(document, padding)
  const whole = document.toString({ lineWidth: 0, ...layout })
  // A directive holds for the documents behind its own, too, and is printed with each; there it would be taken for content.
  const text = /^%/m.test(source) ? whole : whole.replace(/^(?:%[^\n]*\n)+/, '')
  // The marker between documents belongs to the source of the one behind it, and is only printed with directives.
  const marker = /^(?:\s*\n)?---[^\n]*\n/.exec(source)?.[0] ?? ''
  return (text.startsWith('---') ? text : `${marker.trimStart()}${text}`).replaceAll('\r\n', '\n')
}

/** Whether a text stands for the same values as the document. */
export function isPrintOf(document: Document.Parsed, text: string): boolean {
  const [parsed, ...others] = [...parseAllDocuments(text, manifestOptions)]
  return (
    parsed !== undefined &&
    others.length === 0 &&
    parsed.errors.length === 0 &&
    canonicalText(parsed.toJS()) === canonicalText(document.toJS())
  )
}

/** Between brackets and what they hold, in `{ a: b }` and in `[ a ]`: many write one with spaces and the other without. */
interface FlowPadding {
  readonly maps: boolean
  readonly lists: boolean
}

interface Layout {
  readonly indentSeq: boolean
  readonly indent: number
  readonly padding: FlowPadding
}

/** How the author indents and pads, so that lines which do not change in meaning do not change in Git either. */
function layoutOf(source: string): Layout {
  const lists = /\n( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n(?: *#[^\n]*\n)*( *)- /.exec(source)
  const steps = /\n( +)[^\s#-]/.exec(source)
  return {
    indentSeq: lists === null || (lists[2] ?? '').length > (lists[1] ?? '').length,
    indent: Math.min(8, Math.max(2, steps?.[1]?.length ?? 2)),
    padding: { maps: /\{ \S/.test(source), lists: /\[ \S/.test(source) },
  }
}

/** The library pads both alike, and asks each collection to print itself. A copy of one that was printed before prints itself, not the other. */
function padFlow(document: Document.Parsed, { maps, lists }: FlowPadding): void {
  visit(document, {
    Collection(_key, node) {
      if (node.flow !== true) return
      const print = node.toString
      const flowCollectionPadding = (isMap(node) ? maps : lists) ? ' ' : ''
      node.toString = function (context, ...rest) {
        return print.call(this, context === undefined ? undefined : { ...context, flowCollectionPadding }, ...rest)
      }
    },
  })
}
