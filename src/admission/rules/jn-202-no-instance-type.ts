import { allowedTypes, unmetAlone } from '../pool-requirements.ts'
import type { Rule } from '../rule.ts'

export const noInstanceType: Rule = {
  id: 'JN-202',
  title: 'No instance type meets the requirements',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Correct or widen the requirement, or one of them where only several together leave no type.',
  check(subject, { facts }) {
    if (subject.kind !== 'NodePool' || allowedTypes(subject.object, facts)?.length !== 0) return []
    const path = 'spec.template.spec.requirements'
    const index = unmetAlone(subject.object, facts)
    return [
      index === undefined
        ? { path, message: 'no known instance type and offering meets these requirements together' }
        : { path: `${path}[${index}]`, message: 'no known instance type and offering meets this requirement' },
    ]
  },
}
