import { expect, test } from 'vitest'
import { mergePatchBetween } from '../../../src/kube/merge-patch.ts'

const shared = { deep: { list: [1, { a: 1 }] } }
const cases: Readonly<Record<string, readonly [before: object, after: object, patch: object | undefined]>> = {
  'nothing for equal objects': [{ a: { b: [1] } }, { a: { b: [1] } }, undefined],
  'nothing for what both share': [{ shared, a: 1 }, { a: 1, shared }, undefined],
  'nothing for keys that hold undefined': [{ a: undefined }, { b: undefined }, undefined],
  'only what changed': [{ a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } }, { b: { d: 3 } }],
  'null for what is gone': [{ a: 1, b: { c: 1 } }, { b: {} }, { b: { c: null }, a: null }],
  'null for what is undefined now': [{ a: { b: 1 } }, { a: { b: undefined } }, { a: { b: null } }],
  'lists whole': [{ a: [1, 2], b: [1] }, { a: [1, 3], b: [1] }, { a: [1, 3] }],
  'what takes the place of an object': [{ a: { b: 1 } }, { a: 'text' }, { a: 'text' }],
}

test.each(Object.entries(cases))('a merge patch holds %s', (_what, [before, after, patch]) => {
  expect(mergePatchBetween(before, after)).toEqual(patch)
})
