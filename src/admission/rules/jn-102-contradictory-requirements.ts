import { contradictions } from '../pool-requirements.ts'
import type { Problem, Rule, Subject } from '../rule.ts'

export const contradictoryRequirements: Rule = {
  id: 'JN-102',
  title: 'Requirements on one label must leave a value',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Remove or widen one of the requirements (or template labels) on this key.',
  check: (subject) => problemsOf(subject),
}

function problemsOf(subject: Subject): Problem[] {
  switch (subject.kind) {
    case 'NodePool': {
      const { metadata, spec } = subject.object.spec.template
      return at('spec.template.spec.requirements', contradictions(spec.requirements, metadata?.labels))
    }
    case 'NodeClaim':
    case 'NodeOverlay':
      return at('spec.requirements', contradictions(subject.object.spec.requirements))
    case 'EC2NodeClass':
    case 'CapacityBuffer':
    case 'RolloutPolicy':
      return []
  }
}

function at(path: string, found: ReturnType<typeof contradictions>): Problem[] {
  return found.map(({ key, index }) => ({
    path: index < 0 ? 'spec.template.metadata.labels' : `${path}[${index}]`,
    message: `no value of ${key} meets all requirements on it`,
  }))
}
