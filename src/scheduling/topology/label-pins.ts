import type { LabelSelector } from '../../api/kubernetes.ts'
import { byIdentity } from '../../model/by-identity.ts'
import type { Labels } from '../../model/label-selector.ts'
import { firstEquality } from '../cluster-index.ts'

/** One text for each label with its value: what an index of labels is asked for. */
export const labelPins = byIdentity((labels: Labels): readonly string[] =>
  Object.entries(labels).map(([key, value]) => pin(key, value)),
)

/** What is selected has one of these among its `labelPins`; undefined when the selector names no label with its values. */
export const selectorPins = byIdentity((selector: LabelSelector): readonly string[] | undefined => {
  const wanted = firstEquality(selector)
  return wanted?.values.map((value) => pin(wanted.key, value))
})

function pin(key: string, value: string): string {
  return `${key}\n${value}`
}
