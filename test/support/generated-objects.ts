import fc from 'fast-check'
import type { StructuralSchema } from '../../src/api/custom-resource-definition.ts'

/** Text that is right in some place of our APIs, so that generated objects are not all refused by the first pattern. */
const words = [
  '',
  'a',
  'default',
  'karpenter.sh/nodepool',
  'kubernetes.io/arch',
  'a/b/c',
  '10',
  '10%',
  '30s',
  '1h30m',
  'Never',
]
const more = ['NoSchedule', 'In', 'Exists', 'Gt', '1Gi', '100m', '-1', 'al2023@latest', 'i d', 'ä', 'x'.repeat(70), '*']

/**
 * Values by a schema: mostly of the shape it asks for, sometimes just off it (a bound passed, a field left out, an unknown one, another
 * type), as people write them.
 */
export function valueOf(schema: StructuralSchema, depth = 0): fc.Arbitrary<unknown> {
  const right = rightValueOf(schema, depth)
  return fc.oneof(
    { weight: 150, arbitrary: right },
    { weight: 1, arbitrary: fc.constantFrom(null, true, 'x', -1, 1.5, [], {}) },
  )
}

function rightValueOf(schema: StructuralSchema, depth: number): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return mostly(fc.constantFrom(...schema.enum), fc.constant('other'))
  if (schema['x-kubernetes-int-or-string'] === true)
    return mostly(fc.constantFrom(1, '1', '100m', '1Gi'), fc.constantFrom(0, '-1', 'x'))
  switch (schema.type) {
    case 'integer': {
      const { minimum = 0, maximum = 1000 } = schema
      return mostly(
        fc.integer({ min: minimum, max: Math.max(minimum, maximum) }),
        fc.constantFrom(minimum - 1, maximum + 1),
      )
    }
    case 'number':
      return fc.constantFrom(0, 0.5, 1, -1)
    case 'boolean':
      return fc.boolean()
    case 'array': {
      const items = schema.items
      return items === undefined || depth > 12 ? fc.constant([]) : fc.array(valueOf(items, depth + 1), { maxLength: 3 })
    }
    case 'object':
      return objectOf(schema, depth)
    case 'string':
    case undefined:
    default:
      return schema.pattern === undefined || schema.pattern.length > 60
        ? fc.constantFrom(...words, ...more)
        : mostly(fc.stringMatching(new RegExp(schema.pattern)), fc.constantFrom(...words, ...more))
  }
}

function mostly<T, U>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 25, arbitrary: usual }, { weight: 1, arbitrary: odd })
}

function objectOf(schema: StructuralSchema, depth: number): fc.Arbitrary<unknown> {
  const { properties, required = [], additionalProperties } = schema
  if (properties === undefined) {
    if (typeof additionalProperties !== 'object') return fc.constantFrom({}, { a: 'b' })
    return fc.dictionary(fc.constantFrom(...words, ...more), valueOf(additionalProperties, depth + 1), { maxKeys: 2 })
  }
  const entries = Object.entries(properties).map(([key, inner]) => {
    const value = valueOf(inner, depth + 1).map((one): [string, unknown][] => [[key, one]])
    // A field that is required is left out now and then, any other more often than not.
    const absent = fc.constant<[string, unknown][]>([])
    return required.includes(key)
      ? fc.oneof({ weight: 200, arbitrary: value }, { weight: 1, arbitrary: absent })
      : fc.oneof({ weight: 1, arbitrary: value }, { weight: 2, arbitrary: absent })
  })
  return fc.tuple(...entries).map((parts) => Object.fromEntries(parts.flat()))
}
