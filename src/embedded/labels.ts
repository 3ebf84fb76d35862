import type { LabelSelector } from '../api/kubernetes.ts'

export type Labels = Readonly<Record<string, string>>

/** Kubernetes' rule: all requirements must hold; an empty selector matches everything, an absent one nothing. */
export function selects(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined) return false
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (labels?.[key] !== value) return false
  }
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const value = labels?.[key]
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value)
      case 'NotIn':
        return value === undefined || !values.includes(value)
      case 'Exists':
        return value !== undefined
      case 'DoesNotExist':
        return value === undefined
    }
  })
}
