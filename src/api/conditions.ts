import type { Condition, ObjectMeta } from './kubernetes.ts'

/** An object whose status holds conditions under one root, `Ready`. */
export interface ConditionedObject {
  readonly metadata: Pick<ObjectMeta, 'generation' | 'creationTimestamp' | 'deletionTimestamp'>
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** The types that decide about `Ready`, in declared order. Every other type is independent of it. */
export const nodeClaimDependents: readonly string[] = ['Launched', 'Registered', 'Initialized']
export const nodePoolDependents: readonly string[] = ['ValidationSucceeded', 'NodeClassReady']
export const nodeOverlayDependents: readonly string[] = ['ValidationSucceeded']

const root = 'Ready'

/**
 * A working copy of an object's conditions that follows Karpenter's rules for setting them (api.md §8.1). Opening it adds the root
 * and the dependents that are missing. `now` is RFC 3339.
 */
export class ConditionSet {
  readonly #object: ConditionedObject
  readonly #dependents: readonly string[]
  readonly #now: string
  #conditions: Condition[]

  constructor(object: ConditionedObject, dependents: readonly string[], now: string) {
    this.#object = object
    this.#dependents = dependents
    this.#now = now
    this.#conditions = (object.status?.conditions ?? []).map((condition) => ({ ...condition }))
    for (const type of [root, ...dependents]) {
      if (this.get(type) !== undefined) continue
      this.#conditions.push({
        type,
        status: 'Unknown',
        reason: 'AwaitingReconciliation',
        message: 'object is awaiting reconciliation',
        lastTransitionTime: object.metadata.creationTimestamp,
        ...this.#observed(),
      })
    }
  }

  /** In the order in which they are stored. */
  get list(): readonly Condition[] {
    return this.#conditions
  }

  get(type: string): Condition | undefined {
    return this.#conditions.find((condition) => condition.type === type)
  }

  isTrue(type: string): boolean {
    return this.get(type)?.status === 'True'
  }

  /** A missing condition counts as Unknown here. */
  isUnknown(type: string): boolean {
    return (this.get(type)?.status ?? 'Unknown') === 'Unknown'
  }

  setTrue(type: string, reason: string = type, message = ''): void {
    this.set(type, 'True', reason, message)
  }

  set(type: string, status: Condition['status'], reason: string, message: string): void {
    this.#put(type, status, reason, message)
    if (type !== root) this.#recomputeRoot()
  }

  /** Marks the condition as still holding for the object's current generation. */
  refresh(type: string): void {
    const condition = this.get(type)
    if (condition !== undefined) this.set(type, condition.status, condition.reason ?? '', condition.message ?? '')
  }

  /** Only for independent types: the others are always there. */
  clear(type: string): void {
    if (type === root || this.#dependents.includes(type)) throw new Error(`condition ${type} cannot be cleared`)
    if (this.get(type) === undefined) return
    this.#conditions = this.#conditions
      .filter((condition) => condition.type !== type)
      .toSorted((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0))
  }

  #put(type: string, status: Condition['status'], reason: string, message: string): void {
    const known = this.get(type)
    const next: Condition = {
      type,
      status,
      reason,
      message,
      lastTransitionTime: known?.status === status ? known.lastTransitionTime : this.#transitionTime(type, known),
      ...this.#observed(),
    }
    if (
      known?.status === status &&
      (known.reason ?? '') === reason &&
      (known.message ?? '') === message &&
      known.observedGeneration === next.observedGeneration
    ) {
      return
    }
    const others = this.#conditions.filter((condition) => condition.type !== type)
    if (this.#object.metadata.deletionTimestamp !== undefined) {
      for (const other of others) Object.assign(other, this.#observed())
    }
    this.#conditions = [...others, next].toSorted(
      (a, b) =>
        Number(a.type === root) - Number(b.type === root) ||
        Date.parse(a.lastTransitionTime) - Date.parse(b.lastTransitionTime),
    )
  }

  #transitionTime(type: string, known: Condition | undefined): string {
    const expected = type === root || this.#dependents.includes(type)
    return known === undefined && expected ? this.#object.metadata.creationTimestamp : this.#now
  }

  #recomputeRoot(): void {
    const { generation } = this.#object.metadata
    const unhealthy = this.#dependents
      .flatMap((type) => this.get(type) ?? [])
      .filter((condition) => condition.status !== 'True' || condition.observedGeneration !== generation)
      .toSorted((a, b) => Date.parse(b.lastTransitionTime) - Date.parse(a.lastTransitionTime))
    if (unhealthy.length === 0) return this.#put(root, 'True', root, '')
    const failed = unhealthy.some(
      (condition) => condition.status === 'False' && condition.observedGeneration === generation,
    )
    this.#put(
      root,
      failed ? 'False' : 'Unknown',
      failed ? 'UnhealthyDependents' : 'ReconcilingDependents',
      unhealthy.map((condition) => `${condition.type}=${condition.status}`).join(', '),
    )
  }

  #observed(): { observedGeneration?: number } {
    const { generation } = this.#object.metadata
    return generation === undefined ? {} : { observedGeneration: generation }
  }
}
