import type { ConditionTypes } from './condition-types.ts'
import { type Conditioned, conditionOf, isConditionTrue, isConditionUnknown } from './reading.ts'
import type { Condition } from '../kubernetes.ts'
import { clearCondition, initConditions, setCondition } from './setting.ts'

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
