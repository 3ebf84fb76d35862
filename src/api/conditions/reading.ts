import type { Condition, ObjectMeta } from '../kubernetes.ts'

/** Any object whose status carries conditions. */
export interface Conditioned {
  readonly metadata: Pick<ObjectMeta, 'creationTimestamp' | 'generation' | 'deletionTimestamp'>
  readonly status?: { readonly conditions?: readonly Condition[] }
}

export const conditionReady = 'Ready'

/** Also of nodes and pods, whose conditions may lack fields. */
export function conditionOf<T extends Partial<Condition>>(
  { status }: { readonly status?: { readonly conditions?: readonly T[] } },
  type: string,
): T | undefined {
  return conditionIn(status?.conditions, type)
}

export function conditionIn<T extends Partial<Condition>>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/** Also of nodes and pods. */
export function isConditionTrue(
  object: { readonly status?: { readonly conditions?: readonly Partial<Condition>[] } },
  type: string,
): boolean {
  return conditionOf(object, type)?.status === 'True'
}

export function isConditionFalse(object: Conditioned, type: string): boolean {
  return conditionOf(object, type)?.status === 'False'
}

/** A missing condition counts as unknown. */
export function isConditionUnknown(object: Conditioned, type: string): boolean {
  return (conditionOf(object, type)?.status ?? 'Unknown') === 'Unknown'
}

/**
 * The list with this condition in the place of the one of its type, or else before that of the type `before`, or last. Its time of
 * transition stays that of the one it replaces for as long as the status does.
 */
export function replaceCondition<T extends Partial<Condition>>(
  conditions: readonly T[],
  condition: T & Pick<Condition, 'type' | 'status'>,
  before?: string,
): T[] {
  const index = conditions.findIndex(({ type }) => type === condition.type)
  const known = conditions[index]
  if (known === undefined) {
    const place = conditions.findIndex(({ type }) => type !== undefined && type === before)
    return conditions.toSpliced(place === -1 ? conditions.length : place, 0, condition)
  }
  const { lastTransitionTime } = known
  const isSteady = known.status === condition.status && lastTransitionTime !== undefined
  return conditions.with(index, isSteady ? { ...condition, lastTransitionTime } : condition)
}
