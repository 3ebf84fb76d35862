import { expect, test } from 'vitest'
import { PodTimesBook } from '../../../src/cluster/pod-times.ts'

test('only the first sight and the first decision count', () => {
  const book = new PodTimesBook()
  book.acknowledge('ns/p', 1_000)
  book.acknowledge('ns/p', 2_000)
  expect(book.decide({ key: 'ns/p', outcome: 'failed' }, 4_000)).toBe(3_000)
  expect(book.decide({ key: 'ns/p', outcome: 'placed' }, 5_000)).toBeUndefined()
  expect(book.get('ns/p')).toEqual({ acknowledgedAt: 1_000, decidedAt: 4_000, schedulableAt: 5_000 })
})

test('a failure takes the promise back; the next placement counts anew', () => {
  const book = new PodTimesBook()
  book.decide({ key: 'ns/p', outcome: 'placed', healthyPool: true }, 1_000)
  expect(book.get('ns/p')).toMatchObject({ schedulableAt: 1_000, schedulableInHealthyPoolAt: 1_000 })
  book.decide({ key: 'ns/p', outcome: 'failed' }, 2_000)
  expect(book.get('ns/p')).toEqual({ decidedAt: 1_000 })
  book.decide({ key: 'ns/p', outcome: 'placed' }, 3_000)
  expect(book.get('ns/p')).toEqual({ decidedAt: 1_000, schedulableAt: 3_000 })
})

test('a decision about a pod that was never acknowledged has no duration', () => {
  expect(new PodTimesBook().decide({ key: 'ns/p', outcome: 'placed' }, 1_000)).toBeUndefined()
})

test('a decision about a pod that was deleted meanwhile leaves nothing behind', () => {
  const pods = new Set(['ns/p'])
  const book = new PodTimesBook((key) => pods.has(key))
  book.acknowledge('ns/p', 1_000)
  pods.delete('ns/p')
  book.forget('ns/p')
  expect(book.decide({ key: 'ns/p', outcome: 'placed' }, 2_000)).toBeUndefined()
  expect(book.get('ns/p')).toEqual({})
})
