import type { ConversionRemark, ConvertedFile } from './convert-text.ts'

/** What `-o json` prints of one object of the input, in input order. */
interface DocumentReport {
  readonly file: string
  /** Among the documents of its file, from 0. Items of a List share one. */
  readonly document: number
  readonly line: number
  /** As they were. Empty where the document cannot be read. */
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly outcome: 'converted' | 'unchanged' | 'refused'
  readonly remarks: readonly Omit<ConversionRemark, 'subject'>[]
  /** What it is now; null where the document cannot be read. */
  readonly object: unknown
}

export function reportsOf(files: readonly ConvertedFile[]): DocumentReport[] {
  return files.flatMap(({ file, documents }) =>
    documents.map(({ document, line, apiVersion, kind, name, outcome, remarks, object }) => ({
      file,
      document,
      line,
      apiVersion,
      kind,
      name,
      outcome,
      remarks: remarks.map((remark) => ({
        kind: remark.kind,
        path: remark.path,
        message: remark.message,
        line: remark.line,
        column: remark.column,
      })),
      object,
    })),
  )
}
