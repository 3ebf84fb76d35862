import { parseNillableDuration } from '../../api/duration.ts'
import type { Rule } from '../rule.ts'

/** As long as a node is given to register: its claim is given up then. */
const startNanoseconds = 15n * 60_000_000_000n

export const expiresBeforeReady: Rule = {
  id: 'JN-219',
  title: 'Nodes that expire before they are ready',
  severity: 'warn',
  looksAt: 'object',
  fix: 'Set expireAfter to hours or days, or to Never.',
  check(subject) {
    if (subject.kind !== 'NodePool') return []
    const life = parseNillableDuration(subject.object.spec.template.spec.expireAfter)
    if (life.kind !== 'duration' || life.nanoseconds >= startNanoseconds) return []
    const path = 'spec.template.spec.expireAfter'
    return [{ path, message: 'nodes may expire before they are ready; they are then launched without end' }]
  },
}
