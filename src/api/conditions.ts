import type { Condition, ObjectMeta } from './kubernetes.ts'
import { toTimestamp } from './time.ts'

/** Which conditions a kind's Ready sums up, in the order they are created. */
export interface ConditionTypes {
  readonly root: string
  readonly dependents: readonly string[]
}

/** Any object whose status carries conditions. */
export interface Conditioned {
  readonly metadata: Pick<ObjectMeta, 'creationTimestamp' | 'generation' | 'deletionTimestamp'>
  readonly status?: { readonly conditions?: readonly Condition[] }
}

export interface ConditionChange {
  readonly type: string
  readonly status: Condition['status']
  /** Default: the type for True, AwaitingReconciliation for Unknown. */
  readonly reason?: string
  /** Default: empty for True, "object is awaiting reconciliation" for Unknown. */
  readonly message?: string
}

export const conditionReady = 'Ready'
export const reasonAwaitingReconciliation = 'AwaitingReconciliation'
export const messageAwaitingReconciliation = 'object is awaiting reconciliation'

export const nodePoolConditions: ConditionTypes = {
  root: conditionReady,
  dependents: ['ValidationSucceeded', 'NodeClassReady'],
}
export const nodeClaimConditions: ConditionTypes = {
  root: conditionReady,
  dependents: ['Launched', 'Registered', 'Initialized'],
}
export const nodeOverlayConditions: ConditionTypes = { root: conditionReady, dependents: ['ValidationSucceeded'] }
/** The same lists for those who hold only the dependents. */
export const nodePoolDependents = nodePoolConditions.dependents
export const nodeClaimDependents = nodeClaimConditions.dependents

/** Capacity reservations count only while the feature gate ReservedCapacity is on, as it is by default. */
export function ec2NodeClassConditions(
  gates: { readonly reservedCapacity: boolean } = { reservedCapacity: true },
): ConditionTypes {
  const dependents = [
    'AMIsReady',
    'SubnetsReady',
    'SecurityGroupsReady',
    'InstanceProfileReady',
    'ValidationSucceeded',
    'PlacementGroupReady',
  ]
  return {
    root: conditionReady,
    dependents: gates.reservedCapacity ? [...dependents, 'CapacityReservationsReady'] : dependents,
  }
}

/** Of an EC2NodeClass: they tell what its selectors have found, and for which generation. */
export const lookupConditions = ['AMIsReady', 'SubnetsReady', 'SecurityGroupsReady'] as const

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

/*
 * The functions below return a new object, or the very object they were given when nothing changes. `now` is in milliseconds
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
    message: change.message ?? (change.status === 'Unknown' ? messageAwaitingReconciliation : ''),
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

/**
 * The conditions of one object while a reconcile changes several of them. Opening it adds what is missing; `list` is what to
 * store in the end.
 */
export class ConditionSet {
  readonly #types: ConditionTypes
  readonly #nowMs: number
  #object: Conditioned

  constructor(object: Conditioned, types: ConditionTypes, nowMs: number) {
    this.#types = types
    this.#nowMs = nowMs
    this.#object = initConditions(object, types, nowMs)
  }

  /** In the order in which they are stored. */
  get list(): readonly Condition[] {
    return this.#object.status?.conditions ?? []
  }

  get(type: string): Condition | undefined {
    return conditionOf(this.#object, type)
  }

  isTrue(type: string): boolean {
    return isConditionTrue(this.#object, type)
  }

  /** A missing condition counts as Unknown here. */
  isUnknown(type: string): boolean {
    return isConditionUnknown(this.#object, type)
  }

  setTrue(type: string, reason: string = type, message = ''): void {
    this.set(type, 'True', reason, message)
  }

  set(type: string, status: Condition['status'], reason: string, message: string): void {
    this.#object = setCondition(this.#object, this.#types, { type, status, reason, message }, this.#nowMs)
  }

  /** Marks the condition as still holding for the object's current generation. */
  refresh(type: string): void {
    const condition = this.get(type)
    if (condition !== undefined) this.set(type, condition.status, condition.reason ?? '', condition.message ?? '')
  }

  /** Only for independent types: the others are always there. */
  clear(type: string): void {
    this.#object = clearCondition(this.#object, this.#types, type, this.#nowMs)
  }
}
