import { posix } from 'node:path'
import { applyEdits, planConversion } from '../../api/conversion/index.ts'
import { jsonEqual, textOf } from '../../api/json.ts'
import { customResourceDefinitions } from '../../api/karpenter.ts'
import { compiledResourceOf } from '../../api/validation/index.ts'
import { ProblemsError } from '../command-line.ts'
import { type ManifestDocument, type PartialObject, syntaxLine } from '../input/documents.ts'
import { isJudgedKind } from '../input/judged-kinds.ts'

interface Placed {
  readonly file: string
  readonly object: PartialObject
}

/**
 * For each document the object that it updates, as a server of our version has it. An update that is taken for a creation would be judged by
 * fewer rules. Several clusters may have an object of one kind and name: the paths of both files tell which one it is.
 * @throws ProblemsError when a document of `old` cannot be read; the function that is returned does when several may be meant
 */
export function previousObjects(
  documents: readonly ManifestDocument[],
  old: readonly ManifestDocument[],
): (document: ManifestDocument) => object | undefined {
  const problems = old.flatMap(({ file, content }) =>
    content.kind === 'object' || content.isPatch ? [] : content.problems.map((problem) => syntaxLine(file, problem)),
  )
  if (problems.length > 0) throw new ProblemsError(problems)
  const stored = placed(old).map(({ file, object }) => ({ file, object: inServedVersion(object) }))
  const before = Map.groupBy(stored, ({ object }) => identity(object))
  const now = Map.groupBy(placed(documents), ({ object }) => identity(object))
  return ({ file, content }) => {
    if (content.kind !== 'object' || !isJudgedKind(content.object)) return undefined
    const name = identity(content.object)
    const [first, ...others] = nearest(file, now.get(name) ?? [], before.get(name) ?? [])
    const other = others.find(({ object }) => !jsonEqual(object, first?.object))
    if (first === undefined || other === undefined) return first?.object
    const files = first.file === other.file ? `${first.file} twice` : `${first.file} and ${other.file}`
    throw new ProblemsError([
      `${file}: updates ${name}, of which --old holds ${files}: name only what is in its cluster`,
    ])
  }
}

/** By kind, namespace and name. A namespace that a tool has written on a kind which has none means nothing. */
export function identity(object: { readonly kind?: unknown; readonly metadata?: unknown }): string {
  const { name, namespace } = (object.metadata ?? {}) as { name?: unknown; namespace?: unknown }
  const kind = textOf(object.kind)
  return [kind, ...(namespacedKinds.has(kind) ? [textOf(namespace) || 'default'] : []), textOf(name)].join('/')
}

const namespacedKinds = new Set(
  customResourceDefinitions.filter(({ spec }) => spec.scope === 'Namespaced').map(({ spec }) => spec.names.kind),
)

function placed(documents: readonly ManifestDocument[]): readonly Placed[] {
  return documents.flatMap(({ file, content }) => (content.kind === 'object' ? [{ file, object: content.object }] : []))
}

/**
 * What was read from a cluster before its APIs were v1 would break rules that compare it with fields of v1. No server has stored a field
 * that it does not know: one that stands in both files is new to it.
 */
function inServedVersion(object: PartialObject): PartialObject {
  const plan = isJudgedKind(object) ? undefined : planConversion(object)
  const served = plan === undefined ? object : (applyEdits(object, plan.edits) as PartialObject)
  return (compiledResourceOf(served)?.prune(served).value ?? served) as PartialObject
}

/** Of the old ones those whose paths are the most like the file's, unless another of the present ones is more like them. */
function nearest(file: string, now: readonly Placed[], before: readonly Placed[]): readonly Placed[] {
  const most = Math.max(...before.map((old) => likeness(file, old.file)))
  return before.filter(
    (old) => likeness(file, old.file) === most && now.every((other) => likeness(other.file, old.file) <= most),
  )
}

/** How many parts two paths have in common, in the same order: the folder that each is in may lie anywhere. */
function likeness(a: string, b: string): number {
  const [one, other] = [a, b].map((path) => posix.normalize(path).split('/')) as [string[], string[]]
  let row = other.map(() => 0)
  for (const part of one) {
    let [left, diagonal] = [0, 0]
    row = row.map((above, index) => {
      left = part === other[index] ? diagonal + 1 : Math.max(left, above)
      diagonal = above
      return left
    })
  }
  return row.at(-1) ?? 0
}
