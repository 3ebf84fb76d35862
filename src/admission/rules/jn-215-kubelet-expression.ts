import { kubeletErrors, kubeletExpressions } from '../../api/runtime-validation/index.ts'
import type { Rule } from '../rule.ts'

export const kubeletExpression: Rule = {
  id: 'JN-215',
  title: 'An expression in spec.kubelet needs the gate NodeClassCEL',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Turn on the AWS feature gate NodeClassCEL, or write a plain number or quantity.',
  check(subject, { facts }) {
    if (subject.kind !== 'EC2NodeClass' || facts.nodeClassCEL === true) return []
    const kubelet = subject.object.spec?.kubelet
    return kubeletErrors(kubelet).length === 0 && kubeletExpressions(kubelet).length > 0
      ? [
          {
            path: 'spec.kubelet',
            message: 'spec.kubelet holds an expression; without the gate NodeClassCEL the class is not valid',
          },
        ]
      : []
  },
}
