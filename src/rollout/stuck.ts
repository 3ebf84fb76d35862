import type { NodePool } from '../api/karpenter.ts'
import type { StalledCause } from './stalled.ts'
import { countNodes, type CountedNode } from './status.ts'

const minute = 60_000

/**
 * How long nothing may move before what blocks the nodes counts as stuck, by the code that explain shows. Pods that must not be disturbed
 * have more time: to end is what they are for. Not named: states that pass, and what a policy, a pause or the breaker says for itself.
 */
const patienceMs: ReadonlyMap<string, number> = new Map([
  ['PDBBlocked', 15 * minute],
  ['MultiplePDBs', 15 * minute],
  ['PodsWouldNotSchedule', 15 * minute],
  ['BudgetIsZero', 15 * minute],
  ['PodDoNotDisrupt', 60 * minute],
  ['NodeDoNotDisrupt', 60 * minute],
])

/** The code of a budget that is used up, which passes, unless it never allows anything. */
const budgetExhausted = 'BudgetExhausted'

/** A budget that is always in force and lets no drifted node go. */
export function hasZeroBudget(pool: Pick<NodePool, 'spec'>): boolean {
  return (pool.spec.disruption?.budgets ?? []).some(
    ({ nodes, schedule, reasons }) =>
      schedule === undefined && /^0+%?$/.test(nodes) && (reasons === undefined || reasons.includes('Drifted')),
  )
}

/** The node's block with a budget that never opens told apart from one that others use at the moment. */
export function withZeroBudget(node: CountedNode, isZero: boolean): CountedNode {
  if (!isZero || node.blocked?.reason !== budgetExhausted) return node
  return {
    ...node,
    blocked: { reason: 'BudgetIsZero', message: 'A disruption budget without a schedule allows no node' },
  }
}

/**
 * Of a pool whose outdated nodes have stood still: what they wait for, once that has taken longer than it should. Nothing while one of
 * them is on its way.
 */
export function stuckCauses(
  nodes: readonly CountedNode[],
  { stillSince, now }: { readonly stillSince: number; readonly now: number },
): readonly StalledCause[] {
  const outdated = nodes.filter((node) => node.outdated !== undefined)
  if (outdated.length === 0 || outdated.some(({ going, blocked }) => going || blocked === undefined)) return []
  const causes = countNodes(outdated).blockedBy.filter(({ reason }) => patienceMs.has(reason))
  const patience = causes.map(({ reason }) => patienceMs.get(reason) ?? 0)
  const isAll = causes.reduce((sum, cause) => sum + cause.nodes, 0) === outdated.length
  if (!isAll || now - stillSince < Math.max(...patience)) return []
  return causes.map(({ reason, nodes: count, message }) => ({
    reason,
    message: `${count} node(s) blocked: ${message}`,
  }))
}

/** What has to change for a pool's rollout to count as moving: which of its nodes are outdated, and which of these are going. */
export function movementOf(nodes: readonly CountedNode[]): string {
  return nodes
    .filter(({ outdated }) => outdated !== undefined)
    .map(({ name, going }) => (going ? `${name}!` : name))
    .toSorted()
    .join(' ')
}

/** Whether a Stalled condition with this reason came from here. */
export function isStuckReason(reason: string): boolean {
  return patienceMs.has(reason)
}
