import { type CronSchedule, nextActivation, parseCron } from '../../api/cron.ts'
import { parseDuration } from '../../api/duration.ts'
import type { NodePoolBudget } from '../../api/karpenter.ts'
import type { Rule } from '../rule.ts'

const reasons = ['Drifted', 'Empty', 'Underutilized'] as const
/** How many windows are looked at, one after the other: enough to see every weekday where there are three a day. */
const windowsMax = 24

export const frozenForEver: Rule = {
  id: 'JN-209',
  title: 'A budget stops disruption for ever',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Give the budget a schedule and a duration, or set consolidateAfter: Never if only consolidation should stop.',
  check(subject, { now }) {
    if (subject.kind !== 'NodePool') return []
    const budgets = subject.object.spec.disruption?.budgets ?? []
    const alone = budgets.flatMap((budget, index) =>
      isZero(budget) && isFrozen([budget], now)
        ? [
            {
              path: `spec.disruption.budgets[${index}]`,
              message: 'this budget stops all voluntary disruption for ever, so drifted nodes are never replaced',
            },
          ]
        : [],
    )
    const zero = budgets.filter(isZero)
    if (alone.length > 0 || zero.length < 2 || !isFrozen(zero, now)) return alone
    return [
      {
        path: 'spec.disruption.budgets',
        message: 'together these stop all voluntary disruption for ever, so drifted nodes are never replaced',
      },
    ]
  },
}

function isZero({ nodes }: NodePoolBudget): boolean {
  return /^0+%?$/.test(nodes)
}

/** Whether at all times one of them holds for each reason. */
function isFrozen(budgets: readonly NodePoolBudget[], now: number): boolean {
  const held = reasons.map((reason) => budgets.filter((budget) => holdsFor(budget, reason)))
  if (held.some((those) => those.length === 0)) return false
  // Mostly the same ones hold for every reason.
  const distinct = held.filter((those, index) => held.findIndex((other) => isEqual(those, other)) === index)
  return distinct.every((those) => neverEnd(those.flatMap(windowsOf), now))
}

function isEqual(some: readonly NodePoolBudget[], others: readonly NodePoolBudget[]): boolean {
  return some.length === others.length && some.every((budget, index) => budget === others[index])
}

function holdsFor({ reasons: only }: NodePoolBudget, reason: (typeof reasons)[number]): boolean {
  return only === undefined || only.includes(reason)
}

/** When a budget holds: from each activation on for so long, or always. */
type Windows = { readonly kind: 'always' } | { readonly kind: 'recurring'; schedule: CronSchedule; lengthMs: number }

/** None for a budget that cannot be read. */
function windowsOf({ schedule, duration }: NodePoolBudget): Windows[] {
  if (schedule === undefined || duration === undefined) return [{ kind: 'always' }]
  const parsed = parseCron(schedule)
  const length = parseDuration(duration)
  if (parsed.kind === 'invalid' || length.kind === 'invalid') return []
  return [{ kind: 'recurring', schedule: parsed.schedule, lengthMs: Number(length.nanoseconds / 1_000_000n) }]
}

/** Whether from the first activation on some window is always open. One that never comes counts as one that always holds. */
function neverEnd(windows: readonly Windows[], now: number): boolean {
  if (windows.length === 0) return false
  const recurring: Recurring[] = []
  for (const each of windows) {
    const next = each.kind === 'always' ? undefined : nextActivation(each.schedule, now)
    if (each.kind === 'always' || next === undefined) return true
    recurring.push({ ...each, next })
  }
  let at = Math.min(...recurring.map(({ next }) => next))
  for (let count = 0; count < windowsMax; count += 1) {
    const end = openUntil(recurring, at)
    if (end === undefined) return false
    at = end
  }
  return true
}

interface Recurring {
  readonly schedule: CronSchedule
  readonly lengthMs: number
  /** The first activation whose window was not over when last looked at. */
  next: number
}

/** The end of the longest window that is open then. */
function openUntil(recurring: readonly Recurring[], at: number): number | undefined {
  let last: number | undefined
  for (const each of recurring) {
    // Searched for only when it is over: a rare one takes years of days to find.
    if (each.next + each.lengthMs <= at) each.next = nextActivation(each.schedule, at - each.lengthMs) ?? Infinity
    if (each.next <= at) last = Math.max(last ?? 0, each.next + each.lengthMs)
  }
  return last !== undefined && last > at ? last : undefined
}
