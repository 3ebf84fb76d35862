import type { Rule } from '../rule.ts'

export const noBudgets: Rule = {
  id: 'JN-208',
  title: 'An empty list of budgets lifts every bound on disruption',
  severity: 'warn',
  looksAt: 'object',
  fix: 'Leave budgets out for the default of 10%, or write the budget that is wanted.',
  check: (subject) =>
    subject.kind === 'NodePool' && subject.object.spec.disruption?.budgets?.length === 0
      ? [
          {
            path: 'spec.disruption.budgets',
            message: 'with an empty list of budgets, all nodes may be disrupted at once',
          },
        ]
      : [],
}
