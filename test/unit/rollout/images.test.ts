import { describe, expect, test } from 'vitest'
import type { EC2NodeClass, EC2NodeClassStatus, ImageRevision } from '../../../src/api/karpenter.ts'
import { imageProblems, pinOf, recordImages, rollbackPin, sameImageSet } from '../../../src/rollout/images.ts'

const now = Date.parse('2026-05-04T12:00:00Z')
const family = 'AL2023'
const select = (...ids: readonly string[]) =>
  ({ images: ids.map((id) => ({ id })), family, madeAt: undefined }) as const
const aRevision = (revision: number, id: string, outcome: ImageRevision['outcome'] = 'unknown'): ImageRevision => ({
  revision,
  images: [{ id }],
  firstSeen: '2026-05-01T00:00:00Z',
  family,
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
        family,
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

  test('does not know what comes of a set when nodes of another family are made of it', () => {
    const history = [aRevision(2, 'b', 'bad'), aRevision(1, 'a', 'good')]
    const custom = recordImages(history, { ...select('a'), family: 'Custom' }, now)
    expect(custom).toEqual([{ ...history[1], family: 'Custom', outcome: 'unknown' }, history[0]])
  })

  test('takes a set that an earlier release has recorded for one of the family that it has now', () => {
    const { family: _unsaid, ...recorded } = aRevision(1, 'a', 'good')
    expect(recordImages([recorded], select('a'), now)).toEqual([aRevision(1, 'a', 'good')])
  })

  test('keeps ten, and the newest good one however old', () => {
    let history: readonly ImageRevision[] = [aRevision(1, 'first', 'good')]
    for (let index = 2; index <= 15; index += 1) history = recordImages(history, select(`n${index}`), now)
    expect(history.map(({ revision }) => revision)).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 1])
  })

  test('keeps the one that an undo asks for, however old, as long as it does', () => {
    let history: readonly ImageRevision[] = [
      aRevision(3, 'left', 'good'),
      aRevision(2, 'b'),
      aRevision(1, 'first', 'good'),
    ]
    const find = (from: number, undoTo: number | undefined): readonly number[] => {
      for (let index = from; index < from + 10; index += 1) {
        history = recordImages(history, { ...select(`n${index}`), undoTo }, now)
        if (undoTo !== undefined)
          expect(pinOf({ imageHistory: [...history] }, undoTo, 'class-1')?.images).toEqual([{ id: 'first' }])
      }
      return history.map(({ revision }) => revision)
    }
    expect(find(4, 1)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 3, 1])
    expect(find(14, undefined)).toEqual([23, 22, 21, 20, 19, 18, 17, 16, 15, 3])
  })
})

test('sets of images are equal whatever order and however often', () => {
  expect(sameImageSet([{ id: 'a' }, { id: 'b' }], [{ id: 'b' }, { id: 'a' }, { id: 'a' }])).toBe(true)
  expect(sameImageSet([{ id: 'a' }], [{ id: 'a' }, { id: 'b' }])).toBe(false)
  expect(sameImageSet([{ id: 'a' }, { id: 'b' }], [{ id: 'a' }, { id: 'c' }])).toBe(false)
})

describe('a pin', () => {
  const imageHistory = [aRevision(2, 'b', 'bad'), aRevision(1, 'a', 'good')]
  const rollback = { images: [{ id: 'a' }], insteadOf: 'class-2', reason: 'it failed' }

  test('of a rollback holds while the class has the target that failed', () => {
    expect(pinOf({ imageHistory, pinnedImages: rollback }, undefined, 'class-2')).toBe(rollback)
  })

  test('of a rollback ends when the class has another', () => {
    expect(pinOf({ imageHistory, pinnedImages: rollback }, undefined, 'class-3')).toBeUndefined()
    expect(pinOf({ imageHistory }, undefined, 'class-2')).toBeUndefined()
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

describe('what keeps a class from returning', () => {
  const aClass = (status: EC2NodeClassStatus, annotations: Record<string, string> = {}): EC2NodeClass => ({
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: {
      name: 'default',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations,
    },
    spec: { amiFamily: family, amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
    status,
  })
  const pinnedImages = { images: [{ id: 'a' }], insteadOf: 'x', reason: 'it failed' }

  test('images that are gone', () => {
    expect(imageProblems(aClass({ pinnedImages: { ...pinnedImages, gone: ['a'] } }), now)).toEqual([
      { reason: 'RollbackImageGone', message: expect.stringContaining('earlier images: a no longer exist') },
    ])
    expect(imageProblems(aClass({ pinnedImages }), now)).toEqual([])
  })

  test('a rollback, for as long as its images are in the place of those that failed', () => {
    const pinned = { ...pinnedImages, images: [{ id: 'ami-a', name: 'old' }, { id: 'ami-c' }] }
    const imageHistory = [aRevision(2, 'ami-b', 'bad'), aRevision(1, 'ami-a', 'good')]
    const ends =
      'until its selector finds other images, it changes otherwise, or joinery.dev/undo-to asks for a revision'
    expect(rollbackPin(aClass({ pinnedImages: pinned, imageHistory }))).toEqual({
      reason: 'RolledBack',
      message: `EC2NodeClass default is pinned to ami-a (old) and 1 more in the place of ami-b, which failed (status.pinnedImages says why): ${ends}`,
    })
    expect(rollbackPin(aClass({ pinnedImages: pinned }))?.message).toContain('in the place of those that failed')
    expect(rollbackPin(aClass({}))).toBeUndefined()
    expect(rollbackPin(aClass({ pinnedImages: { ...pinned, undoTo: 1 } }))).toBeUndefined()
    expect(rollbackPin(aClass({ pinnedImages: { ...pinned, gone: ['ami-a'] } }))).toBeUndefined()
  })

  test('a revision that is not known', () => {
    const imageHistory = [aRevision(2, 'b'), aRevision(1, 'a')]
    const undo = (revision: string) => imageProblems(aClass({ imageHistory }, { 'joinery.dev/undo-to': revision }), now)
    expect(undo('1')).toEqual([])
    expect(undo('7')).toEqual([
      { reason: 'UndoRevisionUnknown', message: 'EC2NodeClass default knows no revision 7 to return to, only 2, 1' },
    ])
  })

  test('a revision of another family, whose images do not read what nodes are told', () => {
    const other: ImageRevision = { ...aRevision(1, 'a', 'good'), family: 'AL2' }
    const { family: _unsaid, ...unsaid } = other
    const undo = (revision: ImageRevision) =>
      imageProblems(aClass({ imageHistory: [aRevision(2, 'b'), revision] }, { 'joinery.dev/undo-to': '1' }), now)
    expect(undo(other)).toEqual([
      {
        reason: 'UndoRevisionUnfit',
        message:
          'EC2NodeClass default cannot return to revision 1: its images are of AL2, and nodes are made by AL2023 now; that is undone where the class was changed',
      },
    ])
    expect(undo(unsaid)).toEqual([])
  })
})
