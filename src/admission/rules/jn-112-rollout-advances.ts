import { nextActivation, parseCron } from '../../api/cron.ts'
import { parseDuration } from '../../api/duration.ts'
import type { RolloutPolicySpec } from '../../api/karpenter.ts'
import type { Problem, Rule } from '../rule.ts'

/** As the schema has it: what is beyond is refused already, and a schedule without any day takes a while to see through. */
const windowsMax = 20

export const rolloutAdvances: Rule = {
  id: 'JN-112',
  title: 'A RolloutPolicy must be able to advance',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Let windows open for some time, allow at least one node, and ask Prometheus at a URL.',
  check(subject) {
    if (subject.kind !== 'RolloutPolicy') return []
    const { spec } = subject.object
    return [...windowProblems(spec), ...countProblems(spec), ...gateProblems(spec)]
  },
}

function windowProblems({ windows = [] }: RolloutPolicySpec): Problem[] {
  return windows.slice(0, windowsMax).flatMap(({ schedule, duration }, index) => {
    const path = `spec.windows[${index}]`
    const parsed = parseCron(schedule)
    // A schedule that does not parse is another rule's.
    const never = parsed.kind === 'schedule' && nextActivation(parsed.schedule, 0) === undefined
    return [
      ...(never ? [{ path: `${path}.schedule`, message: `the window never opens: no day is ${schedule}` }] : []),
      ...(isZero(duration) ? [{ path: `${path}.duration`, message: 'the window closes the moment it opens' }] : []),
    ]
  })
}

function countProblems({ sharedBudget, rate, softExpireAfter }: RolloutPolicySpec): Problem[] {
  return [
    ...(sharedBudget !== undefined && Number.parseInt(sharedBudget, 10) === 0
      ? [{ path: 'spec.sharedBudget', message: 'no node may ever be replaced; pausedUntil holds a rollout' }]
      : []),
    ...(rate !== undefined && isZero(rate.per)
      ? [{ path: 'spec.rate.per', message: 'a rate needs a time to count in' }]
      : []),
    ...(softExpireAfter !== undefined && isZero(softExpireAfter)
      ? [{ path: 'spec.softExpireAfter', message: 'every node would be due at once, the newest too' }]
      : []),
  ]
}

function gateProblems({ gates }: RolloutPolicySpec): Problem[] {
  return [
    ...(['nodeReadyTimeout', 'podReadyTimeout'] as const).flatMap((name) => {
      const value = gates?.[name]
      return value !== undefined && isZero(value)
        ? [{ path: `spec.gates.${name}`, message: 'nothing is ready at once: every step would fail' }]
        : []
    }),
    ...(gates?.prometheus !== undefined && !URL.canParse(gates.prometheus.address)
      ? [{ path: 'spec.gates.prometheus.address', message: 'it is no URL, so the query would never have an answer' }]
      : []),
  ]
}

/** Text that is no duration is the schema's affair. */
function isZero(duration: string): boolean {
  const parsed = parseDuration(duration)
  return parsed.kind !== 'invalid' && parsed.nanoseconds <= 0n
}
