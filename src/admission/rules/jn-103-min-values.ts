import { normalizeLabelKey } from '../../api/label-rules.ts'
import { distinct, listedValues } from '../pool-requirements.ts'
import type { Rule } from '../rule.ts'

export const minValuesAboveList: Rule = {
  id: 'JN-103',
  title: 'minValues must not exceed the values that are left',
  severity: 'deny',
  looksAt: 'object',
  fix: 'List more different values, or lower minValues.',
  check(subject) {
    if (subject.kind !== 'NodePool' && subject.kind !== 'NodeClaim') return []
    const isPool = subject.kind === 'NodePool'
    const { requirements } = isPool ? subject.object.spec.template.spec : subject.object.spec
    // All lines on a key leave the same, and there may be a hundred of them with thousands of values.
    const leftOf = new Map<string, number | undefined>()
    return requirements.flatMap(({ key: written, minValues }, index) => {
      if (minValues === undefined) return []
      const key = normalizeLabelKey(written)
      if (!leftOf.has(key)) leftOf.set(key, listedValues(requirements, key))
      const left = leftOf.get(key)
      // Nothing left at all is a contradiction, which is another rule's business.
      if (left === undefined || left === 0 || left >= minValues) return []
      const path = `${isPool ? 'spec.template.spec' : 'spec'}.requirements[${index}].minValues`
      return [
        { path, message: `minValues is ${minValues}, but the requirements leave ${distinct(left)} of ${written}` },
      ]
    })
  },
}
