import type { LabelSelector, LabelSelectorRequirement } from '../api/kubernetes.ts'
import { labelOf } from '../model/label-selector.ts'

export type Labels = Readonly<Record<string, string>>

/** Kubernetes' rule: all requirements must hold; an empty selector matches everything, an absent one nothing. */
export function selects(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined) return false
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (labelOf(labels, key) !== value) return false
  }
  return (selector.matchExpressions ?? []).every((requirement) => holds(requirement, labelOf(labels, requirement.key)))
}

/** Whether a label of this value, or none, meets a requirement; of the operators that selectors of labels and of nodes share. */
export function holds(
  {
    operator,
    values = [],
  }: { readonly operator: LabelSelectorRequirement['operator']; readonly values?: readonly string[] },
  value: string | undefined,
): boolean {
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
}
