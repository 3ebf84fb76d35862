import { normalizeLabelKey } from '../../api/label-rules.ts'
import { labelArch } from '../../api/labels.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { imageRequirements } from '../../model/image-requirements.ts'
import { allows } from '../../model/requirement.ts'
import { requirementFor } from '../../model/requirements.ts'
import { allowedTypes } from '../pool-requirements.ts'
import type { Rule } from '../rule.ts'

export const architectureWithoutImage: Rule = {
  id: 'JN-217',
  title: 'The node class has no image for an allowed architecture',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Require an architecture for which the class has images, or let its amiSelectorTerms find one for the other.',
  check(subject, { facts }) {
    if (subject.kind !== 'NodePool') return []
    const name = nodeClassNameOf(subject.object)
    // A class that has found no image at all says so itself.
    const images = facts.nodeClasses?.find(({ metadata }) => metadata.name === name)?.status?.amis ?? []
    if (name === undefined || images.length === 0) return []
    const types = allowedTypes(subject.object, facts) ?? []
    const architectures = new Set(types.flatMap((type) => [...requirementFor(type.requirements, labelArch).values]))
    const booting = images.map((image) => requirementFor(imageRequirements(image), labelArch))
    const { requirements } = subject.object.spec.template.spec
    const index = requirements.findIndex(({ key }) => normalizeLabelKey(key) === labelArch)
    const path = `spec.template.spec.requirements${index < 0 ? '' : `[${index}]`}`
    return [...architectures]
      .filter((each) => !booting.some((requirement) => allows(requirement, each)))
      .map((each) => ({ path, message: `${each} is allowed, but the EC2NodeClass has no image for it` }))
  },
}
