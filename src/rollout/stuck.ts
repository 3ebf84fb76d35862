import { isZeroBudget } from '../api/budget-windows.ts'
import { conditionOf, conditionReady, isConditionTrue } from '../api/conditions.ts'
import type { NodeClaim, NodePool } from '../api/karpenter.ts'
import type { Node } from '../api/kubernetes.ts'
import { annotationTerminationTimestamp } from '../api/labels.ts'
import { parseTimestamp, toTimestamp } from '../model/clock.ts'
import { hasLostNode } from '../model/lost-node.ts'
import type { StalledCause } from './stalled.ts'
import { blockersOf, type CountedNode } from './status.ts'

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
  ['NodeLimit', 15 * minute],
  ['ExcessNodes', 15 * minute],
  ['PodDoNotDisrupt', 60 * minute],
  ['NodeDoNotDisrupt', 60 * minute],
  ['TerminationBlocked', 15 * minute],
  ['NotInitialized', 15 * minute],
  ['NoNode', 15 * minute],
  ['NodeNotReady', 15 * minute],
])

/** For so long a node may take to come up, or to come back: machines with accelerators need ten minutes, a restart a few. */
const readinessMs = 15 * minute

/** For so long a node may take to end before that counts as stuck: its pods may be jobs that nobody may disturb. */
const terminationMs = 60 * minute

/** The code of a budget that is used up, which passes, unless it never allows anything. */
const budgetExhausted = 'BudgetExhausted'

/** A budget that is always in force and lets no drifted node go. */
export function hasZeroBudget(pool: Pick<NodePool, 'spec'>): boolean {
  return (pool.spec.disruption?.budgets ?? []).some(
    (budget) =>
      isZeroBudget(budget) &&
      budget.schedule === undefined &&
      (budget.reasons === undefined || budget.reasons.includes('Drifted')),
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
 * Why a node that was deleted an hour ago is still there, or one whose `terminationGracePeriod` ended that long ago. Without such a period
 * it waits for its pods and volumes for ever, and its pool's budget counts it as long.
 */
export function terminationBlock(claim: NodeClaim, now: number): StalledCause | undefined {
  const { deletionTimestamp, annotations } = claim.metadata
  const deletedAt = parseTimestamp(deletionTimestamp)
  if (deletedAt === undefined) return undefined
  const dueAt = Math.max(deletedAt, parseTimestamp(annotations?.[annotationTerminationTimestamp]) ?? deletedAt)
  if (now - dueAt < terminationMs) return undefined
  return { reason: 'TerminationBlocked', message: `deleted at ${toTimestamp(deletedAt)}, ${awaitedBy(claim)}` }
}

/** By the conditions that its termination sets one after the other; one that no node came of has nothing to drain. */
function awaitedBy(claim: NodeClaim): string {
  const drained = conditionOf(claim, 'Drained')?.status
  if (isConditionTrue(claim, 'InstanceTerminating')) return 'its instance does not end'
  if (drained === undefined) return 'its termination has not begun'
  if (drained !== 'True') return 'pods do not leave it'
  return conditionOf(claim, 'VolumesDetached')?.status === 'Unknown'
    ? 'its volumes are not detached'
    : 'its instance does not end'
}

/** Why a claim whose Node was deleted beside it stays: disruption never takes what has no Node, and its machine does not end by itself. */
export function lostNodeBlock(claim: NodeClaim, node: Node | undefined, now: number): StalledCause | undefined {
  if (!hasLostNode({ node, nodeClaim: claim }, now)) return undefined
  const { name } = claim.metadata
  return {
    reason: 'NoNode',
    message: `its Node was deleted while its machine runs on: disruption does not take it; delete NodeClaim ${name}`,
  }
}

/** Why a node that has joined has never been in service. Disruption never takes such a node, and nothing else ends it. */
export function initializationBlock(claim: NodeClaim, now: number): StalledCause | undefined {
  const registered = conditionOf(claim, 'Registered')
  if (registered?.status !== 'True' || isConditionTrue(claim, 'Initialized') || isGoing(claim)) return undefined
  const since = parseTimestamp(registered.lastTransitionTime)
  if (since === undefined || now - since < readinessMs) return undefined
  const why = conditionOf(claim, 'Initialized')?.message ?? ''
  const message =
    `registered at ${toTimestamp(since)} and not initialized since${why === '' ? '' : ` (${why})`}: disruption does not take it; ` +
    `mend it, or delete NodeClaim ${claim.metadata.name}`
  return { reason: 'NotInitialized', message }
}

/** Why a node that was in service is not: budgets count it as long. */
export function readinessBlock(claim: NodeClaim, node: Node, now: number): StalledCause | undefined {
  const ready = conditionOf(node, conditionReady)
  if (ready?.status === 'True' || !isConditionTrue(claim, 'Initialized') || isGoing(claim)) return undefined
  const since = parseTimestamp(ready?.lastTransitionTime)
  if (since === undefined || now - since < readinessMs) return undefined
  const message =
    `not ready since ${toTimestamp(since)}, and the budget counts it: ` +
    `mend it, or delete NodeClaim ${claim.metadata.name}`
  return { reason: 'NodeNotReady', message }
}

function isGoing({ metadata }: NodeClaim): boolean {
  return metadata.deletionTimestamp !== undefined
}

/**
 * Of a pool whose outdated nodes have stood still: what they wait for, once that has taken longer than it should. Nothing while one of
 * them is on its way. A budget that is used up passes, unless what uses it lingers.
 */
export function stuckCauses(
  nodes: readonly CountedNode[],
  { stillSince, now }: { readonly stillSince: number; readonly now: number },
): readonly StalledCause[] {
  const outdated = nodes.filter((node) => node.outdated !== undefined)
  if (outdated.length === 0) return []
  const lingering = nodes.filter(({ lingers }) => lingers !== undefined)
  const isStuck = (reason: string): boolean =>
    patienceMs.has(reason) || (reason === budgetExhausted && lingering.length > 0)
  const waiting = outdated.filter(({ blocked }) => blocked !== undefined && isStuck(blocked.reason))
  if (waiting.length < outdated.length) return []
  // What the budget is used up by is told in the place of the nodes that wait for it.
  const held = waiting.filter(({ blocked }) => blocked?.reason !== budgetExhausted)
  const causes = blockersOf(
    held.length === waiting.length
      ? held
      : [
          ...held.filter(({ lingers }) => lingers === undefined),
          ...lingering.map(({ name, lingers }) => ({ name, blocked: lingers })),
        ],
  )
  const patience = causes.map(({ reason }) => patienceMs.get(reason) ?? 0)
  if (now - stillSince < Math.max(...patience)) return []
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
