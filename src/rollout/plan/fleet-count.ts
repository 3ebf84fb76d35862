import { allowedDisruptions, countPoolNodes, type VoluntaryReason } from '../../disruption/budgets.ts'
import type { NodePool } from '../../api/karpenter.ts'
import type { StateNode } from '../../model/snapshot.ts'

/** Nodes per pool as disruption budgets count them, while replacements come and go. */
export class FleetCount {
  readonly #counts: Map<string, { total: number; disrupting: number; replacing: number }>
  /** By pool: nodes that were on their way out when the plan begins. */
  readonly #leaving: Map<string, number>

  /** Keys of the nodes that the disruption queue works on when the plan begins. */
  readonly #queued: ReadonlySet<string>

  constructor(nodes: readonly StateNode[], queued: ReadonlySet<string> = new Set()) {
    this.#counts = new Map([...countPoolNodes(nodes)].map(([pool, counts]) => [pool, { ...counts, replacing: 0 }]))
    this.#queued = queued
    for (const { key, nodePool } of nodes) if (queued.has(key)) this.#of(nodePool).replacing += 1
    this.#leaving = new Map(
      [...countPoolNodes(nodes.filter(({ markedForDeletion }) => markedForDeletion))].map(([pool, { total }]) => [
        pool,
        total,
      ]),
    )
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

  /** Without those that leave, of which a static pool thinks as gone. */
  active(pool: string): number {
    return this.total(pool) - (this.#leaving.get(pool) ?? 0)
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
    if (this.#queued.has(stateNode.key)) this.#of(stateNode.nodePool).replacing -= 1
    const counted = countPoolNodes([stateNode]).get(stateNode.nodePool)
    if (counted === undefined) return
    const counts = this.#of(stateNode.nodePool)
    counts.total -= counted.total
    counts.disrupting -= counted.disrupting
    this.#leaving.set(stateNode.nodePool, (this.#leaving.get(stateNode.nodePool) ?? 0) - counted.total)
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
