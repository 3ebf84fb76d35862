import { endOfBudgets, isZeroBudget } from '../../api/budget-windows.ts'
import type { NodePoolBudget } from '../../api/karpenter.ts'
import type { Rule } from '../rule.ts'

const reasons = ['Drifted', 'Empty', 'Underutilized'] as const
/**
 * How many windows are looked at, one after the other: a year where there is one a day, two weeks of one an hour. A pool may have fifty
 * budgets, and a review has little time.
 */
const windowsMax = 366

export const frozenForEver: Rule = {
  id: 'JN-209',
  title: 'A budget stops disruption for ever',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Give the budget a schedule and a duration that leave time between its windows, or set consolidateAfter: Never if only consolidation should stop.',
  check(subject, { now }) {
    if (subject.kind !== 'NodePool') return []
    const budgets = subject.object.spec.disruption?.budgets ?? []
    const alone = budgets.flatMap((budget, index) =>
      isZeroBudget(budget) && isFrozen([budget], now)
        ? [
            {
              path: `spec.disruption.budgets[${index}]`,
              message: 'this stops all voluntary disruption for ever: drifted nodes are never replaced',
            },
          ]
        : [],
    )
    const zero = budgets.filter(isZeroBudget)
    if (alone.length > 0 || zero.length < 2 || !isFrozen(zero, now)) return alone
    return [
      {
        path: 'spec.disruption.budgets',
        message: 'together these stop all voluntary disruption for ever: drifted nodes are never replaced',
      },
    ]
  },
}

/** Whether at all times one of them holds for each reason. */
function isFrozen(budgets: readonly NodePoolBudget[], now: number): boolean {
  const held = reasons.map((reason) => budgets.filter((budget) => holdsFor(budget, reason)))
  if (held.some((those) => those.length === 0)) return false
  // Mostly the same ones hold for every reason.
  const distinct = held.filter((those, index) => held.findIndex((other) => isEqual(those, other)) === index)
  return distinct.every((those) => endOfBudgets(those, now, windowsMax) === undefined)
}

function isEqual(some: readonly NodePoolBudget[], others: readonly NodePoolBudget[]): boolean {
  return some.length === others.length && some.every((budget, index) => budget === others[index])
}

function holdsFor({ reasons: only }: NodePoolBudget, reason: (typeof reasons)[number]): boolean {
  return only === undefined || only.includes(reason)
}
