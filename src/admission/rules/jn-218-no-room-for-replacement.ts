import { tryParseQuantity } from '../../model/quantity.ts'
import type { Rule } from '../rule.ts'

/** A static pool replaces a drifted node by one that comes first, which `limits.nodes` counts beside the others. */
export const noRoomForReplacement: Rule = {
  id: 'JN-218',
  title: 'A static pool without room for a replacement',
  severity: 'warn',
  looksAt: 'object',
  fix: 'Set limits.nodes above replicas, by as many nodes as may be replaced at once, or leave it out.',
  check(subject) {
    if (subject.kind !== 'NodePool') return []
    const { replicas, limits } = subject.object.spec
    const most = Number(tryParseQuantity(limits?.['nodes'] ?? '')?.units)
    if (replicas === undefined || !(most > 0 && most <= replicas)) return []
    const message =
      most < replicas
        ? `no more than ${most} of ${replicas} replicas come, and drifted nodes are not replaced`
        : `drifted nodes are not replaced: a replacement has no room beside ${replicas} replicas`
    return [{ path: 'spec.limits.nodes', message }]
  },
}
