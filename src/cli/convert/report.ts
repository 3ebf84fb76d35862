import type { ConvertedFile, ConvertedObject } from './convert-text.ts'
import type { ConversionRemark } from './open-file.ts'

/** What `-o json` prints of one object of the input, in input order. */
interface ObjectReport extends Omit<ConvertedObject, 'remarks'> {
  readonly file: string
  readonly remarks: readonly Omit<ConversionRemark, 'subject'>[]
}

export function reportsOf(files: readonly ConvertedFile[]): ObjectReport[] {
  return files.flatMap(({ file, documents }) =>
    documents.map(({ remarks, object, ...identity }) => ({
      file,
      ...identity,
      remarks: remarks.map(({ subject: _subject, ...remark }) => remark),
      object,
    })),
  )
}
