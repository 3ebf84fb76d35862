import type { Rule } from '../rule.ts'

export const emptyReasons: Rule = {
  id: 'JN-205',
  title: 'A budget with an empty list of reasons bounds nothing',
  severity: 'warn',
  looksAt: 'object',
  fix: 'Leave reasons out to bound every reason.',
  check: (subject) =>
    subject.kind !== 'NodePool'
      ? []
      : (subject.object.spec.disruption?.budgets ?? []).flatMap(({ reasons }, index) =>
          reasons?.length === 0
            ? [
                {
                  path: `spec.disruption.budgets[${index}].reasons`,
                  message: 'an empty list of reasons makes the budget apply to none',
                },
              ]
            : [],
        ),
}
