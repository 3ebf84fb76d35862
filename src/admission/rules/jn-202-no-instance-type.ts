import { allowedTypes } from '../pool-requirements.ts'
import type { Rule } from '../rule.ts'

export const noInstanceType: Rule = {
  id: 'JN-202',
  title: 'No instance type meets the requirements',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Widen the requirements; joinery plan shows which one excludes the most types.',
  check(subject, { facts }) {
    if (subject.kind !== 'NodePool' || allowedTypes(subject.object, facts)?.length !== 0) return []
    return [
      {
        path: 'spec.template.spec.requirements',
        message: 'no known instance type and offering meets these requirements',
      },
    ]
  },
}
