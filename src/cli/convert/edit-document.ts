import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml'
import type { Edit, Path } from '../../api/conversion/index.ts'

/**
 * Carries edits out on the nodes of a YAML document, so that comments, key order and the way values are written survive wherever
 * nothing changes. `root` is where the edited object stands in the document: empty but for items of a List.
 */
export function editDocument(document: Document, edits: readonly Edit[], root: Path): void {
  for (const edit of edits) {
    switch (edit.op) {
      case 'set':
        put(document, [...root, ...edit.path], { key: undefined, value: edit.value })
        break
      case 'move': {
        const taken = take(document, [...root, ...edit.from])
        if (taken !== undefined) put(document, [...root, ...edit.path], taken)
        break
      }
      case 'remove':
        take(document, [...root, ...edit.path])
        break
    }
  }
}

/** What is put somewhere: a plain value, or a node with the key it had, for the comment above it. */
interface Taken {
  readonly key: Node | undefined
  readonly value: unknown
}

function put(document: Document, path: Path, { key, value }: Taken): void {
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
    const created = document.createPair(last, node) as Pair<Node, unknown>
    if (key !== undefined) {
      created.key.commentBefore = key.commentBefore ?? null
      if (key.spaceBefore === true) created.key.spaceBefore = true
    }
    parent.items.push(created)
    return
  }
  // A scalar keeps its quotes and its comment when only its text changes.
  if (isScalar(pair.value) && isScalar(node) && !isNode(value)) pair.value.value = node.value
  else pair.value = node
}

function take(document: Document, path: Path): Taken | undefined {
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
