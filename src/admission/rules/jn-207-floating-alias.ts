import type { Rule } from '../rule.ts'

export const floatingAlias: Rule = {
  id: 'JN-207',
  title: 'A floating AMI alias rolls nodes without a change in Git',
  severity: 'warn',
  looksAt: 'object',
  fix: 'Write a version of the family in the place of latest, such as al2023@v20240625 or bottlerocket@1.32.0, and let a pull request raise it.',
  check(subject) {
    if (subject.kind !== 'EC2NodeClass') return []
    return (subject.object.spec?.amiSelectorTerms ?? []).flatMap(({ alias }, index) =>
      // Windows has no other version than the latest.
      alias?.endsWith('@latest') === true && !alias.startsWith('windows')
        ? [
            {
              path: `spec.amiSelectorTerms[${index}].alias`,
              message: `"${alias}" replaces nodes whenever AWS publishes an image`,
            },
          ]
        : [],
    )
  },
}
