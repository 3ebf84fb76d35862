import { ConditionSet, ec2NodeClassConditions } from '../../api/conditions.ts'
import { sameWhenWritten } from '../../api/json.ts'
import type { EC2NodeClass, EC2NodeClassStatus } from '../../api/karpenter.ts'
import type { Condition } from '../../api/kubernetes.ts'

/**
 * A class while one reconcile changes its status. Setting a field to its present value keeps the same object, so memos keyed by identity
 * stay valid.
 */
export class NodeClassDraft {
  readonly conditions: ConditionSet
  readonly #before: EC2NodeClass
  readonly #unchanged: EC2NodeClassStatus
  #status: EC2NodeClassStatus
  #current: {
    readonly status: EC2NodeClassStatus
    readonly list: readonly Condition[]
    readonly nodeClass: EC2NodeClass
  }

  constructor(nodeClass: EC2NodeClass, options: { readonly reservedCapacity: boolean; readonly now: number }) {
    this.#before = nodeClass
    this.#unchanged = nodeClass.status ?? {}
    this.#status = this.#unchanged
    this.conditions = new ConditionSet(nodeClass, ec2NodeClassConditions(options), options.now)
    this.#current = { status: this.#status, list: nodeClass.status?.conditions ?? [], nodeClass }
  }

  /** With everything set so far. */
  get current(): EC2NodeClass {
    const status = this.#status
    const { list } = this.conditions
    if (this.#current.status !== status || this.#current.list !== list) {
      const isBefore = status === this.#unchanged && sameWhenWritten(list, this.#before.status?.conditions)
      const nodeClass = isBefore ? this.#before : { ...this.#before, status: { ...status, conditions: [...list] } }
      this.#current = { status, list, nodeClass }
    }
    return this.#current.nodeClass
  }

  /** Fields given as undefined are cleared. */
  set(fields: { readonly [K in keyof EC2NodeClassStatus]?: EC2NodeClassStatus[K] | undefined }): void {
    const known = new Map<string, unknown>(Object.entries(this.#status))
    if (Object.entries(fields).every(([name, value]) => sameWhenWritten(known.get(name), value))) return
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
  /** Type of the condition that it sets. */
  readonly condition: string
  /** Throwing means: try the whole class again, with back-off. The following steps run all the same. */
  run(draft: NodeClassDraft): Promise<StepOutcome>
}

export const minute = 60_000

export function again(afterMs: number): StepOutcome {
  return { kind: 'requeue', afterMs }
}
