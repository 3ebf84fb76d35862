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
    const [at, where] = unmetAlone(subject.object, facts) ?? []
    const path = 'spec.template.spec.requirements'
    switch (at) {
      case 'requirement':
        return [{ path: `${path}[${where}]`, message: 'no known instance type and offering meets this requirement' }]
      case 'label':
        return [
          { path: `spec.template.metadata.labels[${where}]`, message: 'no known instance type or offering has it' },
        ]
      case undefined:
        return [{ path, message: 'no known instance type and offering meets these requirements together' }]
    }
  },
}
