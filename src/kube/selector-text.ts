import type { LabelSelector } from '../api/kubernetes.ts'

/** A label selector as the query parameter spells it. An empty selector selects everything, as an absent parameter does. */
export function labelSelectorText(selector: LabelSelector | string | undefined): string | undefined {
  if (selector === undefined || typeof selector === 'string') return selector
  const terms = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
      switch (operator) {
        case 'In':
          return `${key} in (${values.join(',')})`
        case 'NotIn':
          return `${key} notin (${values.join(',')})`
        case 'Exists':
          return key
        case 'DoesNotExist':
          return `!${key}`
      }
    }),
  ]
  return terms.length === 0 ? undefined : terms.join(',')
}
