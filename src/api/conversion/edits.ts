/** Where in a document: member names and list positions from the root. */
export type Path = readonly (string | number)[]

/** A place in another of the documents that are converted together. */
interface Origin {
  /** Position among the documents. */
  readonly document: number
  readonly path: Path
}

/**
 * One change to a document. Parents that are missing are created as objects; an object that a move or removal leaves empty stays. So that
 * whoever applies it to a text can keep its comments, `move` keeps what is moved as it is, `origin` is where a value was written before,
 * and `heir` is what has taken the place of something that is removed.
 */
export type Edit =
  | { readonly op: 'set'; readonly path: Path; readonly value: unknown; readonly origin?: Origin }
  | { readonly op: 'move'; readonly from: Path; readonly path: Path }
  | { readonly op: 'remove'; readonly path: Path; readonly heir?: Path }

/** The document after the edits; the one given is left alone. */
export function applyEdits(document: unknown, edits: readonly Edit[]): unknown {
  const root: unknown = structuredClone(document)
  for (const edit of edits) {
    switch (edit.op) {
      case 'set':
        put(root, edit.path, structuredClone(edit.value))
        break
      case 'move': {
        const value = valueAt(root, edit.from)
        take(root, edit.from)
        if (value !== undefined) put(root, edit.path, value)
        break
      }
      case 'remove':
        take(root, edit.path)
        break
    }
  }
  return root
}

export function valueAt(document: unknown, path: Path): unknown {
  let at = document
  for (const step of path) at = isContainer(at) ? Reflect.get(at, step) : undefined
  return at
}

function put(root: unknown, path: Path, value: unknown): void {
  let at = root
  for (const [index, step] of path.entries()) {
    if (!isContainer(at)) return
    if (index === path.length - 1) Reflect.set(at, step, value)
    else {
      const next: unknown = Reflect.get(at, step)
      if (!isContainer(next)) Reflect.set(at, step, {})
      at = Reflect.get(at, step)
    }
  }
}

function take(root: unknown, path: Path): void {
  const parent = valueAt(root, path.slice(0, -1))
  const last = path.at(-1)
  if (!isContainer(parent) || last === undefined) return
  if (Array.isArray(parent) && typeof last === 'number') parent.splice(last, 1)
  else Reflect.deleteProperty(parent, last)
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
