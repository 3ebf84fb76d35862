import { allowedTypes } from '../pool-requirements.ts'
import type { Rule } from '../rule.ts'

export const noInstanceType: Rule = {
  id: 'JN-202',
  title: 'No instance type meets the requirements',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Widen the requirements; joinery plan shows which one excludes the most types.',
  check(subject, { facts }) {
    if (subject.kind !== 'NodePool' || facts.catalogue === undefined || facts.catalogue.length === 0) return []
    return allowedTypes(subject.object, facts.catalogue).length > 0
      ? []
      : [
          {
            path: 'spec.template.spec.requirements',
            message: 'no known instance type and offering meets these requirements',
          },
        ]
  },
}
