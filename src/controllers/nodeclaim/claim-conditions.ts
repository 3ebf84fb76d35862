import { clearCondition, conditionOf, initConditions, nodeClaimConditions, setCondition } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Condition } from '../../api/kubernetes.ts'

/** The conditions of one claim while it is worked on: opened when it is made, changed step by step, saved at the end. */
export class ClaimConditions {
  readonly #now: number
  #claim: NodeClaim

  /** `now` is in milliseconds since the epoch. */
  constructor(claim: NodeClaim, now: number) {
    this.#now = now
    this.#claim = initConditions(claim, nodeClaimConditions, now)
  }

  get list(): Condition[] {
    return this.#claim.status?.conditions ?? []
  }

  get(type: string): Condition | undefined {
    return conditionOf(this.#claim, type)
  }

  isTrue(type: string): boolean {
    return this.get(type)?.status === 'True'
  }

  /** A missing condition counts as Unknown here. */
  isUnknown(type: string): boolean {
    return (this.get(type)?.status ?? 'Unknown') === 'Unknown'
  }

  setTrue(type: string): void {
    this.#claim = setCondition(this.#claim, nodeClaimConditions, { type, status: 'True' }, this.#now)
  }

  set(type: string, status: Condition['status'], reason: string, message: string): void {
    this.#claim = setCondition(this.#claim, nodeClaimConditions, { type, status, reason, message }, this.#now)
  }

  /** Marks the condition as still holding for the claim's current generation. */
  refresh(type: string): void {
    const condition = this.get(type)
    if (condition !== undefined) this.set(type, condition.status, condition.reason ?? '', condition.message ?? '')
  }

  clear(type: string): void {
    this.#claim = clearCondition(this.#claim, nodeClaimConditions, type, this.#now)
  }
}
