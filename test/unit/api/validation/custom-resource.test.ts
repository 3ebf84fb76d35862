import { describe, expect, test } from 'vitest'
import type { StructuralSchema } from '../../../../src/api/custom-resource-definition.ts'
import { customResourceDefinitions } from '../../../../src/api/karpenter.ts'
import { admit, compileCustomResource, definitionErrors } from '../../../../src/api/validation/index.ts'

function specOf(properties: Record<string, StructuralSchema>, more: Partial<StructuralSchema> = {}): StructuralSchema {
  return { type: 'object', properties: { spec: { type: 'object', properties, ...more } } }
}

const text: StructuralSchema = { type: 'string' }

function errorsOf(schema: StructuralSchema, spec: unknown, oldSpec?: unknown): string[] {
  const old = oldSpec === undefined ? undefined : { spec: oldSpec }
  return admit(compileCustomResource(schema), { spec }, old).errors.map(({ message }) => message)
}

describe('pruning', () => {
  test('drops unknown fields at every depth and names them', () => {
    const schema = specOf({
      a: { type: 'object', properties: { b: text } },
      l: { type: 'array', items: { type: 'object', properties: { c: text } } },
    })
    const admitted = admit(compileCustomResource(schema), {
      kind: 'X',
      metadata: { name: 'n' },
      extra: 1,
      spec: { a: { b: 'x', z: 1 }, l: [{ c: 'y', q: 2 }] },
    })
    expect(admitted.object).toEqual({ kind: 'X', metadata: { name: 'n' }, spec: { a: { b: 'x' }, l: [{ c: 'y' }] } })
    expect(admitted.unknownFields).toEqual(['extra', 'spec.a.z', 'spec.l[0].q'])
  })

  test('keeps everything below a field that preserves unknown fields', () => {
    const schema = specOf({ open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } })
    expect(admit(compileCustomResource(schema), { spec: { open: { a: { b: [1] } } } }).object).toEqual({
      spec: { open: { a: { b: [1] } } },
    })
  })
})

describe('defaulting', () => {
  test('completes a default object with the defaults of its fields', () => {
    const schema = specOf({
      o: { type: 'object', default: {}, properties: { n: { type: 'integer', default: 3 }, t: text } },
    })
    expect(admit(compileCustomResource(schema), { spec: {} }).object).toEqual({ spec: { o: { n: 3 } } })
  })

  test('treats null as absent for a declared field and in a map, but not in a list or an open object', () => {
    const schema = specOf({
      n: { type: 'integer', default: 3 },
      t: text,
      m: { type: 'object', additionalProperties: text },
      d: { type: 'object', additionalProperties: { type: 'string', default: 'x' } },
      o: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      l: { type: 'array', items: text },
    })
    const spec = { n: null, t: null, m: { k: null, a: 'b' }, d: { k: null }, o: { k: null }, l: [null] }
    const { object, errors } = admit(compileCustomResource(schema), { spec })
    expect(object).toEqual({ spec: { n: 3, m: { a: 'b' }, d: { k: 'x' }, o: { k: null }, l: [null] } })
    expect(errors.map(({ message }) => message)[0]).toBe(
      'spec.l[0]: Invalid value: "null": spec.l[0] in body must be of type string: "null"',
    )
  })
})

describe('how often a mistake is reported', () => {
  test('a text that is too short is not held against its pattern too', () => {
    const errors = errorsOf(specOf({ f: { type: 'string', minLength: 3, pattern: '^a$' } }), { f: 'b' })
    expect(errors).toEqual(['spec.f: Invalid value: "b": spec.f in body should be at least 3 chars long'])
  })

  test('a value that occurs three times in a set is one duplicate', () => {
    const schema = specOf({ f: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } })
    expect(errorsOf(schema, { f: ['a', 'a', 'b', 'a', 'b'] })).toEqual([
      'spec.f[1]: Duplicate value: "a"',
      'spec.f[4]: Duplicate value: "b"',
    ])
  })
})

describe('texts of structural errors', () => {
  const cases: Record<string, [StructuralSchema, unknown, string]> = {
    'an unsupported value lists what is supported': [
      { type: 'string', enum: ['a', 'b'] },
      'x',
      'spec.f: Unsupported value: "x": supported values: "a", "b"',
    ],
    'a pattern is quoted': [
      { type: 'string', pattern: '^a$' },
      'b',
      `spec.f: Invalid value: "b": spec.f in body should match '^a$'`,
    ],
    'a number below the minimum': [
      { type: 'integer', minimum: 1 },
      0,
      'spec.f: Invalid value: 0: spec.f in body should be greater than or equal to 1',
    ],
    'a number above the maximum': [
      { type: 'integer', maximum: 1 },
      2,
      'spec.f: Invalid value: 2: spec.f in body should be less than or equal to 1',
    ],
    'too many items': [
      { type: 'array', maxItems: 1, items: text },
      ['a', 'b'],
      'spec.f: Too many: 2: must have at most 1 items',
    ],
    'too few items': [
      { type: 'array', minItems: 1, items: text },
      [],
      'spec.f: Invalid value: 0: spec.f in body should have at least 1 items',
    ],
    'too long a text': [{ type: 'string', maxLength: 2 }, 'abc', 'spec.f: Too long: may not be more than 2 bytes'],
    'a duplicate in a set': [
      { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
      ['a', 'a'],
      'spec.f[1]: Duplicate value: "a"',
    ],
    'a wrong type': [
      { type: 'integer' },
      'a',
      'spec.f: Invalid value: "string": spec.f in body must be of type integer: "string"',
    ],
  }
  test.each(Object.entries(cases))('%s', (_name, [schema, value, want]) => {
    expect(errorsOf(specOf({ f: schema }), { f: value })).toContain(want)
  })

  test('a missing field is required', () => {
    expect(errorsOf(specOf({ f: text }, { required: ['f'] }), {})).toContain('spec.f: Required value')
  })
})

describe('rules', () => {
  const atMost = specOf(
    { n: { type: 'integer' }, e: { type: 'string', enum: ['a'] }, p: { type: 'string', pattern: '^a' } },
    {
      'x-kubernetes-validations': [{ rule: 'self.n % 2 == 0', message: 'n must be even' }],
    },
  )

  test('integers are CEL integers by the schema', () => {
    expect(errorsOf(atMost, { n: 2 })).toEqual([])
    expect(errorsOf(atMost, { n: 3 })).toEqual(['spec: Invalid value: n must be even'])
  })

  test.each([
    ['says what it is about', "'n is ' + string(self.n)", 'n is 3'],
    ['is no text', 'self.n', 'n must be even'],
    ['fails', "'m is ' + string(self.m)", 'n must be even'],
    ['does not compile', "'n is ' +", 'n must be even'],
  ])('the expression of a message that %s', (_name, messageExpression, message) => {
    const schema = specOf(
      { n: { type: 'integer' }, m: { type: 'integer' } },
      { 'x-kubernetes-validations': [{ rule: 'self.n % 2 == 0', message: 'n must be even', messageExpression }] },
    )
    expect(errorsOf(schema, { n: 3 })).toEqual([`spec: Invalid value: ${message}`])
    expect(errorsOf(schema, { n: 2 })).toEqual([])
  })

  test('are not checked when a type, enum, length or required error came before, which is said', () => {
    const messages = errorsOf(atMost, { n: 3, e: 'z' })
    expect(messages).toHaveLength(2)
    expect(messages[1]).toContain(
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    )
  })

  test('are checked beside a pattern error', () => {
    expect(errorsOf(atMost, { n: 3, p: 'b' })).toHaveLength(2)
  })

  test('a runtime error is a refusal that names the rule', () => {
    const schema = specOf(
      { v: { type: 'array', items: text } },
      { 'x-kubernetes-validations': [{ rule: 'int(self.v[0]) > 1', message: 'too small' }] },
    )
    expect(errorsOf(schema, {})).toEqual(['spec: Invalid value: "object": no such key: v evaluating rule: too small'])
    expect(errorsOf(schema, { v: ['x'] })).toEqual([
      `spec: Invalid value: "object": type conversion error from 'string' to 'int' evaluating rule: too small`,
    ])
  })

  describe('int() of a text takes what strconv.ParseInt takes in base 10', () => {
    const cases: Record<string, { readonly texts: readonly string[]; readonly want: 'taken' | 'refused' }> = {
      'digits, with a sign or without, and zeros before them': {
        texts: ['5', '+5', '-5', '-0', '007', `${'0'.repeat(30)}5`],
        want: 'taken',
      },
      'both bounds of 64 bits': { texts: ['9223372036854775807', '-9223372036854775808'], want: 'taken' },
      'not what is beyond them': {
        texts: ['9223372036854775808', '-9223372036854775809', '9'.repeat(30)],
        want: 'refused',
      },
      'not an empty text, nor a sign alone': { texts: ['', '+', '-'], want: 'refused' },
      'no white space': { texts: [' 1', '1 ', '1\n', ' '], want: 'refused' },
      'no other base, underscore, point or exponent': {
        texts: ['0x10', '0X10', '0b1', '0o7', '1_000', '1.0', '1e3'],
        want: 'refused',
      },
      'no digits of other scripts': { texts: ['٣', '１'], want: 'refused' },
    }
    const oneByOne = specOf({ v: text }, { 'x-kubernetes-validations': [{ rule: 'int(self.v) != 77', message: 'no' }] })
    const inMacro = specOf(
      { v: { type: 'array', items: text } },
      { 'x-kubernetes-validations': [{ rule: 'self.v.all(x, has(self.v) && int(x) != 77)', message: 'no' }] },
    )
    test.each(Object.entries(cases))('%s', (_name, { texts, want }) => {
      const refusal = `spec: Invalid value: "object": type conversion error from 'string' to 'int' evaluating rule: no`
      for (const value of texts) {
        const errors = want === 'taken' ? [] : [refusal]
        expect([value, errorsOf(oneByOne, { v: value })]).toEqual([value, errors])
        expect([value, errorsOf(inMacro, { v: [value] })]).toEqual([value, errors])
      }
    })

    test('a double that no integer can hold overflows, a boolean has no overload', () => {
      const rule = (expression: string) =>
        specOf({ v: text }, { 'x-kubernetes-validations': [{ rule: `int(${expression}) != 77`, message: 'no' }] })
      const refused = (why: string) => [`spec: Invalid value: "object": ${why} evaluating rule: no`]
      expect(errorsOf(rule('1.9'), { v: 'x' })).toEqual([])
      expect(errorsOf(rule('1e300'), { v: 'x' })).toEqual(refused('integer overflow'))
      expect(errorsOf(rule('true'), { v: 'x' })).toEqual(refused('no such overload'))
    })
  })

  test('field names that are no identifiers are escaped, map keys are not', () => {
    const schema = specOf(
      { 'a-b': text, namespace: text, m: { type: 'object', additionalProperties: text } },
      {
        'x-kubernetes-validations': [
          { rule: "self.a__dash__b == 'x' && self.__namespace__ == 'y' && self.m['k-l'] == 'z'", message: 'no' },
        ],
      },
    )
    expect(errorsOf(schema, { 'a-b': 'x', namespace: 'y', m: { 'k-l': 'z' } })).toEqual([])
  })

  describe('that have held before are asked again of what is new', () => {
    const list = (rule: string, more: Partial<StructuralSchema> = {}): StructuralSchema =>
      specOf({ p: { type: 'array', items: text, 'x-kubernetes-validations': [{ rule, message: 'no' }], ...more } })
    const cases: Record<string, [schema: StructuralSchema, good: unknown[], bad: unknown]> = {
      'an item beside those that hold': [list("self.all(x, x != 'c')"), [['a'], ['a', 'b']], ['a', 'b', 'c']],
      'how items stand to each other': [list('self.all(x, self.size() < 3)'), [['a'], ['b'], ['c']], ['a', 'b', 'c']],
      'how many there are': [list("self.all(x, x != 'd') && self.size() < 3"), [['a'], ['b'], ['c']], ['a', 'b', 'c']],
      'an item of another type': [
        list('self.all(x, type(x) == string || x > 1)', { items: { 'x-kubernetes-int-or-string': true } }),
        [['1']],
        [1],
      ],
      'a key beside those that hold': [
        specOf({
          p: {
            type: 'object',
            additionalProperties: text,
            'x-kubernetes-validations': [{ rule: "self.all(k, k != 'c')", message: 'no' }],
          },
        }),
        [{ a: '1' }, { a: '2', b: '1' }],
        { a: '1', c: '1' },
      ],
      'the value of a key': [
        specOf({
          p: {
            type: 'object',
            additionalProperties: text,
            'x-kubernetes-validations': [{ rule: "self.all(k, self[k] != 'x')", message: 'no' }],
          },
        }),
        [{ a: '1' }],
        { a: 'x' },
      ],
    }
    test.each(Object.entries(cases))('%s', (_name, [schema, good, bad]) => {
      for (const p of good) expect(errorsOf(schema, { p })).toEqual([])
      const before = errorsOf(structuredClone(schema), { p: bad })
      expect(before).toHaveLength(1)
      expect(errorsOf(schema, { p: bad })).toEqual(before)
      expect(errorsOf(schema, { p: bad })).toEqual(before)
    })
  })

  test('transition rules run on updates only, and see the stored value', () => {
    const schema = specOf({
      g: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'g is immutable' }] },
    })
    expect(errorsOf(schema, { g: 'a' })).toEqual([])
    expect(errorsOf(schema, { g: 'b' }, { g: 'a' })).toEqual(['spec.g: Invalid value: "b": g is immutable'])
    expect(errorsOf(schema, { g: 'b' }, {})).toEqual([])
  })
})

describe('updates', () => {
  const schema = specOf({
    f: { type: 'string', pattern: '^a' },
    m: {
      type: 'object',
      additionalProperties: text,
      'x-kubernetes-validations': [{ rule: "self.all(k, k != 'bad')", message: 'bad key' }],
    },
  })

  test('tolerate what was repeated already', () => {
    const schema = specOf({ l: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' }, other: text })
    const [twice, thrice] = [
      ['a', 'a'],
      ['a', 'a', 'b'],
    ]
    expect(errorsOf(schema, { l: twice, other: 'y' }, { l: twice, other: 'x' })).toEqual([])
    expect(errorsOf(schema, { l: thrice }, { l: twice })).toEqual(['spec.l[1]: Duplicate value: "a"'])
  })

  test('tolerate what was already wrong and is unchanged', () => {
    expect(errorsOf(schema, { f: 'b', m: { bad: 'x' }, n: 1 }, { f: 'b', m: { bad: 'x' } })).toEqual([])
  })

  test('do not tolerate it in what changes', () => {
    expect(errorsOf(schema, { f: 'c', m: { bad: 'y' } }, { f: 'b', m: { bad: 'x' } })).toHaveLength(2)
  })
})

describe('the definitions', () => {
  test.each(customResourceDefinitions.map((one) => [one.metadata.name, one] as const))(
    '%s can be served',
    (_name, definition) => {
      expect(definitionErrors(definition)).toEqual([])
    },
  )

  test('a rule that does not compile and a schema without type are found', () => {
    const [first] = customResourceDefinitions
    if (first === undefined) throw new Error('there are no definitions')
    const broken = structuredClone(first)
    const version = {
      ...broken.spec.versions[0],
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: { type: 'object', properties: { a: {} }, 'x-kubernetes-validations': [{ rule: 'self.(' }] },
      },
    }
    const messages = definitionErrors({ ...broken, spec: { ...broken.spec, versions: [version] } }).map(
      ({ message }) => message,
    )
    expect(messages).toEqual([
      expect.stringContaining('must not be empty'),
      expect.stringContaining('compilation failed'),
    ])
  })
})
