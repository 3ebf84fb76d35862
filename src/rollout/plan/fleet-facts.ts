import { conditionOf, isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import { labelZone } from '../../api/labels.ts'
import { parseTimestamp } from '../../model/clock.ts'
import type { StateNode } from '../../model/snapshot.ts'
import type { NodeFacts } from '../engine/index.ts'

/** The NodeClaims of a plan's fleet in the rollout engine's terms, while nodes go and others come. */
export class FleetFacts {
  /** By pool, then by claim. */
  readonly #pools = new Map<string, Map<string, NodeFacts>>()

  /** Those that drift say so in their conditions. */
  constructor(nodes: readonly StateNode[]) {
    for (const node of nodes) if (node.nodeClaim !== undefined) this.#put(node.nodePool, toFacts(node, node.nodeClaim))
  }

  of(pool: string): readonly NodeFacts[] {
    return [...(this.#pools.get(pool)?.values() ?? [])]
  }

  node(pool: string, claim: string): NodeFacts | undefined {
    return this.#pools.get(pool)?.get(claim)
  }

  /** `newNodes`: pools of the nodes that come instead. */
  started(
    pool: string,
    claim: string,
    { now, newNodes }: { readonly now: number; readonly newNodes: readonly string[] },
  ): void {
    const facts = this.node(pool, claim)
    if (facts === undefined) return
    this.#put(pool, { ...facts, going: true, goingForDrift: true })
    for (const [index, target] of newNodes.entries()) {
      this.#put(target, {
        ...facts,
        name: successorOf(claim, index),
        // What comes with a rollout is not one of the nodes that were there when it began; times have whole seconds.
        createdAt: now + 1_000,
        drift: undefined,
        launched: false,
        initialized: false,
        ready: false,
      })
    }
  }

  removed(pool: string, claim: string): void {
    const facts = this.node(pool, claim)
    if (facts !== undefined) this.#put(pool, { ...facts, going: true })
  }

  /** What comes for a claim is initialized. */
  ready(claim: string, newNodes: readonly string[]): void {
    for (const [index, pool] of newNodes.entries()) {
      const facts = this.node(pool, successorOf(claim, index))
      if (facts !== undefined) this.#put(pool, { ...facts, launched: true, initialized: true, ready: true })
    }
  }

  gone(pool: string, claim: string): void {
    this.#pools.get(pool)?.delete(claim)
  }

  #put(pool: string, facts: NodeFacts): void {
    const known = this.#pools.get(pool)
    if (known === undefined) this.#pools.set(pool, new Map([[facts.name, facts]]))
    else known.set(facts.name, facts)
  }
}

function successorOf(claim: string, index: number): string {
  return `${claim}-next-${index}`
}

/** What ails a node today is no part of the change. */
function toFacts({ labels, markedForDeletion }: StateNode, claim: NodeClaim): NodeFacts {
  const reason = conditionOf(claim, 'DisruptionReason')
  return {
    name: claim.metadata.name,
    createdAt: parseTimestamp(claim.metadata.creationTimestamp) ?? 0,
    zone: labels[labelZone] ?? '',
    labels,
    drift: isConditionTrue(claim, 'Drifted') ? conditionOf(claim, 'Drifted')?.reason : undefined,
    driftedAt: undefined,
    image: claim.status?.imageID,
    launched: true,
    initialized: true,
    hostsPods: false,
    isKept: false,
    ready: true,
    unreadyFrom: undefined,
    going: markedForDeletion,
    goingForDrift: markedForDeletion && reason?.status === 'True' && reason.reason === 'Drifted',
    goingUntold: false,
    interrupted: false,
    brokeDown: false,
    blocked: undefined,
    unreadyPods: 0,
    unreadySince: undefined,
    unreadyMadeAt: undefined,
  }
}
