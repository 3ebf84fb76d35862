import type { LabelSelector } from '../api/kubernetes.ts'

export type Labels = Readonly<Record<string, string>>

/** metav1.LabelSelector semantics: an absent selector selects nothing, an empty one everything, an invalid one nothing. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (labelOf(labels, key) !== value) return false
  }
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const value = labelOf(labels, key)
    switch (operator) {
      case 'In':
        if (value === undefined || !values.includes(value)) return false
        break
      case 'NotIn':
        if (value !== undefined && values.includes(value)) return false
        break
      case 'Exists':
        if (value === undefined) return false
        break
      case 'DoesNotExist':
        if (value !== undefined) return false
        break
      default:
        return false
    }
  }
  return true
}

/** A label may be called as what every object inherits: `constructor`, `toString`. */
export function labelOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
}

/** A label that everything selected must have, with its possible values. */
export function firstEquality(
  selector: LabelSelector,
): { readonly key: string; readonly values: readonly string[] } | undefined {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) return { key, values: [value] }
  const wanted = selector.matchExpressions?.find(({ operator }) => operator === 'In')
  return wanted === undefined ? undefined : { key: wanted.key, values: [...new Set(wanted.values ?? [])] }
}
