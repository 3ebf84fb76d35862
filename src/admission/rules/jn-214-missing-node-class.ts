import type { Rule } from '../rule.ts'

export const missingNodeClass: Rule = {
  id: 'JN-214',
  title: 'The node class does not exist, or is being deleted',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Create the EC2NodeClass, or correct nodeClassRef.name. In one sync the order does not matter.',
  check(subject, { facts }) {
    if (subject.kind !== 'NodePool' || facts.nodeClasses === undefined) return []
    const { group, kind, name } = subject.object.spec.template.spec.nodeClassRef
    if (group !== 'karpenter.k8s.aws' || kind !== 'EC2NodeClass') return []
    const path = 'spec.template.spec.nodeClassRef.name'
    const found = facts.nodeClasses.find((nodeClass) => nodeClass.metadata.name === name)
    if (found === undefined) return [{ path, message: `there is no EC2NodeClass ${name.slice(0, 63)} yet` }]
    return found.metadata.deletionTimestamp === undefined
      ? []
      : [{ path, message: `the EC2NodeClass ${name.slice(0, 63)} is being deleted` }]
  },
}
