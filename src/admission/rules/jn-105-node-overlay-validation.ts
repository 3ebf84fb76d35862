import { nodeOverlayErrors } from '../../api/runtime-validation/index.ts'
import type { Rule } from '../rule.ts'

export const nodeOverlayValidation: Rule = {
  id: 'JN-105',
  title: 'A NodeOverlay must pass runtime validation',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Correct the requirement or remove the resource; the controller would refuse the overlay with the same words.',
  check: (subject) => (subject.kind === 'NodeOverlay' ? nodeOverlayErrors(subject.object) : []),
}
