import type { NodePool } from '../api/karpenter.ts'
import { compareText } from '../model/order.ts'
import type { StateNode } from '../model/snapshot.ts'
import type { BudgetMap } from './budgets.ts'
import { type Blocked, type Candidate, isStatic, poolName } from './candidates.ts'
import { isDrifted } from './drift.ts'
import type { DisruptionGate } from './gate.ts'
import { heldByBudget } from './held-by-budget.ts'
import { nodeLimitOf } from './static-capacity.ts'

/** How many claims a static pool has now, by what becomes of them. */
export interface StaticPoolCounts {
  readonly active: number
  readonly pendingDisruption: number
}

/** A pool's drifted nodes that may go in this pass, each for one replacement made from the bare template. */
export interface StaticDriftWish {
  readonly pool: string
  /** As many as the budget allows; the node limit may grant fewer. */
  readonly candidates: readonly Candidate[]
}

/** In the order in which they go, where policies ask for one. A pool that is being deleted gets no replacements. */
export function filterStaticDrifted(
  candidates: readonly Candidate[],
  inOrder?: DisruptionGate['driftOrder'],
): readonly Candidate[] {
  const drifted = candidates.filter(
    (candidate) =>
      isStatic(candidate.pool) && candidate.pool.metadata.deletionTimestamp === undefined && isDrifted(candidate),
  )
  return inOrder?.(drifted) ?? drifted
}

/**
 * Drifted nodes that wait for their pool's budget, for it to scale down, or for its node limit, which `granted` so many of each pool that
 * asked.
 */
export function heldStaticDrift(
  eligible: readonly Candidate[],
  budgets: BudgetMap,
  counts: ReadonlyMap<string, StaticPoolCounts>,
  granted: ReadonlyMap<string, number>,
): readonly Blocked[] {
  return [...Map.groupBy(eligible, poolName)].flatMap(([pool, candidates]) => {
    const room = budgets.get(pool)?.remaining ?? 0
    const withinBudget = candidates.slice(0, room)
    return [
      ...withinBudget.flatMap((candidate) => heldByExcess(candidate, counts) ?? []),
      ...withinBudget.slice(granted.get(pool) ?? room).map(heldByNodeLimit),
      ...candidates.slice(room).map((candidate) => heldByBudget(candidate, 'Drifted')),
    ]
  })
}

/** A replacement under way, beside the node that goes for it, is no excess: that passes by itself. */
export function heldByExcess(
  { stateNode, pool }: Candidate,
  counts: ReadonlyMap<string, StaticPoolCounts>,
): Blocked | undefined {
  const { active = 0 } = counts.get(pool.metadata.name) ?? {}
  if (active <= (pool.spec.replicas ?? 0)) return undefined
  return { stateNode, code: 'ExcessNodes', message: excessText(pool), reported: 'silently' }
}

/** Told of each node where somebody asks, as what a budget holds is. */
export function heldByNodeLimit({ stateNode, pool }: Candidate): Blocked {
  return { stateNode, code: 'NodeLimit', message: nodeLimitText(pool), reported: 'silently' }
}

export function nodeLimitText({ metadata, spec }: NodePool): string {
  return `limits.nodes of NodePool ${metadata.name} leaves no room for a replacement beside its ${spec.replicas ?? 0} replicas`
}

export function excessText({ metadata, spec }: NodePool): string {
  return `NodePool ${metadata.name} has more nodes than its ${spec.replicas ?? 0} replicas: none of them is replaced before it has scaled down`
}

/** As far as a snapshot tells: which of those on their way out are being replaced it does not say. */
export function staticCounts(nodes: readonly StateNode[]): ReadonlyMap<string, StaticPoolCounts> {
  const active = nodes.filter(({ nodeClaim, markedForDeletion }) => nodeClaim !== undefined && !markedForDeletion)
  const byPool = [...Map.groupBy(active, ({ nodePool }) => nodePool)]
  return new Map(byPool.map(([pool, ofPool]) => [pool, { active: ofPool.length, pendingDisruption: 0 }]))
}

/** How many replacements `limits.nodes` leaves room for beside the claims that a pool has, those on their way out included. */
export function replacementRoom(pool: NodePool, nodes: readonly StateNode[]): number {
  const { name } = pool.metadata
  const held = nodes.filter(({ nodePool, nodeClaim }) => nodePool === name && nodeClaim !== undefined).length
  return Math.max(0, nodeLimitOf(pool) - held)
}

/** Pools that have more claims than they should are left to scale down first. */
export function decideStaticDrift(
  eligible: readonly Candidate[],
  budgets: BudgetMap,
  counts: ReadonlyMap<string, StaticPoolCounts>,
): readonly StaticDriftWish[] {
  const byPool = Map.groupBy(eligible, poolName)
  const wishes: StaticDriftWish[] = []
  for (const pool of [...byPool.keys()].toSorted(compareText)) {
    const candidates = byPool.get(pool) ?? []
    const room = staticDriftRoom(pool, budgets, counts)
    if (room > 0) wishes.push({ pool, candidates: candidates.slice(0, room) })
  }
  return wishes
}

/** How many of the pool's nodes may go in this pass. */
export function staticDriftRoom(
  pool: string,
  budgets: BudgetMap,
  counts: ReadonlyMap<string, StaticPoolCounts>,
): number {
  const budget = budgets.get(pool)
  const { active = 0, pendingDisruption = 0 } = counts.get(pool) ?? {}
  return active + pendingDisruption > (budget?.pool.spec.replicas ?? 0) ? 0 : (budget?.remaining ?? 0)
}
