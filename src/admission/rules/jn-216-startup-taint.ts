import type { Taint } from '../../api/kubernetes.ts'
import { taintDisrupted, taintUnregistered } from '../../api/labels.ts'
import { matchesTaint } from '../../model/taints.ts'
import type { Rule } from '../rule.ts'

export const lastingStartupTaint: Rule = {
  id: 'JN-216',
  title: 'A startup taint that nobody takes off',
  severity: 'warn',
  looksAt: 'object',
  fix: 'Remove it: the controller taints nodes itself until they have joined. A startup taint is for an agent of yours, which takes it off.',
  check(subject) {
    if (subject.kind !== 'NodePool') return []
    return (subject.object.spec.template.spec.startupTaints ?? []).flatMap((taint, index) =>
      isOfController(taint)
        ? [
            {
              path: `spec.template.spec.startupTaints[${index}]`,
              message: `nodes never initialize: nobody removes ${taint.key.slice(0, 40)}:${taint.effect}`,
            },
          ]
        : [],
    )
  },
}

/** All taints of this domain are the controller's. It takes off two of them, with their own effect only. */
function isOfController(taint: Taint): boolean {
  return (
    taint.key.startsWith('karpenter.sh/') &&
    ![taintUnregistered, taintDisrupted].some((known) => matchesTaint(known, taint))
  )
}
