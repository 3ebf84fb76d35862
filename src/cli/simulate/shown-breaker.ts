import { conditionOf } from '../../api/conditions.ts'
import type { NodePool } from '../../api/karpenter.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import {
  consolidationPatienceMs,
  spacesLaunches,
  stageOfReason,
  triesAgainAt,
} from '../../disruption/circuit-breaker.ts'
import type { Hold } from '../../disruption/gate.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { withHeldPools } from '../../model/held-pools.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'

/** What the conditions of a pool show of an open circuit breaker, its own or that of all pools. Empty nodes go all the same. */
export function breakerHold(
  pool: NodePool,
  reason: VoluntaryReason,
  { now, nodes }: Pick<Snapshot, 'now' | 'nodes'>,
): Hold | undefined {
  const open = reason === 'Empty' ? undefined : openBreaker(pool)
  if (open === undefined) return undefined
  const { message, retryAt } = open
  if (retryAt === undefined) return { code: 'CircuitOpen', message }
  const patienceMs = reason === 'Underutilized' ? consolidationPatienceMs : 0
  const isHeld =
    now < retryAt + patienceMs || nodes.some((node) => node.nodePool === pool.metadata.name && isTried(node))
  return isHeld
    ? { code: 'CircuitOpen', message: message.replace(tries, toTimestamp(retryAt + patienceMs)) }
    : undefined
}

/** The snapshot as launches are planned on it: a pool opens no node while its breaker is open, or while the one that tries comes up. */
export function withoutBarredPools(snapshot: Snapshot): Snapshot {
  const held = snapshot.nodePools.flatMap((pool) => {
    const because = whyBarred(pool, snapshot)
    return because === undefined ? [] : [[pool.metadata.name, because] as const]
  })
  return withHeldPools(snapshot, new Map(held))
}

function whyBarred(pool: NodePool, { now, nodes }: Pick<Snapshot, 'now' | 'nodes'>): string | undefined {
  const open = openBreaker(pool)
  if (open === undefined || !open.spacesLaunches) return undefined
  const { message, retryAt = Number.POSITIVE_INFINITY, since } = open
  const isTrying = nodes.some(
    ({ nodePool, nodeClaim, initialized }) =>
      nodePool === pool.metadata.name &&
      !initialized &&
      (parseTimestamp(nodeClaim?.metadata.creationTimestamp) ?? Number.NEGATIVE_INFINITY) >= since,
  )
  return now < retryAt || isTrying ? message : undefined
}

interface ShownBreaker {
  readonly message: string
  /** Whether it bars new nodes, too: not for every stage that failed. */
  readonly spacesLaunches: boolean
  /** When one node tries; undefined where the message does not tell. In ms since the epoch, as `since`. */
  readonly retryAt: number | undefined
  readonly since: number
}

/** The next try stands in the message alone, and so does the stage for the breaker of all pools. */
const tries = new RegExp(String.raw`(?<=${triesAgainAt} )[^\s;]+`)
const reasons = /(?<=\()\w+/g

function openBreaker(pool: NodePool): ShownBreaker | undefined {
  const shown = [conditionOf(pool, 'CircuitOpen'), conditionOf(pool, 'Stalled')].find(
    (condition) =>
      condition?.status === 'True' && (condition.type === 'CircuitOpen' || condition.reason === 'CircuitOpen'),
  )
  if (shown === undefined) return undefined
  const { message = '', reason = '', lastTransitionTime } = shown
  const stages = [reason, ...(message.match(reasons) ?? [])].map(stageOfReason)
  return {
    message,
    spacesLaunches: spacesLaunches(stages.find((stage) => stage !== undefined)),
    retryAt: parseTimestamp(tries.exec(message)?.[0]),
    since: parseTimestamp(lastTransitionTime) ?? Number.NEGATIVE_INFINITY,
  }
}

/** A node that comes up, or one that goes for it: the next one waits until it is known how it fares. */
function isTried({ nodeClaim, initialized, markedForDeletion }: StateNode): boolean {
  if (nodeClaim === undefined) return false
  return markedForDeletion ? conditionOf(nodeClaim, 'DisruptionReason')?.status === 'True' : !initialized
}
