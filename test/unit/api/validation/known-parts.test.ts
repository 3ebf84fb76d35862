import { describe, expect, test } from 'vitest'
import type { StructuralSchema } from '../../../../src/api/custom-resource-definition.ts'
import { compileCustomResource, compileForStore } from '../../../../src/api/validation/index.ts'

const schema: StructuralSchema = {
  type: 'object',
  required: ['spec'],
  'x-kubernetes-validations': [{ rule: '!has(self.status) || self.status.nodes <= self.spec.max' }],
  properties: {
    spec: {
      type: 'object',
      properties: {
        max: { type: 'integer', default: 5 },
        names: { type: 'array', items: { type: 'string', maxLength: 3 } },
      },
      'x-kubernetes-validations': [{ rule: 'self.max == oldSelf.max' }, { rule: 'self.max < 10' }],
    },
    status: { type: 'object', properties: { nodes: { type: 'integer', minimum: 0 } } },
  },
}

/** Every step, by one that remembers what it has seen and by one that does not. */
function bothOn(object: Record<string, unknown>, old?: unknown) {
  return [compileForStore(schema), compileCustomResource(schema)].map((resource) => {
    const { value, dropped } = resource.prune(object)
    const completed = resource.default(value)
    return { completed, dropped, errors: resource.validate(completed, old) }
  })
}

describe('what looks at a part once only says the same as what looks each time', () => {
  const good = { max: 5, names: ['a'] }
  const long = { max: 5, names: ['long'] }
  const high = { max: 12 }
  const short = { max: 3 }
  const withoutMax = { names: ['a'] }
  const unknown = { max: 5, other: true }
  const specs = [good, long, high, short, withoutMax, unknown]
  const statuses = [undefined, { nodes: 1 }, { nodes: 4 }, { nodes: -1 }, { nodes: 1, more: 2 }]
  const objects: Record<string, unknown>[] = specs.flatMap((spec) =>
    statuses.map((status) => (status === undefined ? { spec } : { spec, status })),
  )

  test('of new objects, however often they come', () => {
    for (const object of [...objects, ...objects, {}]) {
      const [remembering, plain] = bothOn(object)
      expect(remembering).toEqual(plain)
    }
  })

  test('of updates, in any order', () => {
    for (const object of [...objects, ...objects.toReversed()]) {
      for (const old of objects) {
        const [remembering, plain] = bothOn(object, old)
        expect(remembering).toEqual(plain)
      }
    }
  })
})
