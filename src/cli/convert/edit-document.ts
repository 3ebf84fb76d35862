import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
} from 'yaml'
import type { Edit, Path } from '../../api/conversion/index.ts'
import { isRecord, jsonEqual } from '../../api/json.ts'

/**
 * Carries edits out on the nodes of a YAML document, so that comments, key order and the way values are written survive wherever
 * nothing changes. `root` is where the edited object stands in the document: empty but for items of a List. `copies` are what values
 * from other documents were written as, `anchored` what the aliases stood for before anything was edited.
 */
export function editDocument(
  document: Document,
  edits: readonly Edit[],
  root: Path,
  { copies, anchored }: { readonly copies: ReadonlyMap<Edit, WrittenValue>; readonly anchored: AnchoredNodes },
): void {
  for (const edit of edits) {
    switch (edit.op) {
      case 'set':
        put(document, [...root, ...edit.path], copies.get(edit) ?? { key: undefined, value: edit.value })
        break
      case 'move': {
        if (renameInPlace(document, [...root, ...edit.from], [...root, ...edit.path])) break
        const taken = take(document, [...root, ...edit.from])
        if (taken !== undefined) put(document, [...root, ...edit.path], taken)
        break
      }
      case 'remove': {
        const taken = take(document, [...root, ...edit.path])
        if (edit.heir !== undefined) handDown(document, taken, [...root, ...edit.heir])
        break
      }
    }
  }
  if (anchored.size > 0) writeOutOrphans(document, anchored)
}

export type AnchoredNodes = ReadonlyMap<Alias, Node>

/** What each alias stands for. */
export function anchoredNodes(document: Document): AnchoredNodes {
  const found = new Map<Alias, Node>()
  visit(document, {
    Alias(_, alias) {
      const node = alias.resolve(document)
      if (node !== undefined) found.set(alias, node)
    },
  })
  return found
}

/** An alias whose anchor is gone, or stands behind it now, is written out; it has the anchor then, for those behind it. */
function writeOutOrphans(document: Document, anchored: AnchoredNodes): void {
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined
      // What is written out may have aliases in it, copies of those that are known.
      const of = anchored.get(alias) ?? [...anchored].find(([{ source }]) => source === alias.source)?.[1]
      const written: unknown = of?.clone()
      return isNode(written) ? written : undefined
    },
  })
}

/** What is put somewhere: a plain value, or a node with the key it had, for the comment above it. */
export interface WrittenValue {
  readonly key: Node | undefined
  readonly value: unknown
}

/**
 * How a value is written in a document that is not edited yet, for another document: without those of its keys that the value has not.
 * Undefined where it is written by means of anchors, which another document does not have.
 */
export function copyOf(document: Document, path: Path, value: unknown): WrittenValue | undefined {
  const copy = document.clone()
  const taken = take(copy, path)
  if (taken === undefined || !isNode(taken.value)) return undefined
  if (isMap(taken.value) && isRecord(value)) {
    for (const { key } of [...taken.value.items])
      if (isScalar(key) && !Object.hasOwn(value, String(key.value))) taken.value.delete(key)
  }
  let hasAnchors = false
  visit(taken.value, {
    Node(_, node) {
      if (isAlias(node) || node.anchor !== undefined) hasAnchors = true
    },
  })
  if (hasAnchors || !jsonEqual(taken.value.toJS(copy), value)) return undefined
  return taken
}

function put(document: Document, path: Path, { key, value }: WrittenValue): void {
  const last = path.at(-1)
  const parent = containerAt(document, path.slice(0, -1))
  if (last === undefined || parent === undefined) return
  const node: unknown = isNode(value) ? value : document.createNode(value)
  if (isSeq(parent)) {
    if (typeof last === 'number' && last < parent.items.length) parent.items[last] = node
    else parent.items.push(node)
    return
  }
  const pair = pairOf(parent, last)
  if (pair === undefined) {
    const created = document.createPair(last, node)
    if (key?.spaceBefore === true) created.key.spaceBefore = true
    addComment(created.key, key?.commentBefore)
    parent.items.push(created)
    return
  }
  if (isNode(pair.key)) addComment(pair.key, key?.commentBefore)
  // A scalar keeps its quotes and its comment when only its text changes.
  if (isScalar(pair.value) && isScalar(node) && !isNode(value)) pair.value.value = node.value
  else pair.value = node
}

function addComment(node: Node, comment: string | null | undefined): void {
  if (typeof comment !== 'string') return
  node.commentBefore = typeof node.commentBefore === 'string' ? `${node.commentBefore}\n${comment}` : comment
}

/** What only gets another name in its mapping keeps its line. */
function renameInPlace(document: Document, from: Path, path: Path): boolean {
  const [old, name] = [from.at(-1), path.at(-1)]
  const isBeside = from.length === path.length && jsonEqual(from.slice(0, -1), path.slice(0, -1))
  const parent = isBeside ? existingAt(document, from.slice(0, -1)) : undefined
  if (old === undefined || name === undefined || !isMap(parent) || pairOf(parent, name) !== undefined) return false
  const key = pairOf(parent, old)?.key
  if (!isScalar(key)) return false
  key.value = name
  return true
}

/** What was said of something that is gone stands above what has taken its place. */
function handDown(document: Document, gone: WrittenValue | undefined, heir: Path): void {
  const parent = existingAt(document, heir.slice(0, -1))
  const key = isMap(parent) ? pairOf(parent, heir.at(-1) ?? '')?.key : undefined
  if (gone === undefined || !isNode(key)) return
  for (const comment of commentsIn(gone.key, gone.value)) addComment(key, comment)
}

/** In the order in which they are written. */
function commentsIn(...parts: readonly unknown[]): string[] {
  return parts.flatMap((part) => {
    if (isPair(part)) return commentsIn(part.key, part.value)
    if (!isNode(part)) return []
    const inner = isCollection(part) ? commentsIn(...part.items) : []
    return [part.commentBefore, ...inner, part.comment].filter((comment) => typeof comment === 'string')
  })
}

function take(document: Document, path: Path): WrittenValue | undefined {
  const last = path.at(-1)
  const parent = last === undefined ? undefined : existingAt(document, path.slice(0, -1))
  if (last === undefined || parent === undefined) return undefined
  if (isSeq(parent)) {
    const [value] = typeof last === 'number' ? parent.items.splice(last, 1) : []
    return value === undefined ? undefined : { key: undefined, value }
  }
  if (!isMap(parent)) return undefined
  const pair = pairOf(parent, last)
  if (pair === undefined) return undefined
  const isFirst = parent.items[0] === pair
  parent.items.splice(parent.items.indexOf(pair), 1)
  const key = isNode(pair.key) ? pair.key : undefined
  // The parser hangs a comment above the first key on the whole mapping.
  if (isFirst && key !== undefined && typeof parent.commentBefore === 'string') {
    key.commentBefore = parent.commentBefore
    parent.commentBefore = null
  }
  const value = isAlias(pair.value) ? (pair.value.resolve(document)?.clone() ?? pair.value) : pair.value
  return { key, value }
}

/** The mapping or list at a path; missing mappings on the way are made, aliases on the way are replaced by what they stand for. */
function containerAt(document: Document, path: Path): ReturnType<typeof existingAt> {
  let at: unknown = document.contents
  for (const step of path) {
    let next = childOf(document, at, step)
    if (!isMap(next) && !isSeq(next)) {
      next = document.createNode({})
      if (isMap(at)) {
        const pair = pairOf(at, step)
        if (pair === undefined) at.items.push(document.createPair(step, next))
        else pair.value = next
      } else if (isSeq(at) && typeof step === 'number') at.items[step] = next
      // An empty mapping that was written {} opens up when it gets its first key.
    }
    if (isMap(next) && next.items.length === 0) next.flow = false
    at = next
  }
  return isMap(at) || isSeq(at) ? at : undefined
}

function existingAt(document: Document, path: Path) {
  let at: unknown = document.contents
  for (const step of path) at = childOf(document, at, step)
  return isMap(at) || isSeq(at) ? at : undefined
}

function childOf(document: Document, parent: unknown, step: string | number): unknown {
  if (isSeq(parent) && typeof step === 'number') {
    const item = parent.items[step]
    if (!isAlias(item)) return item
    parent.items[step] = item.resolve(document)?.clone()
    return parent.items[step]
  }
  if (!isMap(parent)) return undefined
  const pair = pairOf(parent, step)
  if (pair !== undefined && isAlias(pair.value)) pair.value = pair.value.resolve(document)?.clone()
  return pair?.value
}

function pairOf(map: YAMLMap, key: string | number): Pair | undefined {
  return map.items.find((item) => isPair(item) && (isScalar(item.key) ? item.key.value : item.key) === key)
}
