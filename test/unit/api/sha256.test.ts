import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { sha256Hex } from '../../../src/api/sha256.ts'

test('is the digest that node:crypto computes', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.integer({ min: 0, max: 130 }).map((n) => 'x'.repeat(n)),
  )
  fc.assert(
    fc.property(text, (input) => {
      expect(sha256Hex(input)).toBe(createHash('sha256').update(input).digest('hex'))
    }),
  )
})
