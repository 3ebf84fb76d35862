import { compareText } from '../model/order.ts'
import type { BudgetMap } from './budgets.ts'
import { type Blocked, type Candidate, isStatic, poolName } from './candidates.ts'
import { isDrifted } from './drift.ts'
import type { DisruptionGate } from './gate.ts'
import { heldByBudget } from './held-by-budget.ts'

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

/** In the order in which they go, where policies ask for one. */
export function filterStaticDrifted(
  candidates: readonly Candidate[],
  inOrder?: DisruptionGate['driftOrder'],
): readonly Candidate[] {
  const drifted = candidates.filter((candidate) => isStatic(candidate.pool) && isDrifted(candidate))
  return inOrder?.(drifted) ?? drifted
}

/** Drifted nodes that wait for their pool's budget. */
export function heldStaticDrift(eligible: readonly Candidate[], budgets: BudgetMap): readonly Blocked[] {
  return [...Map.groupBy(eligible, poolName)].flatMap(([pool, candidates]) =>
    candidates.slice(budgets.get(pool)?.remaining ?? 0).map((candidate) => heldByBudget(candidate, 'Drifted')),
  )
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
