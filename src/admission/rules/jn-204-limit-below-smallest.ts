import { tryParseQuantity } from '../../model/quantity.ts'
import { allowedTypes } from '../pool-requirements.ts'
import type { Rule } from '../rule.ts'

export const limitBelowSmallest: Rule = {
  id: 'JN-204',
  title: 'A limit is below the smallest instance type',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Raise the limit, or set it to 0 to pause the pool on purpose.',
  check(subject, { facts }) {
    const types = subject.kind === 'NodePool' ? (allowedTypes(subject.object, facts) ?? []) : []
    if (subject.kind !== 'NodePool' || types.length === 0) return []
    return Object.entries(subject.object.spec.limits ?? {}).flatMap(([resource, text]) => {
      const limit = tryParseQuantity(text)
      const fits = types.some((type) => {
        const amount = type.capacity.get(resource)
        return limit === undefined || amount === undefined || amount.compare(limit) <= 0
      })
      return fits || limit === undefined || limit.nano <= 0n
        ? []
        : [
            {
              path: `spec.limits.${resource}`,
              message: `every allowed instance type has more ${resource} than this limit`,
            },
          ]
    })
  },
}
