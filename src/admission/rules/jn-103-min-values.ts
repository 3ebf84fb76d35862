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
    return requirements.flatMap(({ key, minValues }, index) => {
      const left = minValues === undefined ? undefined : listedValues(requirements, normalizeLabelKey(key))
      // Nothing left at all is a contradiction, which is another rule's business.
      if (minValues === undefined || left === undefined || left === 0 || left >= minValues) return []
      const path = `${isPool ? 'spec.template.spec' : 'spec'}.requirements[${index}].minValues`
      return [{ path, message: `minValues is ${minValues}, but the requirements leave ${distinct(left)} of ${key}` }]
    })
  },
}
