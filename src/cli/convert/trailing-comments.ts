import { type Document, isCollection, isMap, isNode, isPair, visit } from 'yaml'

/**
 * Gives comments that stand below a block, and no longer as deep as it, to the key that follows: the parser leaves all of them with the block as
 * soon as the first one is as deep, as a setting that is commented out, and they would go where the block goes.
 */
export function handOverTrailingComments(document: Document.Parsed, text: string): void {
  visit(document, {
    Collection(_key, node, path) {
      const { range, comment, flow } = node
      if (flow === true || typeof comment !== 'string' || !Array.isArray(range)) return
      const lines = text
        .slice(range[1], range[2])
        .split('\n')
        .filter((line) => line.trim() !== '')
      if (lines.map((line) => line.trim().slice(1)).join('\n') !== comment) return
      const indent = range[0] - text.lastIndexOf('\n', range[0] - 1) - 1
      const kept = lines.findIndex((line) => line.search(/\S/) < indent)
      const next = kept < 1 ? undefined : nextKey([...path, node])
      if (next === undefined) return
      const comments = comment.split('\n')
      node.comment = comments.slice(0, kept).join('\n')
      next.commentBefore = [...comments.slice(kept), ...(next.commentBefore?.split('\n') ?? [])].join('\n')
    },
  })
}

/** Of the innermost mapping around the end of `path` that goes on behind it. */
function nextKey(path: readonly unknown[]): { commentBefore?: string | null | undefined } | undefined {
  for (let index = path.length - 2; index >= 0; index -= 1) {
    const [outer, inner] = [path[index], path[index + 1]]
    if (isMap(outer) && isPair(inner)) {
      const key = outer.items[outer.items.indexOf(inner) + 1]?.key
      if (isNode(key)) return key
    } else if (isCollection(outer) && outer.items.at(-1) !== inner) return undefined
  }
  return undefined
}
