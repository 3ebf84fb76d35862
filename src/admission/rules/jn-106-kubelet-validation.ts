import { resolvedAMIFamily } from '../../api/ami-family.ts'
import { kubeletErrors, unsupportedKubeletErrors } from '../../api/runtime-validation/index.ts'
import type { Rule } from '../rule.ts'

export const kubeletValidation: Rule = {
  id: 'JN-106',
  title: 'spec.kubelet must be a valid kubelet configuration that the AMI family applies',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Correct or remove the kubelet fields; the condition ValidationSucceeded would be False with the same words.',
  check(subject) {
    if (subject.kind !== 'EC2NodeClass' || subject.object.spec === undefined) return []
    const { kubelet } = subject.object.spec
    const errors = kubeletErrors(kubelet)
    const messages =
      errors.length > 0 ? errors : unsupportedKubeletErrors(kubelet, resolvedAMIFamily(subject.object.spec))
    return messages.map((message) => ({ path: 'spec.kubelet', message }))
  },
}
