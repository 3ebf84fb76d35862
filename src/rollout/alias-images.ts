import type { EC2NodeClass, ImageRevision } from '../api/karpenter.ts'

/**
 * What the class finds where its alias names another version, and it had the images of that version before: names of images differ by the
 * version alone. Undefined where its history does not tell.
 */
export function imagesOfAliasAgain(
  before: Pick<EC2NodeClass, 'spec' | 'status'>,
  after: EC2NodeClass['spec'],
): ImageRevision | undefined {
  const [from, to] = [aliasOf(before.spec), aliasOf(after)]
  if (from === undefined || to === undefined || from.family !== to.family || from.version === to.version) {
    return undefined
  }
  const [found, ...earlier] = before.status?.imageHistory ?? []
  const names = found === undefined ? [] : namesOf(found)
  if (names.length === 0 || !names.every((each) => each.includes(from.version))) return undefined
  const wanted = new Set(names.map((each) => each.replaceAll(from.version, to.version)))
  return earlier.find((revision) => wanted.symmetricDifference(new Set(namesOf(revision))).size === 0)
}

/** Undefined where a class selects otherwise; `latest` finds what nobody can tell. */
function aliasOf(spec: EC2NodeClass['spec']): { family: string; version: string } | undefined {
  const { amiSelectorTerms: [term] = [] } = spec ?? {}
  const [family = '', version = ''] = term?.alias?.split('@') ?? []
  return version === '' || version === 'latest' ? undefined : { family, version }
}

function namesOf({ images }: ImageRevision): readonly string[] {
  return images.map(({ name = '' }) => name)
}
