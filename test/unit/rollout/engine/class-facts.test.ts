import { expect, test } from 'vitest'
import type { EC2NodeClassStatus, ImageRevision, PinnedImages } from '../../../../src/api/karpenter.ts'
import { classFacts } from '../../../../src/rollout/engine/index.ts'
import type { ClassFacts } from '../../../../src/rollout/engine/input.ts'
import { aFleetClass } from '../../../support/fleet-objects.ts'

const firstSeen = '2026-05-02T00:00:00Z'
const aRevision = (revision: number, id: string, outcome: ImageRevision['outcome']): ImageRevision => ({
  revision,
  images: [{ id, name: `image ${id}` }],
  firstSeen,
  outcome,
})
const history = [aRevision(3, 'new', 'unknown'), aRevision(2, 'worse', 'bad'), aRevision(1, 'old', 'good')]
const aPin = (id: string, more: Partial<PinnedImages> = {}): PinnedImages => ({
  images: [{ id }],
  insteadOf: 'class-2',
  reason: 'it failed',
  ...more,
})
const old = [{ id: 'old', name: 'image old' }]

/** What is known of a class whose selector finds these images. */
function factsOf(ids: readonly string[], status: Partial<EC2NodeClassStatus> = {}): ClassFacts {
  const nodeClass = aFleetClass()
  const amis = ids.map((id) => ({ id, name: `image ${id}`, requirements: [] }))
  return classFacts(
    { ...nodeClass, status: { ...nodeClass.status, amis, imageHistory: history, ...status } },
    'class-1',
  )
}

const cases: Record<string, [ClassFacts, Partial<ClassFacts>]> = {
  'new images may be exchanged for the last good ones': [
    factsOf(['new']),
    { isGood: false, lastGood: old, pinnedInsteadOf: undefined },
  ],
  'good images have none to go back to but others': [factsOf(['old']), { isGood: true, lastGood: undefined }],
  'images of another family are none to go back to': [
    factsOf(['new'], { imageHistory: history.map((revision) => ({ ...revision, family: 'Bottlerocket' })) }),
    { isGood: false, lastGood: undefined },
  ],
  'a class without a history has nowhere to go': [
    factsOf(['new'], { imageHistory: [] }),
    { isGood: false, lastGood: undefined, youngestImageAt: undefined },
  ],
  'an image of several kinds of machines counts once': [
    factsOf(['new', 'new']),
    { images: [{ id: 'new', name: 'image new' }] },
  ],
  'images are as old as the youngest of them': [
    factsOf(['new'], { imageHistory: [{ ...aRevision(3, 'new', 'unknown'), made: '2026-05-01T00:00:00Z' }] }),
    { youngestImageAt: Date.parse('2026-05-01T00:00:00Z') },
  ],
  'and where nobody knows, as the day on which they were found': [
    factsOf(['new']),
    { youngestImageAt: Date.parse(firstSeen) },
  ],
  'an image is bad where it failed': [factsOf(['new']), { badImages: new Set(['worse']) }],
  'unless it was good beside others': [
    factsOf(['new'], { imageHistory: [...history, aRevision(0, 'worse', 'good')] }),
    { badImages: new Set() },
  ],
  'a pin counts once the class has its images': [
    factsOf(['old'], { pinnedImages: aPin('old') }),
    { pinnedInsteadOf: 'class-2' },
  ],
  'and not before': [factsOf(['new'], { pinnedImages: aPin('old') }), { pinnedInsteadOf: undefined, lastGood: old }],
  'what somebody asked for by its revision is a target like any other, and is not exchanged': [
    factsOf(['worse'], { pinnedImages: aPin('worse', { undoTo: 2 }) }),
    { pinnedInsteadOf: undefined, lastGood: undefined },
  ],
}
test.each(Object.entries(cases))('%s', (_name, [facts, want]) => {
  expect(facts).toMatchObject(want)
})
