import { nodePoolErrors } from '../../api/runtime-validation/index.ts'
import type { Rule } from '../rule.ts'

export const nodePoolValidation: Rule = {
  id: 'JN-104',
  title: 'A NodePool must pass runtime validation',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Correct the label, annotation, taint, requirement, limit or name; the controller would refuse the pool with the same words.',
  check: (subject) => (subject.kind === 'NodePool' ? nodePoolErrors(subject.object) : []),
}
