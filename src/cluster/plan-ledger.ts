import type { NodePool } from '../api/karpenter.ts'

/** What a plan rests on beside its snapshot; taken together with it, and of use for the claims of that plan alone. */
export interface PlanBasis {
  readonly marksTakenBack: number
  /** Claims begun so far, by pool; the plan's own are added. */
  readonly begun: Map<string, number>
}

/**
 * Tells plans that do not hold any more. Two loops plan new nodes, provisioning and disruption, each on a snapshot: what one begins
 * after the snapshot of the other takes room under the pool's limits that the other counts on, too; and a node that was to go may stay.
 */
export class PlanLedger {
  #marksTakenBack = 0
  readonly #begun = new Map<string, number>()

  basis(): PlanBasis {
    return { marksTakenBack: this.#marksTakenBack, begun: new Map(this.#begun) }
  }

  markTakenBack(): void {
    this.#marksTakenBack += 1
  }

  /** Counts a claim that is about to be written. A text says why it must not be: its plan does not hold any more. */
  begin(pool: NodePool, basis: PlanBasis): string | undefined {
    const { name } = pool.metadata
    if (basis.marksTakenBack !== this.#marksTakenBack) return 'a node that was to go stays'
    const begun = this.#begun.get(name) ?? 0
    const known = basis.begun.get(name) ?? 0
    if (begun !== known && Object.keys(pool.spec.limits ?? {}).length > 0)
      return `another plan takes room under the limits of nodepool ${name}`
    this.#begun.set(name, begun + 1)
    basis.begun.set(name, known + 1)
    return undefined
  }
}
