import { expect, test } from 'vitest'
import { processHeap } from './heap.ts'

test('a collection frees what nobody holds any more, as I32 counts on', () => {
  let garbage: unknown = Array.from({ length: 2_000_000 }, (_, index) => ({ index }))
  const full = processHeap.used()
  garbage = undefined
  processHeap.collect()
  expect(processHeap.used()).toBeLessThan(full - 20 * 2 ** 20)
  expect(garbage).toBeUndefined()
})
