import { expect, test } from 'vitest'
import { NodePoolCounts } from '../../../src/cluster/node-pool-counts.ts'

test('case 139: claims that are still deleting take room under the limit', () => {
  const counts = new NodePoolCounts()
  for (const name of ['a', 'b']) counts.setActive('p', name)
  for (const name of ['c', 'd']) counts.setDeleting('p', name)
  expect(counts.reserve('p', 4, 2)).toBe(0)
  counts.remove('c')
  expect(counts.reserve('p', 4, 2)).toBe(1)
})

test('reservations add up until they are released', () => {
  const counts = new NodePoolCounts()
  expect(counts.reserve('p', 5, 3)).toBe(3)
  expect(counts.reserve('p', 5, 3)).toBe(2)
  expect(counts.reserve('p', 5, 3)).toBe(0)
  counts.release('p', 2)
  expect(counts.reserve('p', 5, 3)).toBe(2)
})

test('a limit below what exists grants nothing', () => {
  const counts = new NodePoolCounts()
  for (const name of ['a', 'b', 'c']) counts.setActive('p', name)
  expect(counts.reserve('p', 2, 1)).toBe(0)
})

test('a claim whose deletion was accepted stays out, whatever is heard of it, until it is gone', () => {
  const counts = new NodePoolCounts()
  counts.setActive('p', 'a')
  counts.setDeleted('p', 'a')
  counts.setActive('p', 'a')
  counts.setPendingDisruption('p', 'a')
  expect(counts.counts('p')).toEqual({ active: 0, pendingDisruption: 0, deleting: 1 })
  counts.remove('a')
  counts.setActive('p', 'a')
  expect(counts.counts('p')).toEqual({ active: 1, pendingDisruption: 0, deleting: 0 })
})

test('a deletion that is answered after the claim is gone counts nothing', () => {
  const counts = new NodePoolCounts()
  counts.setActive('p', 'a')
  counts.deletionAccepted('a')
  expect(counts.counts('p')).toEqual({ active: 0, pendingDisruption: 0, deleting: 1 })
  counts.remove('a')
  counts.deletionAccepted('a')
  expect(counts.counts('p')).toEqual({ active: 0, pendingDisruption: 0, deleting: 0 })
  expect(counts.reserve('p', 1, 1)).toBe(1)
})

test('a claim is in one set at a time', () => {
  const counts = new NodePoolCounts()
  counts.setActive('p', 'a')
  counts.setPendingDisruption('p', 'a')
  expect(counts.counts('p')).toEqual({ active: 0, pendingDisruption: 1, deleting: 0 })
  counts.setDeleting('p', 'a')
  expect(counts.counts('p')).toEqual({ active: 0, pendingDisruption: 0, deleting: 1 })
  counts.remove('a')
  expect(counts.counts('p')).toEqual({ active: 0, pendingDisruption: 0, deleting: 0 })
})
