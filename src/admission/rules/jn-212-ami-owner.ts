import type { Rule } from '../rule.ts'

export const amiOwner: Rule = {
  id: 'JN-212',
  title: 'Images of a stranger could match',
  severity: 'warn',
  looksAt: 'object',
  fix: 'Set owner to self, amazon or the number of the account that publishes the image, or select by id.',
  check: (subject) =>
    subject.kind !== 'EC2NodeClass'
      ? []
      : (subject.object.spec?.amiSelectorTerms ?? []).flatMap(({ name, tags, id, owner: said }, index) => {
          // The provider reads an empty owner as none.
          const owner = said === '' ? undefined : said
          if (id !== undefined || (name === undefined && tags === undefined && owner === undefined)) return []
          const path = `spec.amiSelectorTerms[${index}]`
          if (owner === undefined) {
            return name === undefined
              ? [{ path, message: 'tags without an owner match images of any account that shares them with this one' }]
              : []
          }
          return owner === 'self' || owner === 'amazon' || /^[0-9]{12}$/.test(owner)
            ? []
            : [
                {
                  path: `${path}.owner`,
                  message: 'this owner is open to anyone, who could publish an image that matches',
                },
              ]
        }),
}
