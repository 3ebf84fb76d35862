import { expect, test } from 'vitest'
import { builtinTypes } from '../../../../src/embedded/apiserver/types/builtin-types.gen.ts'
import { builtinDocs } from '../../../../src/embedded/apiserver/types/builtin-docs.ts'

test('every built-in type is documented by the installed client library, by names that the type has on the wire', () => {
  const strangers = Object.entries(builtinTypes).flatMap(([model, text]) => {
    const { type, fields } = builtinDocs(model)
    const known = new Set(text.split(' ').map((field) => field.replace(/!?:.*$/, '')))
    return [...(type === '' ? [model] : []), ...[...fields.keys()].filter((field) => !known.has(field))]
  })
  expect(strangers).toEqual([])
})

test('a field whose name is reserved in TypeScript is found under its name on the wire', () => {
  const { fields } = builtinDocs('V1LimitRangeItem')
  expect(fields.get('default')).toMatch(/\w/)
  expect(fields.has('_default')).toBe(false)
})
