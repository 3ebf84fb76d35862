import { parseCron } from '../../api/cron.ts'
import type { Rule } from '../rule.ts'

export const budgetSchedule: Rule = {
  id: 'JN-101',
  title: 'A budget schedule must be a cron expression',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Write five cron fields in UTC (minute hour day-of-month month day-of-week) or a macro such as @daily.',
  check: (subject) =>
    subject.kind !== 'NodePool'
      ? []
      : (subject.object.spec.disruption?.budgets ?? []).flatMap(({ schedule }, index) => {
          const parsed = schedule === undefined ? undefined : parseCron(schedule)
          return parsed?.kind !== 'invalid'
            ? []
            : [
                {
                  path: `spec.disruption.budgets[${index}].schedule`,
                  message: `the schedule does not parse: ${parsed.message}`,
                },
              ]
        }),
}
