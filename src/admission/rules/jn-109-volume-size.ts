import { volumeSizeProblems } from '../../api/runtime-validation/index.ts'
import type { Rule } from '../rule.ts'

export const volumeSizeQuantity: Rule = {
  id: 'JN-109',
  title: 'A volume size must be a quantity',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Give a number before the unit, such as 1Ti.',
  check: (subject) => (subject.kind === 'EC2NodeClass' ? volumeSizeProblems(subject.object.spec ?? {}) : []),
}
