import type { Rule } from '../rule.ts'

export const aliasForm: Rule = {
  id: 'JN-110',
  title: 'An AMI alias has one family and one version',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Write family@version with a single @, such as al2023@v20240625.',
  check: (subject) =>
    subject.kind !== 'EC2NodeClass'
      ? []
      : (subject.object.spec?.amiSelectorTerms ?? []).flatMap(({ alias }, index) =>
          alias === undefined || alias.split('@').length <= 2
            ? []
            : [{ path: `spec.amiSelectorTerms[${index}].alias`, message: `the alias "${alias}" has more than one @` }],
        ),
}
