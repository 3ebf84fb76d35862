import { ProblemsError } from '../command-line.ts'
import { countText } from '../count-text.ts'
import type { ManifestDocument } from '../input/documents.ts'
import { problemLine } from '../input/problem-line.ts'
import { identityOf } from './objects.ts'

/** A cluster that is named twice has all of its objects twice, and to find a place in it takes a while. */
const problemsMax = 10

/**
 * Which of two objects of one name is meant nobody can know, and together they would count twice.
 * @throws ProblemsError that names both places of each
 */
export function oncePerName(documents: readonly ManifestDocument[]): readonly ManifestDocument[] {
  const seen = new Map<string, ManifestDocument>()
  const repeated: [document: ManifestDocument, first: ManifestDocument][] = []
  for (const document of documents) {
    const identity = document.content.kind === 'object' ? identityOf(document.content.object) : undefined
    if (identity === undefined) continue
    const first = seen.get(identity)
    if (first === undefined) seen.set(identity, document)
    else repeated.push([document, first])
  }
  if (repeated.length === 0) return documents
  const told = repeated
    .slice(0, problemsMax)
    .map(([document, { file, locate }]) =>
      problemLine(document, { path: [], message: `is already in ${file}:${locate([]).line}` }),
    )
  const more = repeated.length - told.length
  throw new ProblemsError(more === 0 ? told : [...told, `and ${countText(more, 'more object')}`])
}
