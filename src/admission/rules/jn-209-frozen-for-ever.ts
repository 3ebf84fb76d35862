import { nextActivation, parseCron } from '../../api/cron.ts'
import { parseDuration } from '../../api/duration.ts'
import type { NodePoolBudget } from '../../api/karpenter.ts'
import type { Rule } from '../rule.ts'

const reasonCount = 3
/** How many recurrences are looked at: enough to see every weekday of a daily schedule. */
const recurrences = 8

export const frozenForEver: Rule = {
  id: 'JN-209',
  title: 'A budget stops disruption for ever',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Give the budget a schedule and a duration, or set consolidateAfter: Never if only consolidation should stop.',
  check: (subject, { now }) =>
    subject.kind !== 'NodePool'
      ? []
      : (subject.object.spec.disruption?.budgets ?? []).flatMap((budget, index) =>
          isZero(budget) && coversAllReasons(budget) && isAlwaysActive(budget, now)
            ? [
                {
                  path: `spec.disruption.budgets[${index}]`,
                  message: 'this budget stops all voluntary disruption for ever, so drifted nodes are never replaced',
                },
              ]
            : [],
        ),
}

function isZero({ nodes }: NodePoolBudget): boolean {
  return /^0+%?$/.test(nodes)
}

function coversAllReasons({ reasons }: NodePoolBudget): boolean {
  return reasons === undefined || new Set(reasons).size === reasonCount
}

function isAlwaysActive({ schedule, duration }: NodePoolBudget, now: number): boolean {
  if (schedule === undefined || duration === undefined) return true
  const parsed = parseCron(schedule)
  const length = parseDuration(duration)
  if (parsed.kind === 'invalid' || length.kind === 'invalid') return false
  let at = nextActivation(parsed.schedule, now)
  // One that never comes counts as one that always holds.
  if (at === undefined) return true
  for (let count = 0; count < recurrences; count += 1) {
    const next = nextActivation(parsed.schedule, at)
    if (next === undefined || BigInt(next - at) * 1_000_000n > length.nanoseconds) return false
    at = next
  }
  return true
}
