import type { NodePool } from '../api/karpenter.ts'

/** What a plan rests on beside its snapshot; taken before it, and of use for the claims of that plan alone. */
export interface PlanBasis {
  readonly marksTakenBack: number
  /** Claims that the snapshot knows of, by pool, counted since the start; the plan's own are added as they begin. */
  readonly claims: Map<string, number>
  /** Pools with a claim that was not launched yet: what it holds is in no snapshot. */
  readonly launching: ReadonlySet<string>
}

/**
 * Tells plans that do not hold any more. Two loops plan new nodes, provisioning and disruption, each on a snapshot: what one begins
 * and the snapshot of the other does not show takes room under the pool's limits that the other counts on, too; and a node that was to
 * go may stay.
 */
export class PlanLedger {
  #marksTakenBack = 0
  readonly #begun = new Map<string, number>()
  /** Of those begun: written and observed, or given up. */
  readonly #settled = new Map<string, number>()
  readonly #launching: () => Iterable<string>

  /** @param launching the pools of claims that are not launched yet, as the cluster state knows them */
  constructor(launching: () => Iterable<string> = () => []) {
    this.#launching = launching
  }

  basis(): PlanBasis {
    return {
      marksTakenBack: this.#marksTakenBack,
      claims: new Map(this.#settled),
      launching: new Set(this.#launching()),
    }
  }

  markTakenBack(): void {
    this.#marksTakenBack += 1
  }

  /**
   * Counts a claim that is about to be written; `settle` follows in any case. A text says why it must not be written: its plan does not
   * hold any more, and nothing was counted.
   */
  begin(pool: NodePool, basis: PlanBasis): string | undefined {
    const stale = this.whyStale([pool], basis)
    if (stale !== undefined) return stale
    const { name } = pool.metadata
    this.#begun.set(name, (this.#begun.get(name) ?? 0) + 1)
    basis.claims.set(name, (basis.claims.get(name) ?? 0) + 1)
    return undefined
  }

  /** What `begin` would say now of a plan with claims of these pools, or with none at all; nothing is counted. */
  whyStale(pools: Iterable<NodePool>, basis: PlanBasis): string | undefined {
    if (basis.marksTakenBack !== this.#marksTakenBack) return 'a node that was to go stays'
    for (const pool of pools) {
      const reason = this.#whyNoRoom(pool, basis)
      if (reason !== undefined) return reason
    }
    return undefined
  }

  #whyNoRoom({ metadata: { name }, spec }: NodePool, basis: PlanBasis): string | undefined {
    const begun = this.#begun.get(name) ?? 0
    const known = basis.claims.get(name) ?? 0
    const isLimited = Object.keys(spec.limits ?? {}).length > 0
    if (isLimited && begun !== known) return `another plan takes room under the limits of nodepool ${name}`
    // A pass begins only when all is launched, but a consolidation is validated after a wait, in which more may be ordered.
    if (isLimited && basis.launching.has(name)) {
      return `a node claim of nodepool ${name} was not launched yet, so what its limits leave was not known`
    }
    return undefined
  }

  /** The claim that began is in the cluster state, or it was not written. */
  settle(pool: NodePool): void {
    const { name } = pool.metadata
    this.#settled.set(name, (this.#settled.get(name) ?? 0) + 1)
  }
}
