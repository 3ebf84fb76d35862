import type { Condition, Node } from '../api/kubernetes.ts'
import { parseTimestamp } from '../model/clock.ts'

/** A node condition that the cloud provider says a machine does not recover from by itself. */
export interface RepairRule {
  readonly conditionType: string
  readonly conditionStatus: Condition['status']
  readonly tolerationMs: number
}

export type RepairDecision =
  | { readonly kind: 'healthy' }
  /** Unhealthy, but not yet for long enough. */
  | { readonly kind: 'tolerated'; readonly remainingMs: number }
  /** Too many nodes are unhealthy: more likely the signal is wrong, or the cause is not in the nodes. */
  | { readonly kind: 'blocked'; readonly unhealthy: number; readonly nodes: number }
  | { readonly kind: 'repair'; readonly conditionType: string }

type Transition = Partial<Pick<Condition, 'type' | 'status' | 'lastTransitionTime'>>
type NodeHealth = Pick<Node, 'status'>

/** One in this many nodes of a pool (or of the cluster, for nodes of no pool) may be unhealthy, rounded up, before repair stops. */
const nodesPerUnhealthy = 5

/** `peers` gives the nodes that the circuit breaker counts, the node itself included. */
export function decideRepair(
  node: NodeHealth,
  rules: readonly RepairRule[],
  {
    now,
    peers,
    sinceOf = ({ lastTransitionTime }) => Math.min(parseTimestamp(lastTransitionTime) ?? now, now),
  }: {
    readonly now: number
    readonly peers: () => readonly NodeHealth[]
    /** When a condition became what it is; by default what it says, and now where it does not say so or is ahead of the clock. */
    readonly sinceOf?: (condition: Transition) => number
  },
): RepairDecision {
  const due = earliestDue(node, rules, sinceOf)
  if (due === undefined) return { kind: 'healthy' }
  if (now < due.at) return { kind: 'tolerated', remainingMs: due.at - now }
  const counted = peers()
  const unhealthy = counted.filter((peer) => earliestDue(peer, rules, () => now) !== undefined).length
  if (unhealthy > Math.ceil(counted.length / nodesPerUnhealthy)) {
    return { kind: 'blocked', unhealthy, nodes: counted.length }
  }
  return { kind: 'repair', conditionType: due.conditionType }
}

/** Whether a change of a node can matter: a condition came, went, or moved. */
export function conditionsMoved(before: NodeHealth, after: NodeHealth): boolean {
  const now = after.status?.conditions ?? []
  const old = before.status?.conditions ?? []
  if (now.length !== old.length) return true
  return old.some((condition) => {
    const same = now.find((candidate) => candidate.type === condition.type)
    return (
      same === undefined || same.status !== condition.status || same.lastTransitionTime !== condition.lastTransitionTime
    )
  })
}

function earliestDue(
  node: NodeHealth,
  rules: readonly RepairRule[],
  sinceOf: (condition: Transition) => number,
): { readonly conditionType: string; readonly at: number } | undefined {
  let earliest: { conditionType: string; at: number } | undefined
  for (const rule of rules) {
    const condition = node.status?.conditions?.find((candidate) => candidate.type === rule.conditionType)
    if (condition?.status !== rule.conditionStatus) continue
    const at = sinceOf(condition) + rule.tolerationMs
    if (earliest === undefined || at < earliest.at) earliest = { conditionType: rule.conditionType, at }
  }
  return earliest
}
