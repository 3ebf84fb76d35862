import { diffFields } from '../../api/field-diff.ts'
import { annotationUndoTo } from '../../api/joinery-annotations.ts'
import type { EC2NodeClass, ImageRevision } from '../../api/karpenter.ts'
import { imagesOfAliasAgain } from '../../rollout/alias-images.ts'
import { readRolloutAnnotations } from '../../rollout/annotations.ts'
import { familyOf, isOfFamily } from '../../rollout/images.ts'
import { classHash } from '../../rollout/plan/hash-stamps.ts'
import { classTarget } from '../../rollout/target.ts'
import type { ResolvedClass } from './images.ts'

/** What the selectors of the classes would find: what somebody has said (`given`), and the images that the history of a class tells. */
export function expectedImages(
  given: ReadonlyMap<string, ResolvedClass>,
  present: readonly EC2NodeClass[],
  proposed: readonly EC2NodeClass[],
  now: number,
): ReadonlyMap<string, ResolvedClass> {
  const known = withAliasAgain(withPinEnded(given, present, proposed), present, proposed)
  return withUndone(known, proposed, now)
}

/** An undo puts images of the class's history in the place of those that its selector finds, whatever these are. */
function withUndone(
  resolved: ReadonlyMap<string, ResolvedClass>,
  nodeClasses: readonly EC2NodeClass[],
  now: number,
): ReadonlyMap<string, ResolvedClass> {
  const all = new Map(resolved)
  for (const nodeClass of nodeClasses) {
    const { undoTo } = readRolloutAnnotations(nodeClass, now)
    const revision = nodeClass.status?.imageHistory?.find((entry) => entry.revision === undoTo)
    if (revision === undefined || !isOfFamily(revision, familyOf(nodeClass))) continue
    const { name } = nodeClass.metadata
    all.set(name, { ...all.get(name), amis: amisOf(revision) })
  }
  return all
}

/**
 * Where an undo ends, or nodes are to be made otherwise than when a rollback pinned other images, and the selector stays as it is, images are
 * again those that it finds: the newest of the class's history.
 */
function withPinEnded(
  resolved: ReadonlyMap<string, ResolvedClass>,
  present: readonly EC2NodeClass[],
  proposed: readonly EC2NodeClass[],
): ReadonlyMap<string, ResolvedClass> {
  const all = new Map(resolved)
  for (const [nodeClass, kept] of edited(present, proposed)) {
    const { name } = nodeClass.metadata
    const { imageHistory: [found] = [], pinnedImages } = nodeClass.status ?? {}
    if (pinnedImages === undefined || found === undefined) continue
    const isEnded =
      pinnedImages.undoTo === undefined
        ? withoutImages(nodeClass) !== withoutImages(kept)
        : kept.metadata.annotations?.[annotationUndoTo] === undefined
    const isSelected = diffFields(nodeClass.spec?.amiSelectorTerms, kept.spec?.amiSelectorTerms, 'spec').length === 0
    if (!isEnded || !isSelected || all.get(name)?.amis !== undefined) continue
    all.set(name, { ...all.get(name), amis: amisOf(found) })
  }
  return all
}

/** Classes that there are, each with what becomes of it; those that go are left out. */
function edited(
  present: readonly EC2NodeClass[],
  proposed: readonly EC2NodeClass[],
): readonly (readonly [before: EC2NodeClass, after: EC2NodeClass])[] {
  const after = new Map(proposed.map((nodeClass) => [nodeClass.metadata.name, nodeClass]))
  return present.flatMap((nodeClass) => {
    const kept = after.get(nodeClass.metadata.name)
    return kept === undefined ? [] : [[nodeClass, kept] as const]
  })
}

/** The target of a class, but for its images. */
function withoutImages(nodeClass: EC2NodeClass): string {
  return classTarget(classHash(nodeClass.spec, 0n), nodeClass, [])
}

/** Where an alias names another version, and the class had the images of that version before. */
function withAliasAgain(
  resolved: ReadonlyMap<string, ResolvedClass>,
  present: readonly EC2NodeClass[],
  proposed: readonly EC2NodeClass[],
): ReadonlyMap<string, ResolvedClass> {
  const all = new Map(resolved)
  for (const [nodeClass, kept] of edited(present, proposed)) {
    const { name } = nodeClass.metadata
    const again = imagesOfAliasAgain(nodeClass, kept.spec)
    const isWhole = again?.images.every(({ requirements }) => requirements !== undefined) === true
    if (!isWhole || all.get(name)?.amis !== undefined) continue
    all.set(name, { ...all.get(name), amis: amisOf(again) })
  }
  return all
}

function amisOf({ images }: ImageRevision): NonNullable<ResolvedClass['amis']> {
  return images.map((image) => ({ ...image, requirements: image.requirements ?? [] }))
}
