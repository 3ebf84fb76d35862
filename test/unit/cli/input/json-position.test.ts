import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonOffsetOf, positionAt } from '../../../../src/cli/input/json-position.ts'
import { parseDocuments } from '../../../../src/cli/input/documents.ts'

describe('where a value stands in JSON text', () => {
  const text = '{\n  "items": [\n    {"a": "x,]}\\"", "b": [1, {"c": null}]}\n  ]\n}\n'
  const cases: Record<string, { readonly path: readonly (string | number)[]; readonly want: string }> = {
    'the whole': { path: [], want: '{\n  "items"' },
    'a member': { path: ['items'], want: '[' },
    'a member behind text that looks like structure': { path: ['items', 0, 'b'], want: '[1' },
    'an item of a list': { path: ['items', 0, 'b', 1, 'c'], want: 'null' },
    'the nearest parent of what is not there': { path: ['items', 0, 'b', 7, 'c'], want: '[1' },
    'the nearest parent of a member that is not there': { path: ['items', 0, 'z'], want: '{"a"' },
  }
  test.each(Object.entries(cases))('%s', (_name, { path, want }) => {
    expect(text.slice(jsonOffsetOf(text, path)).startsWith(want)).toBe(true)
  })

  test('lines and columns count from 1', () => {
    expect(positionAt(text, jsonOffsetOf(text, ['items', 0]))).toEqual({ line: 3, column: 5 })
    expect(positionAt(text, 0)).toEqual({ line: 1, column: 1 })
    expect(positionAt('\na', 1)).toEqual({ line: 2, column: 1 })
  })

  test('the end of a line is a part of it', () => {
    expect(positionAt('ab\nc', 2)).toEqual({ line: 1, column: 3 })
  })

  test('finds every member and item of any value, however it is laid out', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(3), (value, indent) => {
        const written = JSON.stringify(value, null, indent)
        for (const [path, inner] of placesIn(value)) {
          const rest = written.slice(jsonOffsetOf(written, path))
          const [token] = JSON.stringify(inner) ?? ''
          expect(rest[0]).toBe(token)
        }
      }),
      { numRuns: 100, seed: 3 },
    )
  })
})

function placesIn(value: unknown, path: readonly (string | number)[] = []): [readonly (string | number)[], unknown][] {
  if (Array.isArray(value)) {
    return [[path, value], ...value.flatMap((item, index) => placesIn(item, [...path, index]))]
  }
  if (typeof value === 'object' && value !== null) {
    return [[path, value], ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key]))]
  }
  return [[path, value]]
}

test('a recorded cluster of more than a megabyte says where its objects stand', () => {
  const items = [{ kind: 'A', text: 'x'.repeat(2 ** 20) }, { kind: 'B' }, 'no object']
  const text = `{\n"kind": "List",\n"items": [\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]}`
  const documents = parseDocuments('cluster.json', text)
  expect(documents.map(({ content }) => content.kind)).toEqual(['object', 'object', 'unreadable'])
  expect(documents[1]?.locate(['kind'])).toEqual({ line: 5, column: 9 })
  expect(documents[2]?.content).toMatchObject({ problems: [{ line: 6, column: 1 }] })
})
