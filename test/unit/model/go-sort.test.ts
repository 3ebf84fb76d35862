import fc from 'fast-check'
import { expect, test } from 'vitest'
import { goSort } from '../../../src/model/go-sort.ts'
import { ClaimOrder } from '../../../src/scheduling/claim-order.ts'

interface Item {
  readonly key: number
  readonly at: number
}

function sorted(keys: readonly number[]): Item[] {
  const items = keys.map((key, at) => ({ key, at }))
  goSort(items, (a, b) => a.key < b.key)
  return items
}

test('any list comes out in order, with nothing lost', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 300 }), (keys) => {
      const result = sorted(keys)
      expect(result.map(({ key }) => key)).toEqual(keys.toSorted((a, b) => a - b))
      expect(result.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(keys.map((_, at) => at))
    }),
  )
})

test('up to twelve elements keep the order of equals', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 }), (keys) => {
      const items = keys.map((key, at) => ({ key, at }))
      expect(sorted(keys)).toEqual(items.toSorted((a, b) => a.key - b.key))
    }),
  )
})

/** From Go 1.26's sort.Slice over the same keys: positions of the elements after sorting. */
const vectors: Record<string, { readonly keys: readonly number[]; readonly want: readonly number[] }> = {
  'sixteen elements of three kinds': {
    keys: [2, 0, 1, 2, 1, 0, 0, 1, 2, 2, 0, 1, 1, 0, 2, 0],
    want: [6, 1, 15, 13, 10, 5, 12, 7, 4, 11, 2, 8, 9, 0, 3, 14],
  },
  'twenty elements that fall': {
    keys: Array.from({ length: 20 }, (_, i) => Math.floor((20 - i) / 3)),
    want: [19, 18, 17, 16, 15, 12, 14, 13, 10, 9, 11, 8, 7, 6, 5, 4, 3, 0, 2, 1],
  },
  'sixty elements of four kinds': {
    keys: Array.from({ length: 60 }, (_, i) => (i * 7) % 4),
    want: [
      52, 48, 56, 32, 4, 24, 28, 8, 16, 36, 0, 20, 12, 40, 44, 7, 15, 43, 47, 19, 11, 39, 51, 23, 55, 35, 3, 27, 59, 31,
      30, 6, 26, 58, 34, 2, 22, 54, 38, 50, 18, 10, 42, 46, 14, 45, 17, 13, 41, 49, 21, 9, 29, 53, 37, 5, 25, 57, 33, 1,
    ],
  },
}

test.each(Object.entries(vectors))('as Go: %s', (_name, { keys, want }) => {
  expect(sorted(keys).map(({ at }) => at)).toEqual(want)
})

test('the order of claims is what sorting them anew after every change would give', () => {
  const step = fc.record({ open: fc.boolean(), at: fc.nat() })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 400 }), (steps) => {
      const order = new ClaimOrder()
      const slow: { claim: number; pods: number }[] = []
      for (const { open, at } of steps) {
        goSort(slow, (a, b) => a.pods < b.pods)
        order.sort()
        if (open || slow.length === 0) {
          order.append(slow.length)
          slow.push({ claim: slow.length, pods: 1 })
        } else {
          const position = at % slow.length
          const gaining = slow[position]
          if (gaining !== undefined) gaining.pods += 1
          order.gained(position)
        }
      }
      order.sort()
      goSort(slow, (a, b) => a.pods < b.pods)
      expect(Array.from({ length: order.length }, (_, position) => order.at(position))).toEqual(
        slow.map(({ claim }) => claim),
      )
    }),
    { numRuns: 200 },
  )
})
