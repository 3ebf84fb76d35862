import { conditionOf } from '../../api/conditions.ts'
import type { NodePool } from '../../api/karpenter.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import { consolidationPatienceMs, triesAgainAt } from '../../disruption/circuit-breaker.ts'
import type { Hold } from '../../disruption/gate.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'

/** What the conditions of a pool show of an open circuit breaker, its own or that of all pools. Empty nodes go all the same. */
export function breakerHold(
  pool: NodePool,
  reason: VoluntaryReason,
  { now, nodes }: Pick<Snapshot, 'now' | 'nodes'>,
): Hold | undefined {
  const message = reason === 'Empty' ? undefined : openBreakerText(pool)
  if (message === undefined) return undefined
  const tries = new RegExp(String.raw`(?<=${triesAgainAt} )[^\s;]+`)
  const retryAt = parseTimestamp(tries.exec(message)?.[0])
  if (retryAt === undefined) return { code: 'CircuitOpen', message }
  const patienceMs = reason === 'Underutilized' ? consolidationPatienceMs : 0
  const isHeld =
    now < retryAt + patienceMs || nodes.some((node) => node.nodePool === pool.metadata.name && isTried(node))
  return isHeld
    ? { code: 'CircuitOpen', message: message.replace(tries, toTimestamp(retryAt + patienceMs)) }
    : undefined
}

function openBreakerText(pool: NodePool): string | undefined {
  const own = conditionOf(pool, 'CircuitOpen')
  if (own?.status === 'True') return own.message ?? ''
  const stalled = conditionOf(pool, 'Stalled')
  return stalled?.status === 'True' && stalled.reason === 'CircuitOpen' ? (stalled.message ?? '') : undefined
}

/** A node that comes up, or one that goes for it: the next one waits until it is known how it fares. */
function isTried({ nodeClaim, initialized, markedForDeletion }: StateNode): boolean {
  if (nodeClaim === undefined) return false
  return markedForDeletion ? conditionOf(nodeClaim, 'DisruptionReason')?.status === 'True' : !initialized
}
