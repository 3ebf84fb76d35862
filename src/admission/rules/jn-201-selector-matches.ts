import type { Rule } from '../rule.ts'

const selectors = [
  ['amis', 'amiSelectorTerms', 'image'],
  ['subnets', 'subnetSelectorTerms', 'subnet'],
  ['securityGroups', 'securityGroupSelectorTerms', 'security group'],
  ['capacityReservations', 'capacityReservationSelectorTerms', 'capacity reservation'],
] as const

export const selectorMatches: Rule = {
  id: 'JN-201',
  title: 'A selector matches nothing at present',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Check the tags, ids and the account and region the controller looks in.',
  check(subject, { facts }) {
    const spec = subject.kind === 'EC2NodeClass' ? subject.object.spec : undefined
    const matches = facts.selectorMatches
    if (spec === undefined || matches === undefined) return []
    return selectors.flatMap(([fact, field, noun]) =>
      matches[fact] === 0 && spec[field] !== undefined
        ? [{ path: `spec.${field}`, message: `no ${noun} matches these terms now` }]
        : [],
    )
  },
}
