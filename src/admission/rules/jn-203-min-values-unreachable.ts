import { normalizeLabelKey } from '../../api/label-rules.ts'
import { allowedTypes, distinct } from '../pool-requirements.ts'
import type { Rule } from '../rule.ts'

export const minValuesUnreachable: Rule = {
  id: 'JN-203',
  title: 'minValues is more than the instance types offer',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Lower minValues or widen the requirements.',
  check(subject, { facts }) {
    const types = subject.kind === 'NodePool' ? (allowedTypes(subject.object, facts) ?? []) : []
    if (subject.kind !== 'NodePool' || types.length === 0) return []
    return subject.object.spec.template.spec.requirements.flatMap(({ key, minValues }, index) => {
      if (minValues === undefined) return []
      const normalized = normalizeLabelKey(key)
      const values = new Set(types.flatMap((type) => [...(type.requirements.get(normalized)?.values ?? [])]))
      return values.size >= minValues
        ? []
        : [
            {
              path: `spec.template.spec.requirements[${index}].minValues`,
              message: `${minValues} asked for, but the allowed types have ${distinct(values.size)}`,
            },
          ]
    })
  },
}
