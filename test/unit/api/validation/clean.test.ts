import fc from 'fast-check'
import { expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../../src/api/karpenter.ts'
import type { StructuralSchema } from '../../../../src/api/custom-resource-definition.ts'
import { compileClean } from '../../../../src/api/validation/clean.ts'
import { applyDefaults, compileFill } from '../../../../src/api/validation/defaulting.ts'
import { prune } from '../../../../src/api/validation/pruning.ts'
import { listTypeErrors, structuralErrors } from '../../../../src/api/validation/structural.ts'

/** Values near to what a schema asks for: mostly fitting, now and then off by a type, a bound or a field. */
function valuesOf(schema: StructuralSchema, depth = 0): fc.Arbitrary<unknown> {
  const odd = fc.oneof(fc.constant(null), fc.string({ maxLength: 3 }), fc.integer(), fc.constant([]), fc.constant({}))
  return fc.oneof({ weight: 30, arbitrary: fitting(schema, depth) }, { weight: 1, arbitrary: odd })
}

function fitting(schema: StructuralSchema, depth: number): fc.Arbitrary<unknown> {
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(fc.integer(), fc.constantFrom('1', '10%', 'x'))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum, 'other')
  switch (schema.type ?? '') {
    case 'object': {
      const { properties = {}, additionalProperties: additional, required = [] } = schema
      const fields = fc.record(
        Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, valuesOf(child, depth + 1)])),
        { requiredKeys: required.filter((name) => name in properties) },
      )
      const more =
        typeof additional === 'object'
          ? fc.dictionary(fc.constantFrom('a', 'b', 'cpu', 'example.com/x'), valuesOf(additional, depth + 1), {
              maxKeys: 2,
            })
          : fc.oneof({ weight: 20, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constant({ unknown: 1 }) })
      return fc.tuple(fields, more).map(([known, others]) => ({ ...known, ...others }))
    }
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, depth + 1), { maxLength: 3 })
    case 'integer':
      return fc.oneof(fc.integer({ min: -2, max: 120 }), fc.constant(1.5))
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'string':
      return fc.constantFrom('', 'a', 'In', '1h', '10%', 'Never', 'gp3', '100Gi', 'karpenter.sh', 'a'.repeat(70), '😀')
    default:
      return fc.constant('x')
  }
}

/** What an API server does to an object before it looks at rules, by the code that words the errors. */
function closely(object: unknown, schema: StructuralSchema) {
  const { value, dropped } = prune(object, schema)
  const completed = applyDefaults(value, schema)
  const errors = [
    ...structuralErrors(completed, schema, '', undefined),
    ...listTypeErrors(completed, schema, '', undefined),
  ]
  return { completed, isClean: errors.length === 0 && dropped.length === 0 }
}

/** The schema and all below it: the smaller ones are those that random values fit. */
function withParts(schema: StructuralSchema): StructuralSchema[] {
  const { properties = {}, items, additionalProperties: additional } = schema
  const below = [...Object.values(properties), items, typeof additional === 'object' ? additional : undefined]
  return [schema, ...below.flatMap((part) => (part === undefined ? [] : withParts(part)))]
}

const schemas = customResourceDefinitions.flatMap(({ spec }) => {
  const schema = spec.versions[0]?.schema?.openAPIV3Schema
  return schema === undefined ? [] : [[spec.names.kind, schema] as const]
})

test.each(schemas)('%s: the first sight and the closer look agree, and so do their defaults', (_kind, whole) => {
  const seen = { clean: 0, other: 0 }
  for (const schema of withParts(whole)) {
    const isClean = compileClean(schema)
    const fill = compileFill(schema) ?? ((object: unknown) => object)
    const check = (object: unknown): void => {
      const filled = fill(object)
      const close = closely(object, schema)
      const atFirstSight = isClean(filled)
      if (atFirstSight) expect(filled).toEqual(close.completed)
      // A null may stand for a default: that is left to the closer look.
      if (!JSON.stringify(object).includes('null')) expect(atFirstSight).toBe(close.isClean)
      else expect(atFirstSight && !close.isClean).toBe(false)
      seen[close.isClean ? 'clean' : 'other'] += 1
    }
    fc.assert(fc.property(valuesOf(schema), check), { numRuns: 40, seed: 7 })
  }
  expect(Math.min(seen.clean, seen.other)).toBeGreaterThan(100)
})
