import { isRecord, textOf } from '../../api/json.ts'
import { printableText } from '../table.ts'
import type { ManifestDocument, PartialObject } from './documents.ts'
import { pathText } from './path.ts'

/** One thing wrong with a document, where it stands. */
export interface ShapeProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** `file:line:column kind/name field: reason`, as every command reports what is wrong with its input. */
export function problemLine(document: ManifestDocument, problem: ShapeProblem): string {
  const { line, column } = document.locate(problem.path)
  const subject = document.content.kind === 'object' ? subjectOf(document.content.object) : ''
  const field = pathText(problem.path)
  return printableText(
    `${document.file}:${line}:${column} ${subject}${field === '' ? '' : ` ${field}`}: ${problem.message}`,
  )
}

export function subjectOf(object: PartialObject): string {
  const name = isRecord(object.metadata) && typeof object.metadata['name'] === 'string' ? object.metadata['name'] : ''
  return `${textOf(object.kind)}/${name}`
}
