import { conditionIn, replaceCondition } from '../api/conditions.ts'
import type { Condition } from '../api/kubernetes.ts'

type PartialCondition = Partial<Condition>

export function hasStatus(conditions: readonly PartialCondition[] | undefined, type: string, status: string): boolean {
  return conditionIn(conditions, type)?.status === status
}

/** The list with this condition in place of the one of its type; its transition time stays when the status does. */
export function withCondition(
  conditions: readonly PartialCondition[] | undefined,
  condition: PartialCondition & { readonly type: string; readonly status: Condition['status'] },
  now: string,
): PartialCondition[] {
  return replaceCondition(conditions ?? [], { ...condition, lastTransitionTime: now })
}
