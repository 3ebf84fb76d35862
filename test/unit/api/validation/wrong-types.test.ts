import { describe, expect, test } from 'vitest'
import type { StructuralSchema } from '../../../../src/api/custom-resource-definition.ts'
import { admit, compileCustomResource } from '../../../../src/api/validation/index.ts'

/** What kube-apiserver 1.36 says; test/peers/kubernetes/validation-parity.test.ts asks it about many more. */
const notChecked =
  '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

interface Case {
  readonly schema: StructuralSchema
  readonly value: unknown
  readonly want: readonly string[]
}

const int32: StructuralSchema = { type: 'integer', format: 'int32', maximum: 100 }
const plain: StructuralSchema = { type: 'integer' }
const quantity: StructuralSchema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
}
const noInteger = 'f: Invalid value: "number": f in body must be of type integer: "number"'
const noDefault = '<nil>: Invalid value: "": Checked value must be of type integer (default format) in f'
const noInt32 = '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in f'

const cases: Record<string, Case> = {
  'text where an integer with a format belongs': {
    schema: int32,
    value: '5',
    want: ['f: Invalid value: "string": f in body must be of type integer: "string"', notChecked],
  },
  'a boolean where an integer with a format belongs': {
    schema: int32,
    value: true,
    want: ['f: Invalid value: "": f in body must be of type int32: ""', notChecked],
  },
  'a fraction where an integer with a format belongs': {
    schema: int32,
    value: 1.5,
    want: ['f: Invalid value: "float64": f in body must be of type int32: "float64"', noInt32, notChecked],
  },
  'a fraction where an integer belongs': { schema: plain, value: 1.5, want: [noInteger, noDefault, notChecked] },
  'a whole number that is none to Go': { schema: plain, value: 1e20, want: [noInteger, noDefault, notChecked] },
  'an integer that has no room in its format': {
    schema: int32,
    value: 2_147_483_648,
    want: [noInt32, 'f: Invalid value: 2147483648: f in body should be less than or equal to 100'],
  },
  'a small fraction in Go’s spelling': {
    schema: { type: 'integer', minimum: 1 },
    value: 1e-7,
    want: [noInteger, noDefault, 'f: Invalid value: 1e-07: f in body should be greater than or equal to 1', notChecked],
  },
  'a number beyond 64 bits where a quantity belongs': {
    schema: quantity,
    value: 1e20,
    want: [
      'f: Invalid value: "number": f in body must be of type integer,string: "number"',
      '<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)',
      noInteger,
      noDefault,
      notChecked,
    ],
  },
  'a list where one of a few texts belongs': {
    schema: { type: 'string', enum: ['In', 'Exists'] },
    value: ['<a>', 1e21],
    want: [
      'f: Invalid value: "array": f in body must be of type string: "array"',
      'f: Unsupported value: ["\\u003ca\\u003e",1e+21]: supported values: "In", "Exists"',
      notChecked,
    ],
  },
  'a number where a time belongs': {
    schema: { type: 'string', format: 'date-time' },
    value: 5,
    want: ['f: Invalid value: "int64": f in body must be of type date-time: "int64"', notChecked],
  },
  'text that Go does not print as it is': {
    schema: { type: 'string', pattern: '^a$' },
    value: '\u0000\u2028\u00a0é\n"',
    want: ['f: Invalid value: "\\x00\\u2028\\u00a0é\\n\\"": f in body should match \'^a$\''],
  },
}

test.each(Object.entries(cases))('%s', (_name, { schema, value, want }) => {
  const resource = compileCustomResource({ type: 'object', properties: { f: schema } })
  expect(admit(resource, { f: value }).errors.map(({ message }) => message)).toEqual(want)
})

describe('replicas that the subresource scale could not tell', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  }
  const resource = compileCustomResource(schema, '.spec.replicas')
  test.each([
    [5, []],
    [null, []],
    [-1, ['.spec.replicas: Invalid value: -1: should be a non-negative integer']],
    [3e9, ['.spec.replicas: Invalid value: 3000000000: should be less than or equal to 2147483647']],
    [
      { b: [1, null], a: true },
      [
        '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: map[a:true b:[1 <nil>]] is of the type map[string]interface {}, expected int64',
      ],
    ],
  ])('%j', (replicas, want) => {
    expect(admit(resource, { spec: { replicas } }).errors.map(({ message }) => message)).toEqual(want)
  })
})
