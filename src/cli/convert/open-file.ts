import { type Document, LineCounter, parseAllDocuments } from 'yaml'
import type { Path } from '../../api/conversion/index.ts'
import type { UnreadablePlace } from '../../api/kubernetes-yaml.ts'
import { listOfManifests, manifestIn } from '../input/documents.ts'
import { manifestOptions, problemsOf, syntaxText, valueOf } from '../input/yaml-text.ts'
import { handOverTrailingComments } from './trailing-comments.ts'

export interface ManifestFile {
  readonly file: string
  readonly text: string
}

/** `refused`: the document stays as it was. `invalid`: what came out is not valid yet. The others as in the plan. */
export interface ConversionRemark {
  readonly kind: 'refused' | 'invalid' | 'lost' | 'check'
  /** Of the field that is spoken of, as it was written; empty for the whole. */
  readonly path: string
  readonly line: number
  readonly column: number
  /** `NodePool/default`; empty where the document cannot be read. */
  readonly subject: string
  readonly message: string
}

/** One object: a document, or an item of a List. */
export interface ManifestObject {
  readonly document: Document.Parsed
  readonly root: Path
  readonly object: unknown
}

export interface OpenFile extends ManifestFile {
  readonly documents: readonly Document.Parsed[]
  readonly subjects: readonly ManifestObject[]
  /** Whether nothing of it is to be changed. */
  readonly isLeft: boolean
  readonly lines: LineCounter
  /** Documents that cannot be read, and why. */
  readonly refused: ReadonlyMap<Document.Parsed, readonly ConversionRemark[]>
}

/** Parses a file; of documents that cannot be read it tells why. */
export function openFile({ file, text }: ManifestFile): OpenFile {
  const lines = new LineCounter()
  const parsed = parseAllDocuments(text, { ...manifestOptions, lineCounter: lines })
  const documents: Document.Parsed[] = Array.isArray(parsed) ? parsed : []
  for (const document of documents) handOverTrailingComments(document, text)
  const refused = new Map<Document.Parsed, readonly ConversionRemark[]>()
  const refuse = (document: Document.Parsed, problems: readonly UnreadablePlace[]): void => {
    const remarks = problems.map(({ offset, message }): ConversionRemark => {
      return { kind: 'refused', path: '', ...positionAt(lines, offset), subject: '', message }
    })
    if (remarks.length > 0) refused.set(document, remarks)
  }
  const subjects = documents.flatMap((document): ManifestObject[] => {
    const problems = problemsOf(document, text)
    refuse(document, problems)
    if (problems.length > 0) return []
    try {
      const value = valueOf(document)
      if (manifestIn(value) >= 0) refuse(document, [{ offset: document.range[0], message: listOfManifests }])
      return subjectsOf(document, [], value)
    } catch (error) {
      refuse(document, [{ offset: document.range[0], message: syntaxText(error) }])
      return []
    }
  })
  return { file, text, documents, subjects, refused, isLeft: false, lines }
}

function subjectsOf(document: Document.Parsed, root: Path, value: unknown): ManifestObject[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const { kind, items } = value as { kind?: unknown; items?: unknown }
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)) {
    return items.flatMap((item: unknown, index) => subjectsOf(document, [...root, 'items', index], item))
  }
  return [{ document, root, object: value }]
}

export function positionAt(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(1, line), column: Math.max(1, col) }
}
