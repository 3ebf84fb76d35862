import { resolvedAMIFamily } from '../../api/ami-family.ts'
import {
  kubeletErrors,
  kubeletExpressionMessage,
  kubeletExpressions,
  unsupportedKubeletErrors,
} from '../../api/runtime-validation/index.ts'
import type { EC2NodeClassSpec } from '../../api/karpenter.ts'
import type { AdmissionFacts, Problem, Rule } from '../rule.ts'

export const kubeletValidation: Rule = {
  id: 'JN-106',
  title: 'spec.kubelet must be a valid kubelet configuration that the AMI family applies',
  severity: 'deny',
  looksAt: 'world',
  fix: 'Correct or remove the kubelet fields; the condition ValidationSucceeded would be False with the same words.',
  check(subject, { facts }) {
    if (subject.kind !== 'EC2NodeClass' || subject.object.spec === undefined) return []
    return problemsOf(subject.object.spec, facts).map((problem) => ({ path: 'spec.kubelet', ...problem }))
  },
}

/** Those of the first of the checks that fails, in the order in which the class is validated when it is reconciled. */
function problemsOf(spec: EC2NodeClassSpec, facts: AdmissionFacts): readonly Omit<Problem, 'path'>[] {
  const errors = kubeletErrors(spec.kubelet)
  if (errors.length > 0) return errors.map((message) => ({ message }))
  const uncompiled = kubeletExpressions(spec.kubelet).flatMap(({ field, text }) => {
    const problem = facts.kubeletExpressionProblem?.(text)
    return problem === undefined ? [] : [kubeletExpressionMessage(field, text, problem)]
  })
  return uncompiled.length > 0 ? uncompiled.map((message) => ({ message })) : unsupported(spec)
}

/** One sentence names all fields that would be dropped. */
function unsupported(spec: EC2NodeClassSpec): readonly Omit<Problem, 'path'>[] {
  const family = resolvedAMIFamily(spec)
  const messages = unsupportedKubeletErrors(spec.kubelet, family)
  const ofEach = Object.entries(spec.kubelet ?? {}).flatMap(([field, value]) =>
    unsupportedKubeletErrors({ [field]: value }, family),
  )
  const ofSome = ofEach.filter((message) => !messages.includes(message))
  return messages.map((message) => (ofEach.includes(message) ? { message } : { message, causes: ofSome }))
}
