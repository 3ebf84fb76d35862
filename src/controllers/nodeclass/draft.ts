import { ConditionSet, ec2NodeClassConditions } from '../../api/conditions.ts'
import type { EC2NodeClass, EC2NodeClassStatus } from '../../api/karpenter.ts'
import { toTimestamp } from '../../model/clock.ts'

/** A class while one reconcile changes its status. */
export class NodeClassDraft {
  readonly conditions: ConditionSet
  readonly #before: EC2NodeClass
  #status: EC2NodeClassStatus

  constructor(nodeClass: EC2NodeClass, options: { readonly reservedCapacity: boolean; readonly now: number }) {
    const { dependents } = ec2NodeClassConditions(options)
    this.#before = nodeClass
    this.#status = { ...nodeClass.status }
    this.conditions = new ConditionSet(nodeClass, dependents, toTimestamp(options.now))
  }

  /** With everything set so far. */
  get current(): EC2NodeClass {
    return { ...this.#before, status: { ...this.#status, conditions: [...this.conditions.list] } }
  }

  /** Fields given as undefined are cleared. */
  set(fields: { readonly [K in keyof EC2NodeClassStatus]?: EC2NodeClassStatus[K] | undefined }): void {
    const entries = Object.entries({ ...this.#status, ...fields }).filter(([, value]) => value !== undefined)
    this.#status = Object.fromEntries(entries)
  }
}

/** What one step of a reconcile asks for afterwards. */
export type StepOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'requeue'; readonly afterMs: number }
  | { readonly kind: 'backOff' }

export interface Step {
  readonly name: string
  /** Throwing means: try the whole class again, with back-off. The following steps run all the same. */
  run(draft: NodeClassDraft): Promise<StepOutcome>
}

export const minute = 60_000

export function again(afterMs: number): StepOutcome {
  return { kind: 'requeue', afterMs }
}
