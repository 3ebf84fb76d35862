import type { Condition } from '../api/kubernetes.ts'

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

export function conditionOf(object: WithConditions, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type)
}

/** Undefined when there is no such condition. */
export function conditionStatus(object: WithConditions, type: string): Condition['status'] | undefined {
  return conditionOf(object, type)?.status
}
