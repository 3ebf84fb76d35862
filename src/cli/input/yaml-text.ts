import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, visit, type YAMLMap } from 'yaml'
import { firstLineOf } from '../../api/error-text.ts'
import { kubernetesYAML, type UnreadablePlace, unreadablePlaces } from '../../api/kubernetes-yaml.ts'

export interface Position {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}

/** How manifests are parsed, wherever they are. Keys that come twice are found by `problemsOf`. */
export const manifestOptions = { ...kubernetesYAML, prettyErrors: false, uniqueKeys: false } as const

/** Why a document cannot be read, and where. `text` is all that was parsed. */
export function problemsOf(document: Document.Parsed, text: string): readonly UnreadablePlace[] {
  const [start, , end] = document.range
  const first = document.contents?.range?.[0]
  if (first !== undefined && text[first] === byteOrderMark) {
    return [{ offset: first, message: 'a byte order mark is a part of the first key here: remove it' }]
  }
  const control = controlCharacter.exec(text.slice(start, end))
  if (control !== null) {
    const code = control[0].charCodeAt(0).toString(16).padStart(4, '0')
    return [{ offset: start + control.index, message: `the control character U+${code.toUpperCase()} is not allowed` }]
  }
  if (document.errors.length === 0) {
    const places = [...unreadablePlaces(document), ...aliasesInVain(document)]
    const ofTemplate = places.find(({ message }) => message.endsWith(templateAdvice))
    return ofTemplate === undefined ? places : [ofTemplate]
  }
  const problems = document.errors.map((error) => ({ offset: error.pos[0], message: syntaxText(error) }))
  // Where the parser gave up, what it says of the rest is the same for each level.
  const tooDeep = problems.find(({ message }) => message === nestedTooDeeply)
  if (tooDeep !== undefined) return [tooDeep]
  const ofTemplate = problems.find(({ offset }) => hasTemplateAt(text, offset))
  return ofTemplate === undefined
    ? firstOf(problems)
    : [{ ...ofTemplate, message: `${ofTemplate.message}${templateAdvice}` }]
}

/** Of the text as a whole it is none of what is parsed. */
export const byteOrderMark = '\u{feff}'

const templateAdvice = '; render templates first'

/** Of a file that is no YAML the parser says something of every word. What went wrong first is among the first. */
const problemsMax = 3

function firstOf(problems: readonly UnreadablePlace[]): readonly UnreadablePlace[] {
  const rest = problems.length - problemsMax
  return problems.slice(0, problemsMax).map((problem, index) => {
    const isLast = rest > 0 && index === problemsMax - 1
    return isLast
      ? { ...problem, message: `${problem.message}; and ${rest} more, which may follow from these` }
      : problem
  })
}

const nestedTooDeeply = 'nested too deeply'

/** An alias stands for what its anchor is on, which has to begin and end before it in the same document. */
function aliasesInVain(document: Document.Parsed): readonly UnreadablePlace[] {
  const places: UnreadablePlace[] = []
  const anchors = new Map<string, Node>()
  visit(document, {
    Value(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
    },
    Alias(_, { source, range }, ancestors) {
      const target = anchors.get(source)
      if (target !== undefined && !ancestors.includes(target)) return
      const why =
        target === undefined ? `has no anchor &${source} before it` : 'stands for something that it is part of'
      places.push({ offset: range?.[0] ?? 0, message: `the alias *${source} ${why}` })
    },
  })
  return places
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const controlCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** Whether the line of the offset, or the one before, has what Helm replaces: the rest of what the parser says follows from that. */
function hasTemplateAt(text: string, offset: number): boolean {
  const before = text.lastIndexOf('\n', text.lastIndexOf('\n', offset - 1) - 1)
  const end = text.indexOf('\n', offset)
  return text.slice(before + 1, end < 0 ? text.length : end).includes('{{')
}

/** What the parser has to say, in words of our own where its own name no cause. */
export function syntaxText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // It gives up on nesting when its stack is full, and says that in the engine's words.
  if (/call stack|stack overflow/i.test(error.message)) return nestedTooDeeply
  return firstLineOf(error)
}

/** Where the value at a path stands, or the nearest parent that exists; where an alias or a merge key leads, what it leads to. */
export function positionOf(
  document: Document.Parsed,
  path: readonly (string | number)[],
  at: (offset: number) => Position,
): Position | undefined {
  let node: unknown = document.contents
  let offset = offsetOf(node)
  for (const step of path) {
    const parent = isAlias(node) ? node.resolve(document) : node
    const pair = isMap(parent) ? pairIn(document, parent, step) : undefined
    const next = isSeq(parent) ? parent.items[Number(step)] : pair?.value
    const found = offsetOf(pair?.key) ?? offsetOf(next)
    if (found === undefined) break
    offset = found
    node = next
  }
  return offset === undefined ? undefined : at(offset)
}

function pairIn(document: Document.Parsed, map: YAMLMap, key: string | number): Pair | undefined {
  const own = map.items.find((pair) => isNode(pair.key) && String(pair.key) === String(key))
  if (own !== undefined) return own
  for (const { key: name, value } of map.items) {
    if (!isScalar(name) || name.source !== '<<') continue
    for (const merged of isSeq(value) ? value.items : [value]) {
      const source = isAlias(merged) ? merged.resolve(document) : merged
      const pair = isMap(source) ? pairIn(document, source, key) : undefined
      if (pair !== undefined) return pair
    }
  }
  return undefined
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}

/**
 * What the document stands for.
 * @throws Error with words for the user when it cannot be told
 */
export function valueOf(document: Document.Parsed): unknown {
  const value: unknown = document.toJS({ maxAliasCount: -1 })
  let hasAliases = false
  visit(document, {
    Alias() {
      hasAliases = true
      return visit.BREAK
    },
  })
  if (hasAliases) checkExpansion(value)
  return value
}

/** Far beyond what anybody writes, and quickly judged. */
const expandedMax = 1_000_000

/** Aliases share what they stand for, so that a few lines can stand for more than any memory holds. */
function checkExpansion(value: unknown): void {
  const sizes = new Map<object, number>()
  const sizeOf = (part: unknown): number => {
    if (typeof part !== 'object' || part === null) return 1
    const known = sizes.get(part)
    if (known !== undefined) return known
    const size = Object.values(part).reduce<number>((sum, inner) => sum + sizeOf(inner), 1)
    sizes.set(part, size)
    return size
  }
  if (sizeOf(value) > expandedMax && sizeOf(value) > 10 * sizes.size)
    throw new Error(`its aliases stand for more than ${expandedMax} values`)
}
