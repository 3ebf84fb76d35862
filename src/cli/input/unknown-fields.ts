import { isRecord } from '../../api/json.ts'
import { compiledResourceOf, unknownMetadata } from '../../api/validation/index.ts'
import { print, type Terminal } from '../command-line.ts'
import { countText } from '../count-text.ts'
import type { ManifestDocument } from './documents.ts'
import { nearField } from './near-field.ts'
import { didYouMean } from './near-name.ts'
import { parsePath } from './path.ts'
import { problemLine } from './problem-line.ts'

/** A cluster that was recorded with newer definitions has the same ones on every object. */
const warningsMax = 10

/** A misspelt field is none to an API server, which drops it: the answer is about what is left, and that may not be what was meant. */
export function warnOfUnknownFields(
  documents: readonly ManifestDocument[],
  { stderr }: Pick<Terminal, 'stderr'>,
): void {
  const lines = documents.flatMap(unknownFields)
  for (const line of lines.slice(0, warningsMax)) print(stderr, `warning: ${line}`)
  const more = lines.length - warningsMax
  if (more > 0) print(stderr, `warning: ${countText(more, 'more unknown field')}`)
}

function unknownFields(document: ManifestDocument): readonly string[] {
  const { content } = document
  if (content.kind !== 'object') return []
  // Nobody writes a status: what was read from a cluster may have that of another version.
  const { status: _status, ...written } = content.object
  const { metadata } = written
  const dropped = compiledResourceOf(written)?.prune(written).dropped
  if (dropped === undefined) return []
  const ofMetadata = isRecord(metadata) ? unknownMetadata(metadata).map((name) => `metadata.${name}`) : []
  return [...ofMetadata, ...dropped].map((text) => {
    const path = parsePath(text, written)
    const meant = nearField(written, path)
    const question = meant === undefined ? '' : `. ${didYouMean(meant)}`
    return problemLine(document, { path, message: `unknown field, which an API server drops${question}` })
  })
}
