import type { RolloutHistoryEntry } from '../../api/karpenter.ts'
import { toTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import type { PoolFacts } from './input.ts'
import { isChanged } from './rollback.ts'
import { type Run, wasThere } from './run.ts'

export interface EndedRollout {
  readonly run: Run
  readonly outcome: RolloutHistoryEntry['outcome']
  readonly message: string
  readonly pools: readonly PoolFacts[]
  readonly replaced: number
  readonly now: number
}

/** Newest first. An entry of the same rollout is replaced: a halted one may be rolled back later, or tried again. */
export function recordEnd(
  history: readonly RolloutHistoryEntry[],
  ended: EndedRollout,
  limit: number,
): readonly RolloutHistoryEntry[] {
  const { run, outcome, message, pools, replaced, now } = ended
  const [newest, ...older] = history
  const startTime = toTimestamp(run.startedAt)
  const again = newest?.revision === run.revision && newest.startTime === startTime
  const number = again ? newest.number : (newest?.number ?? 0) + 1
  const images = new Set(pools.flatMap((pool) => rolledOut(ended, pool)))
  // Once rolled back, the classes resolve to the images returned to and nodes look untouched; what failed stays on record.
  const failed = again && outcome === 'RolledBack' ? newest : undefined
  const entry: RolloutHistoryEntry = {
    ...(number === undefined ? {} : { number }),
    revision: run.revision,
    outcome,
    message,
    totalNodes: run.startNodes,
    updatedNodes: failed === undefined ? replaced : (failed.updatedNodes ?? 0),
    images: failed === undefined ? [...images].toSorted(compareText).slice(0, imagesMax) : (failed.images ?? []),
    startTime,
    completionTime: toTimestamp(now),
  }
  return [entry, ...(again ? older : history)].slice(0, limit)
}

function rolledOut({ run, outcome }: EndedRollout, pool: PoolFacts): readonly string[] {
  // Once the target has moved on, the classes resolve to other images: those of the nodes that it brought are what it rolled out.
  if (outcome === 'Superseded') return broughtImages(run, pool)
  // A rollback tells its nodes by these: what other classes use has not failed.
  if (outcome === 'Halted' && !isChanged(run, pool.nodeClass?.name ?? '')) return []
  return classImages(pool)
}

function classImages({ nodeClass }: PoolFacts): readonly string[] {
  return nodeClass?.images.map(({ id }) => id) ?? []
}

function broughtImages(run: Run, { nodes }: PoolFacts): readonly string[] {
  return nodes.flatMap(({ createdAt, image }) => (wasThere(run, createdAt) ? [] : (image ?? [])))
}

/** As many as the status may hold. */
const imagesMax = 100
