import type { ConditionTypes } from './condition-types.ts'
import { conditionMessage } from './message.ts'
import { type Conditioned, conditionOf } from './reading.ts'
import type { Condition } from '../kubernetes.ts'
import { toTimestamp } from '../time.ts'

export interface ConditionChange {
  readonly type: string
  readonly status: Condition['status']
  /** Default: the type for True, AwaitingReconciliation for Unknown. */
  readonly reason?: string
  /** Default: empty for True, "object is awaiting reconciliation" for Unknown. */
  readonly message?: string
}

export const reasonAwaitingReconciliation = 'AwaitingReconciliation'
export const messageAwaitingReconciliation = 'object is awaiting reconciliation'

/*
 * The functions return a new object, or the very object they were given when nothing changes. `now` is in milliseconds
 * since the epoch. Each first adds the root and the dependents that are missing, as merely opening a condition set does.
 */

export function initConditions<T extends Conditioned>(object: T, types: ConditionTypes, now: number): T {
  return [types.root, ...types.dependents].reduce(
    (current, type) =>
      conditionOf(current, type) === undefined ? setOne(current, types, { type, status: 'Unknown' }, now) : current,
    object,
  )
}

export function setCondition<T extends Conditioned>(
  object: T,
  types: ConditionTypes,
  change: ConditionChange,
  now: number,
): T {
  return apply(initConditions(object, types, now), types, change, now)
}

export function setConditionTrue<T extends Conditioned>(
  object: T,
  types: ConditionTypes,
  type: string,
  now: number,
): T {
  return setCondition(object, types, { type, status: 'True' }, now)
}

export function setConditionFalse<T extends Conditioned>(
  object: T,
  types: ConditionTypes,
  change: { readonly type: string; readonly reason: string; readonly message: string },
  now: number,
): T {
  return setCondition(object, types, { ...change, status: 'False' }, now)
}

export function setConditionUnknown<T extends Conditioned>(
  object: T,
  types: ConditionTypes,
  change: { readonly type: string; readonly reason?: string; readonly message?: string },
  now: number,
): T {
  return setCondition(object, types, { ...change, status: 'Unknown' }, now)
}

/** Removes a condition. The root and its dependents cannot be cleared. */
export function clearCondition<T extends Conditioned>(object: T, types: ConditionTypes, type: string, now: number): T {
  if (type === types.root || types.dependents.includes(type)) throw new Error(`condition ${type} cannot be cleared`)
  const opened = initConditions(object, types, now)
  if (conditionOf(opened, type) === undefined) return opened
  const kept = (opened.status?.conditions ?? []).filter((condition) => condition.type !== type)
  return withConditions(
    opened,
    kept.toSorted((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0)),
  )
}

function apply<T extends Conditioned>(object: T, types: ConditionTypes, change: ConditionChange, now: number): T {
  const changed = setOne(object, types, change, now)
  if (changed === object || change.type === types.root) return changed
  return setOne(changed, types, rootOf(changed, types), now)
}

function setOne<T extends Conditioned>(object: T, types: ConditionTypes, change: ConditionChange, now: number): T {
  const before = conditionOf(object, change.type)
  const observedGeneration = object.metadata.generation ?? 0
  const after: Condition = {
    type: change.type,
    status: change.status,
    reason: change.reason ?? (change.status === 'Unknown' ? reasonAwaitingReconciliation : change.type),
    message: conditionMessage(change.message ?? (change.status === 'Unknown' ? messageAwaitingReconciliation : '')),
    lastTransitionTime: transitionTime(object, types, before, change, now),
    observedGeneration,
  }
  if (before !== undefined && isSame(before, after)) return object
  const others = (object.status?.conditions ?? []).filter((condition) => condition.type !== change.type)
  // A deletion bumps the generation, after which most controllers no longer look; their conditions would stay stale forever.
  const kept =
    object.metadata.deletionTimestamp === undefined
      ? others
      : others.map((condition) => ({ ...condition, observedGeneration }))
  return withConditions(object, sortedByTransition([...kept, after], types.root))
}

function transitionTime(
  object: Conditioned,
  types: ConditionTypes,
  before: Condition | undefined,
  change: ConditionChange,
  now: number,
): string {
  if (before !== undefined) return before.status === change.status ? before.lastTransitionTime : toTimestamp(now)
  return change.type === types.root || types.dependents.includes(change.type)
    ? object.metadata.creationTimestamp
    : toTimestamp(now)
}

function rootOf(object: Conditioned, types: ConditionTypes): ConditionChange {
  const generation = object.metadata.generation ?? 0
  const unhealthy = (object.status?.conditions ?? []).filter(
    (condition) =>
      types.dependents.includes(condition.type) &&
      (condition.status !== 'True' || (condition.observedGeneration ?? 0) !== generation),
  )
  if (unhealthy.length === 0) return { type: types.root, status: 'True' }
  const failed = unhealthy.some(
    (condition) => condition.status === 'False' && (condition.observedGeneration ?? 0) === generation,
  )
  const message = newestFirst(unhealthy)
    .map((condition) => `${condition.type}=${condition.status}`)
    .join(', ')
  return failed
    ? { type: types.root, status: 'False', reason: 'UnhealthyDependents', message }
    : { type: types.root, status: 'Unknown', reason: 'ReconcilingDependents', message }
}

/**
 * By transition. Times are stored in whole seconds: of those that changed in the same one, the one set last comes first, as Karpenter has
 * it while it still knows the time more precisely. What never changed stays in its order.
 */
function newestFirst(conditions: readonly Condition[]): readonly Condition[] {
  const changed = conditions.filter(({ status }) => status !== 'Unknown')
  const unchanged = conditions.filter(({ status }) => status === 'Unknown')
  return [...changed.toReversed(), ...unchanged].toSorted((a, b) => epochMs(b) - epochMs(a))
}

function isSame(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    (a.reason ?? '') === b.reason &&
    (a.message ?? '') === b.message &&
    (a.observedGeneration ?? 0) === b.observedGeneration &&
    a.lastTransitionTime === b.lastTransitionTime
  )
}

function sortedByTransition(conditions: readonly Condition[], root: string): Condition[] {
  return conditions.toSorted((a, b) => Number(a.type === root) - Number(b.type === root) || epochMs(a) - epochMs(b))
}

function withConditions<T extends Conditioned>(object: T, conditions: Condition[]): T {
  return { ...object, status: { ...object.status, conditions } }
}

function epochMs(condition: Condition): number {
  const parsed = Date.parse(condition.lastTransitionTime)
  return Number.isNaN(parsed) ? 0 : parsed
}
