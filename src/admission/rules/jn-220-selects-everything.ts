import type { Rule } from '../rule.ts'

const selectors = ['subnetSelectorTerms', 'securityGroupSelectorTerms'] as const

/** The definitions take `tags: {}` for a selector; to EC2 a search without a filter is one for all there are. */
export const selectsEverything: Rule = {
  id: 'JN-220',
  title: 'A selector term that selects everything',
  severity: 'warn',
  looksAt: 'object',
  fix: 'Name a tag or an id in the term, such as karpenter.sh/discovery with the name of the cluster.',
  check(subject) {
    if (subject.kind !== 'EC2NodeClass') return []
    const { spec } = subject.object
    return selectors.flatMap((field) =>
      (spec?.[field] ?? []).flatMap((term, index) => {
        const { tags = {}, ...others } = term
        if (Object.keys(tags).length > 0 || Object.values(others).some((value) => value !== '')) return []
        return [{ path: `spec.${field}[${index}]`, message: `selects ${everything[field]} of the region` }]
      }),
    )
  },
}

const everything = {
  subnetSelectorTerms: 'every subnet',
  securityGroupSelectorTerms: 'every security group',
} as const satisfies Record<(typeof selectors)[number], string>
