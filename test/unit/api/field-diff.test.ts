import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { diffFields, fieldValueText } from '../../../src/api/field-diff.ts'

describe('what differs between two objects', () => {
  const cases: Record<string, { before: unknown; after: unknown; want: readonly unknown[] }> = {
    'nothing, however the members are ordered': { before: { a: 1, b: [2] }, after: { b: [2], a: 1 }, want: [] },
    'a member deep inside a list': {
      before: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      after: { taints: [{ key: 'a', effect: 'NoExecute' }] },
      want: [{ path: 'spec.taints[0].effect', old: 'NoSchedule', new: 'NoExecute' }],
    },
    'what was added, by its leaves': {
      before: {},
      after: { metadata: { labels: { team: 'a', 'example.com/tier': 'b' } }, empty: {} },
      want: [
        { path: 'spec.empty', old: undefined, new: {} },
        { path: 'spec.metadata.labels.team', old: undefined, new: 'a' },
        { path: 'spec.metadata.labels["example.com/tier"]', old: undefined, new: 'b' },
      ],
    },
    'what was removed, by its leaves': {
      before: { options: { tokens: 'required', hops: 1 } },
      after: {},
      want: [
        { path: 'spec.options.hops', old: 1, new: undefined },
        { path: 'spec.options.tokens', old: 'required', new: undefined },
      ],
    },
    'an added list, item by item, each whole': {
      before: {},
      after: { taints: [{ key: 'a', effect: 'NoSchedule' }], none: [] },
      want: [
        { path: 'spec.none', old: undefined, new: [] },
        { path: 'spec.taints[0]', old: undefined, new: { key: 'a', effect: 'NoSchedule' } },
      ],
    },
    'a longer list': {
      before: { x: [1] },
      after: { x: [1, 2] },
      want: [{ path: 'spec.x[1]', old: undefined, new: 2 }],
    },
    'a value of another kind': {
      before: { x: { y: 1 } },
      after: { x: [1] },
      want: [{ path: 'spec.x', old: { y: 1 }, new: [1] }],
    },
    'keys that are no plain words stand in brackets': {
      before: { 'example.com/team': 'a' },
      after: { 'example.com/team': 'b' },
      want: [{ path: 'spec["example.com/team"]', old: 'a', new: 'b' }],
    },
    'null is a value, unlike nothing': {
      before: { x: null },
      after: {},
      want: [{ path: 'spec.x', old: null, new: undefined }],
    },
    'by path': {
      before: { b: 1, a: 1 },
      after: { b: 2, a: 2 },
      want: [
        { path: 'spec.a', old: 1, new: 2 },
        { path: 'spec.b', old: 1, new: 2 },
      ],
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { before, after, want }) => {
    expect(diffFields(before, after, 'spec')).toEqual(want)
  })

  test('is nothing if and only if the two are equal', () => {
    const value = fc.jsonValue({ maxDepth: 3 }).map((json: unknown): unknown => JSON.parse(JSON.stringify(json)))
    const near = value.chain((one) => fc.tuple(fc.constant(one), fc.oneof(fc.constant(structuredClone(one)), value)))
    fc.assert(
      fc.property(near, ([a, b]) => (diffFields(a, b, '').length === 0) === isDeepStrictEqual(a, b)),
      { numRuns: 500 },
    )
  })

  test('names each path once, in order', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
        const paths = diffFields(a, b, '').map(({ path }) => path)
        expect(paths).toEqual([...new Set(paths)].toSorted((x, y) => (x < y ? -1 : x > y ? 1 : 0)))
      }),
    )
  })
})

test.each([
  ['NoSchedule', 'NoSchedule'],
  ['ami-1 (al2023-v1 of 2025-06-01)', 'ami-1 (al2023-v1 of 2025-06-01)'],
  ['a, b', '"a, b"'],
  ['a -> b', '"a -> b"'],
  ['(absent)', '"(absent)"'],
  ['', '""'],
  [undefined, '(absent)'],
  [3, '3'],
  [{ key: 'a' }, '{"key":"a"}'],
])('a message shows %j as %s', (value, want) => {
  expect(fieldValueText(value)).toBe(want)
})
