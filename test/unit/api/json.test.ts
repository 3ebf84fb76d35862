import { expect, test } from 'vitest'
import { jsonEqual, sameWhenWritten } from '../../../src/api/json.ts'

test('JSON is the same whatever the order of its keys, and keys that hold undefined do not count', () => {
  expect(sameWhenWritten([{ a: 1, b: { c: [] } }], [{ b: { c: [] }, a: 1 }])).toBe(true)
  expect(sameWhenWritten({ a: undefined, b: 1 }, { b: 1, c: undefined })).toBe(true)
  expect(sameWhenWritten({ a: 1 }, { a: 1, b: 1 })).toBe(false)
  expect(sameWhenWritten({ a: 1, b: 1 }, { a: 1 })).toBe(false)
  expect(sameWhenWritten([1], { 0: 1 })).toBe(false)
  expect(sameWhenWritten({ a: null }, {})).toBe(false)
})

test('two values are equal with the same members and items, and one that holds undefined counts', () => {
  expect(jsonEqual([{ a: 1, b: { c: [] } }], [{ b: { c: [] }, a: 1 }])).toBe(true)
  expect(jsonEqual({ a: undefined, b: 1 }, { b: 1 })).toBe(false)
  expect(jsonEqual({ b: 1 }, { a: undefined, b: 1 })).toBe(false)
  expect(jsonEqual([1, 2], [2, 1])).toBe(false)
  expect(jsonEqual([1], { 0: 1 })).toBe(false)
  expect(jsonEqual({ a: null }, {})).toBe(false)
})
