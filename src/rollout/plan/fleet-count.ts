import { allowedDisruptions, countPoolNodes, type VoluntaryReason } from '../../disruption/budgets.ts'
import type { NodePool } from '../../api/karpenter.ts'
import type { StateNode } from '../../model/snapshot.ts'

/** Nodes per pool as disruption budgets count them, while replacements come and go. */
export class FleetCount {
  readonly #counts: Map<string, { total: number; disrupting: number; replacing: number }>

  constructor(nodes: readonly StateNode[]) {
    this.#counts = new Map([...countPoolNodes(nodes)].map(([pool, counts]) => [pool, { ...counts, replacing: 0 }]))
  }

  /** How many more of the pool's nodes its own budgets let go at this moment. */
  remaining(pool: NodePool, reason: VoluntaryReason, now: number): number {
    const { total, disrupting } = this.#of(pool.metadata.name)
    const value = allowedDisruptions(pool, reason, total, now)
    return value.kind === 'allowed' ? Math.max(value.nodes - disrupting, 0) : 0
  }

  total(pool: string): number {
    return this.#of(pool).total
  }

  disrupting(pool: string): number {
    return this.#of(pool).disrupting
  }

  /** Replacements under way, from the decision until the old node is gone. */
  replacing(pool: string): number {
    return this.#of(pool).replacing
  }

  started(pool: string, as: 'replaced' | 'removed'): void {
    const counts = this.#of(pool)
    counts.disrupting += 1
    if (as === 'replaced') counts.replacing += 1
  }

  /** New nodes count once they are initialized. */
  ready(pool: string): void {
    this.#of(pool).total += 1
  }

  gone(pool: string, as: 'replaced' | 'removed'): void {
    const counts = this.#of(pool)
    counts.total -= 1
    counts.disrupting -= 1
    if (as === 'replaced') counts.replacing -= 1
  }

  /** One that was on its way out when the plan begins is gone. */
  left(stateNode: StateNode): void {
    const counted = countPoolNodes([stateNode]).get(stateNode.nodePool)
    if (counted === undefined) return
    const counts = this.#of(stateNode.nodePool)
    counts.total -= counted.total
    counts.disrupting -= counted.disrupting
  }

  #of(pool: string) {
    let counts = this.#counts.get(pool)
    if (counts === undefined) {
      counts = { total: 0, disrupting: 0, replacing: 0 }
      this.#counts.set(pool, counts)
    }
    return counts
  }
}
