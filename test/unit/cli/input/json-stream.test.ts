import { expect, test } from 'vitest'
import { jsonTextsOf } from '../../../../src/cli/input/json-stream.ts'

const cases: Record<string, { text: string; want: readonly string[] | undefined }> = {
  'two objects in a row': { text: '{"a":1}{"b":2}', want: ['{"a":1}', '       {"b":2}'] },
  'two objects with a line break and a byte order mark between them': {
    text: '{"a":[1]}\r\n\u{feff}{"b":{}}',
    want: ['{"a":[1]}', '\n {"b":{}}'],
  },
  'brackets and quotes within texts': {
    text: String.raw`{"a":"}\"{"}{"b":"]"}`,
    want: [String.raw`{"a":"}\"{"}`, `${' '.repeat(12)}{"b":"]"}`],
  },
  'a single object is none': { text: '{"a":1}', want: undefined },
  'nor are YAML documents': { text: '{"a":1}\n---\n{"b":2}', want: undefined },
  'nor is what goes on with a list': { text: '{"a":1}{"b":2}[3]', want: undefined },
  'nor is one in which a bracket is closed that was never open': { text: '{"a":1}{"b":2}}{', want: undefined },
  'nor is one that does not end': { text: '{"a":1}{"b":2}{"c":', want: undefined },
}
test.each(Object.entries(cases))('a stream of JSON objects: %s', (_name, { text, want }) => {
  expect(jsonTextsOf(text)).toEqual(want)
})
