import { type AMIFamilyName, resolvedAMIFamily } from '../api/ami-family.ts'
import type { EC2NodeClass, EC2NodeClassStatus, ImageRevision, NamedImage, PinnedImages } from '../api/karpenter.ts'
import { toTimestamp } from '../model/clock.ts'
import { listText } from '../model/list-text.ts'
import { readRolloutAnnotations } from './annotations.ts'
import type { StalledCause } from './stalled.ts'

/** Whether two lists name the same images, in whatever order and however often. */
export function sameImageSet(a: readonly { readonly id: string }[], b: readonly { readonly id: string }[]): boolean {
  const left = new Set(a.map(({ id }) => id))
  const right = new Set(b.map(({ id }) => id))
  return left.size === right.size && [...left].every((id) => right.has(id))
}

/** By which nodes of a class are made, whatever its images. */
export function familyOf({ spec }: Pick<EC2NodeClass, 'spec'>): AMIFamilyName {
  return resolvedAMIFamily(spec ?? { amiSelectorTerms: [] })
}

/** Images do not read what nodes of another family are told. A revision that an earlier release has recorded may be of any. */
export function isOfFamily(revision: ImageRevision, family: AMIFamilyName): boolean {
  return revision.family === undefined || revision.family === family
}

export interface SelectedImages {
  readonly images: readonly NamedImage[]
  /** Of the class that selects them. */
  readonly family: AMIFamilyName
  /** When the youngest was made; undefined when that is not known. In ms since the epoch. */
  readonly madeAt: number | undefined
  /** A revision that is asked for by its number. */
  readonly undoTo?: number | undefined
}

/** Newest first; a set that comes again keeps its number and, of the same family, what was found out of it. */
export function recordImages(
  history: readonly ImageRevision[],
  selected: SelectedImages,
  now: number,
): readonly ImageRevision[] {
  const known = history.find(({ images }) => sameImageSet(images, selected.images))
  const { family } = selected
  if (known !== undefined) {
    const others = history.filter((entry) => entry !== known)
    if (known.family !== family) {
      const outcome = isOfFamily(known, family) ? known.outcome : 'unknown'
      return [{ ...known, family, outcome }, ...others]
    }
    return history[0] === known ? history : [known, ...others]
  }
  const entry: ImageRevision = {
    revision: Math.max(0, ...history.map(({ revision }) => revision)) + 1,
    images: [...selected.images],
    firstSeen: toTimestamp(now),
    ...(selected.madeAt === undefined ? {} : { made: toTimestamp(selected.madeAt) }),
    family,
    outcome: 'unknown',
  }
  return forget([entry, ...history], selected.undoTo)
}

/** What an undo or a rollback puts in the place of the selected images; undefined when nothing does. */
export function pinOf(
  status: Pick<EC2NodeClassStatus, 'pinnedImages' | 'imageHistory'>,
  undoTo: number | undefined,
  /** Target of the class with the images that its selector finds. */
  selectedTarget: string,
): PinnedImages | undefined {
  if (undoTo !== undefined) {
    const revision = status.imageHistory?.find((entry) => entry.revision === undoTo)
    if (revision === undefined) return undefined
    const reason = `the annotation joinery.dev/undo-to asks for revision ${undoTo}`
    return { images: revision.images, insteadOf: selectedTarget, reason, undoTo }
  }
  const { pinnedImages } = status
  if (pinnedImages === undefined || pinnedImages.undoTo !== undefined) return undefined
  // Whoever chooses other images, or makes nodes of them in another way, has moved on from what failed.
  return pinnedImages.insteadOf === selectedTarget ? pinnedImages : undefined
}

/** Why a class cannot return to the images that a rollback or an undo asks for. */
export function imageProblems(nodeClass: EC2NodeClass, now: number): readonly StalledCause[] {
  const { pinnedImages, imageHistory = [] } = nodeClass.status ?? {}
  const { name } = nodeClass.metadata
  const { undoTo } = readRolloutAnnotations(nodeClass, now)
  const causes: StalledCause[] = []
  if (pinnedImages?.gone !== undefined && pinnedImages.gone.length > 0) {
    const message = `EC2NodeClass ${name} cannot return to its earlier images: ${pinnedImages.gone.join(', ')} no longer exist`
    causes.push({ reason: 'RollbackImageGone', message })
  }
  if (undoTo === undefined) return causes
  const revision = imageHistory.find((entry) => entry.revision === undoTo)
  if (revision === undefined) {
    const known = imageHistory.map((entry) => entry.revision).join(', ')
    const message = `EC2NodeClass ${name} knows no revision ${undoTo} to return to, ${known === '' ? 'nor any other' : `only ${known}`}`
    causes.push({ reason: 'UndoRevisionUnknown', message })
  } else if (!isOfFamily(revision, familyOf(nodeClass))) {
    const message = `EC2NodeClass ${name} cannot return to revision ${undoTo}: ${otherFamilyText(revision, nodeClass)}`
    causes.push({ reason: 'UndoRevisionUnfit', message })
  }
  return causes
}

export function otherFamilyText({ family = '' }: ImageRevision, nodeClass: EC2NodeClass): string {
  return `its images are of ${family}, and nodes are made by ${familyOf(nodeClass)} now; that is undone where the class was changed`
}

/**
 * Reported while a rollback pins other images, whatever became of the rollout: no node is left to replace, yet whoever asked for the
 * failed images still waits. An undo was asked for, so it is not reported.
 */
export function rollbackPin({ metadata, status }: EC2NodeClass): StalledCause | undefined {
  const { pinnedImages, imageHistory = [] } = status ?? {}
  if (pinnedImages === undefined || pinnedImages.undoTo !== undefined) return undefined
  // The images in use stay then, and that is a cause of its own.
  if (pinnedImages.gone !== undefined && pinnedImages.gone.length > 0) return undefined
  // What the selector finds stands first; the whole reason would name every image.
  const [found] = imageHistory
  const failed = found === undefined ? 'those that failed' : `${imagesText(found.images)}, which failed`
  const message =
    `EC2NodeClass ${metadata.name} is pinned to ${imagesText(pinnedImages.images)} in the place of ${failed} (status.pinnedImages says why): ` +
    'until its selector finds other images, it changes otherwise, or joinery.dev/undo-to asks for a revision'
  return { reason: 'RolledBack', message }
}

function imagesText(images: readonly NamedImage[]): string {
  const texts = images.map(({ id, name }) => (name === undefined ? id : `${id} (${name})`))
  return texts.length === 0 ? 'no images' : listText(texts, 1, 'more')
}

/** However old, the newest good one stays, which is what a rollback returns to, and the one that an undo asks for. */
function forget(history: readonly ImageRevision[], undoTo: number | undefined): readonly ImageRevision[] {
  const good = history.find(({ outcome }) => outcome === 'good')
  const needed = history.filter((entry) => entry === good || entry.revision === undoTo)
  const others = history.filter((entry) => !needed.includes(entry)).slice(0, historyMax - needed.length)
  return history.filter((entry) => needed.includes(entry) || others.includes(entry))
}

/** As many as the status may hold. */
const historyMax = 10
