import type { LabelSelector } from '../../api/kubernetes.ts'
import { type FieldGetter, fieldPredicate } from './field-selectors.ts'
import { labelPredicate, parseLabelSelector } from './label-selectors.ts'
import type { StoredObject } from './object.ts'

export interface Selection {
  readonly labelSelector?: LabelSelector | string | undefined
  readonly fieldSelector?: string | undefined
}

/** The test an object must pass to be listed or watched; undefined when everything passes. */
export function selectionOf(
  selection: Selection,
  fields: Readonly<Record<string, FieldGetter>>,
): ((object: StoredObject) => boolean) | undefined {
  const { labelSelector, fieldSelector } = selection
  const labels =
    labelSelector === undefined || labelSelector === ''
      ? undefined
      : typeof labelSelector === 'string'
        ? parseLabelSelector(labelSelector)
        : labelPredicate(labelSelector)
  const byField = fieldSelector === undefined ? undefined : fieldPredicate(fieldSelector, fields)
  if (labels === undefined) return byField
  const byLabel = (object: StoredObject): boolean => labels(object.metadata.labels ?? {})
  return byField === undefined ? byLabel : (object) => byField(object) && byLabel(object)
}
