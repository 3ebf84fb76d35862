import { resolvedAMIFamily } from '../../api/ami-family.ts'
import type { Rule } from '../rule.ts'

export const mergeableUserData: Rule = {
  id: 'JN-107',
  title: 'User data must merge with what the AMI family generates',
  severity: 'deny',
  looksAt: 'world',
  fix: 'Shorten it, correct the MIME document or the TOML settings, or use amiFamily: Custom to take the user data as it stands.',
  check(subject, { facts }) {
    if (subject.kind !== 'EC2NodeClass' || facts.userDataProblem === undefined) return []
    const spec = subject.object.spec
    if (spec?.userData === undefined) return []
    const problem = facts.userDataProblem(spec.userData, resolvedAMIFamily(spec))
    return problem === undefined ? [] : [{ path: 'spec.userData', message: `launches would fail: ${problem}` }]
  },
}
