import { describe, expect, test } from 'vitest'
import type { ImageRevision } from '../../../src/api/karpenter.ts'
import { pinOf, recordImages, sameImageSet } from '../../../src/rollout/images.ts'

const now = Date.parse('2026-05-04T12:00:00Z')
const select = (...ids: readonly string[]) => ({ images: ids.map((id) => ({ id })), madeAt: undefined })
const aRevision = (revision: number, id: string, outcome: ImageRevision['outcome'] = 'unknown'): ImageRevision => ({
  revision,
  images: [{ id }],
  firstSeen: '2026-05-01T00:00:00Z',
  outcome,
})

describe('the history of images', () => {
  test('begins with what is found first', () => {
    expect(recordImages([], { ...select('a'), madeAt: now - 1_000 }, now)).toEqual([
      {
        revision: 1,
        images: [{ id: 'a' }],
        firstSeen: '2026-05-04T12:00:00Z',
        made: '2026-05-04T11:59:59Z',
        outcome: 'unknown',
      },
    ])
  })

  test('is the very same list while nothing changes', () => {
    const history = [aRevision(1, 'a')]
    expect(recordImages(history, select('a', 'a'), now)).toBe(history)
  })

  test('counts on, newest first', () => {
    expect(recordImages([aRevision(1, 'a')], select('b'), now).map(({ revision }) => revision)).toEqual([2, 1])
  })

  test('knows a set that comes again, with its number and what was found out of it', () => {
    const history = [aRevision(2, 'b', 'bad'), aRevision(1, 'a', 'good')]
    expect(recordImages(history, select('a'), now)).toEqual([history[1], history[0]])
  })

  test('keeps ten, and the newest good one however old', () => {
    let history: readonly ImageRevision[] = [aRevision(1, 'first', 'good')]
    for (let index = 2; index <= 15; index += 1) history = recordImages(history, select(`n${index}`), now)
    expect(history.map(({ revision }) => revision)).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 1])
  })
})

test('sets of images are equal whatever order and however often', () => {
  expect(sameImageSet([{ id: 'a' }, { id: 'b' }], [{ id: 'b' }, { id: 'a' }, { id: 'a' }])).toBe(true)
  expect(sameImageSet([{ id: 'a' }], [{ id: 'a' }, { id: 'b' }])).toBe(false)
})

describe('a pin', () => {
  const imageHistory = [aRevision(2, 'b', 'bad'), aRevision(1, 'a', 'good')]
  const rollback = { images: [{ id: 'a' }], insteadOf: 'class-2', reason: 'it failed' }

  test('of a rollback holds while the class has the target that failed', () => {
    expect(pinOf({ imageHistory, pinnedImages: rollback }, undefined, 'class-2')).toBe(rollback)
  })

  test('of a rollback ends when the class has another', () => {
    expect(pinOf({ imageHistory, pinnedImages: rollback }, undefined, 'class-3')).toBeUndefined()
  })

  test('of an undo holds as long as the annotation asks for it', () => {
    const pin = pinOf({ imageHistory }, 1, 'class-2')
    expect(pin).toMatchObject({ images: [{ id: 'a' }], insteadOf: 'class-2', undoTo: 1 })
    expect(pinOf({ imageHistory, ...(pin === undefined ? {} : { pinnedImages: pin }) }, 1, 'class-9')).toMatchObject({
      undoTo: 1,
    })
    expect(
      pinOf({ imageHistory, ...(pin === undefined ? {} : { pinnedImages: pin }) }, undefined, 'class-2'),
    ).toBeUndefined()
  })

  test('of an undo to a revision that is not known is none', () => {
    expect(pinOf({ imageHistory }, 7, 'class-2')).toBeUndefined()
  })
})
