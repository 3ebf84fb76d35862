import type { EC2NodeClass, ImageRevision } from '../../api/karpenter.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { familyOf, isOfFamily, sameImageSet } from '../images.ts'
import type { ClassFacts, ImageFacts } from './input.ts'

/** What the engine wants to know of a node class. */
export function classFacts(nodeClass: EC2NodeClass, target: string): ClassFacts {
  const { amis = [], imageHistory = [], pinnedImages } = nodeClass.status ?? {}
  const images = amis.map(({ id, name }): ImageFacts => ({ id, name: name ?? '' }))
  const present = imageHistory.find((entry) => sameImageSet(entry.images, images))
  const isUndone = pinnedImages?.undoTo !== undefined
  const lastGood = imageHistory.find(
    (entry) =>
      entry.outcome === 'good' && !sameImageSet(entry.images, images) && isOfFamily(entry, familyOf(nodeClass)),
  )
  return {
    name: nodeClass.metadata.name,
    target,
    images: distinct(images),
    youngestImageAt: parseTimestamp(present?.made ?? present?.firstSeen),
    isGood: present?.outcome === 'good',
    // What a person asks for by its revision is not exchanged for something else.
    lastGood:
      lastGood === undefined || isUndone
        ? undefined
        : distinct(lastGood.images.map(({ id, name }) => ({ id, name: name ?? '' }))),
    badImages: idsOf(imageHistory, 'bad').difference(idsOf(imageHistory, 'good')),
    // What an undo brings is a target like any other. A pin counts once the class has followed it.
    pinnedInsteadOf:
      pinnedImages !== undefined && !isUndone && sameImageSet(pinnedImages.images, images)
        ? pinnedImages.insteadOf
        : undefined,
  }
}

function idsOf(history: readonly ImageRevision[], outcome: ImageRevision['outcome']): Set<string> {
  return new Set(history.flatMap((entry) => (entry.outcome === outcome ? entry.images.map(({ id }) => id) : [])))
}

/** One image may serve several kinds of machines. */
function distinct(images: readonly ImageFacts[]): readonly ImageFacts[] {
  return [...new Map(images.map((image) => [image.id, image])).values()]
}
