import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cloneJSON } from '../../../src/api/clone-json.ts'

test('a copy is equal to its original and shares no object with it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = cloneJSON(value)
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
      const seen = objectsIn(value)
      for (const object of objectsIn(copy)) expect(seen.has(object)).toBe(false)
    }),
  )
})

test('a key by the name of the prototype is a key like any other', () => {
  const value: unknown = JSON.parse('{"__proto__":{"admin":true},"a":1}')
  const copy = cloneJSON(value)
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true},"a":1}')
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
})

function objectsIn(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== 'object' || value === null) return found
  found.add(value)
  for (const item of Object.values(value)) objectsIn(item, found)
  return found
}
