import { parseDuration } from '../../api/duration.ts'
import type { Problem, Rule, Subject } from '../rule.ts'

export const durationRange: Rule = {
  id: 'JN-108',
  title: 'Durations must fit into 64 bits of nanoseconds',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Use a duration below 292 years, or Never where the field allows it.',
  check: (subject) => durationsOf(subject).flatMap(([path, text]) => tooLarge(path, text)),
}

function durationsOf(subject: Subject): [string, string | undefined][] {
  switch (subject.kind) {
    case 'NodePool': {
      const { template, disruption } = subject.object.spec
      return [
        ['spec.template.spec.expireAfter', template.spec.expireAfter],
        ['spec.template.spec.terminationGracePeriod', template.spec.terminationGracePeriod],
        ['spec.disruption.consolidateAfter', disruption?.consolidateAfter],
        ...(disruption?.budgets ?? []).map(({ duration }, index): [string, string | undefined] => [
          `spec.disruption.budgets[${index}].duration`,
          duration,
        ]),
      ]
    }
    case 'NodeClaim':
      return [
        ['spec.expireAfter', subject.object.spec.expireAfter],
        ['spec.terminationGracePeriod', subject.object.spec.terminationGracePeriod],
      ]
    case 'NodeOverlay':
    case 'EC2NodeClass':
    case 'CapacityBuffer':
    case 'RolloutPolicy':
      return []
  }
}

function tooLarge(path: string, text: string | undefined): Problem[] {
  if (text === undefined || text === 'Never') return []
  const parsed = parseDuration(text)
  return parsed.kind === 'ok' ? [] : [{ path, message: `the duration cannot be read: ${parsed.message}` }]
}
