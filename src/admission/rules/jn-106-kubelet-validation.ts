import { resolvedAMIFamily } from '../../api/ami-family.ts'
import {
  kubeletErrors,
  kubeletExpressionMessage,
  kubeletExpressions,
  unsupportedKubeletErrors,
} from '../../api/runtime-validation/index.ts'
import type { EC2NodeClassSpec } from '../../api/karpenter.ts'
import type { AdmissionFacts, Rule } from '../rule.ts'

export const kubeletValidation: Rule = {
  id: 'JN-106',
  title: 'spec.kubelet must be a valid kubelet configuration that the AMI family applies',
  severity: 'deny',
  looksAt: 'world',
  fix: 'Correct or remove the kubelet fields; the condition ValidationSucceeded would be False with the same words.',
  check(subject, { facts }) {
    if (subject.kind !== 'EC2NodeClass' || subject.object.spec === undefined) return []
    return messagesFor(subject.object.spec, facts).map((message) => ({ path: 'spec.kubelet', message }))
  },
}

/** Those of the first of the checks that fails, in the order in which the class is validated when it is reconciled. */
function messagesFor(spec: EC2NodeClassSpec, facts: AdmissionFacts): readonly string[] {
  const errors = kubeletErrors(spec.kubelet)
  if (errors.length > 0) return errors
  const uncompiled = kubeletExpressions(spec.kubelet).flatMap(({ field, text }) => {
    const problem = facts.kubeletExpressionProblem?.(text)
    return problem === undefined ? [] : [kubeletExpressionMessage(field, text, problem)]
  })
  return uncompiled.length > 0 ? uncompiled : unsupportedKubeletErrors(spec.kubelet, resolvedAMIFamily(spec))
}
