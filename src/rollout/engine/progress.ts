import { durationMs } from '../../api/duration.ts'
import type { RolloutPolicySpec } from '../../api/karpenter.ts'
import type { NodeFacts, PoolFacts } from './input.ts'
import { isCounted, type Run, wasThere } from './run.ts'
import { changeNodes, isOfChange } from './scope.ts'

/**
 * Nodes whose replacement has begun, of those that were there when the rollout did. Read from the cluster each time, never counted up:
 * what a crash broke off is not counted, and what went for another reason is, such as a pool that is retired on the way.
 */
export function replacedCount(run: Run, covered: readonly PoolFacts[]): number {
  return Math.max(0, run.startNodes - untouchedCount(run, covered))
}

/** Of those that were there, the ones that are still to go. */
export function untouchedCount(run: Run, covered: readonly PoolFacts[]): number {
  return covered.reduce((sum, pool) => sum + untouched(run, pool), 0)
}

function untouched(run: Run, { nodes }: PoolFacts): number {
  return nodes.filter((node) => isOfChange(node) && !node.going && isCounted(run, node)).length
}

/**
 * The last step also takes nodes of the old kind that came or drifted after the rollout had begun, and those that were to leave and were kept.
 * Any other takes one more at a time while nothing has come of those that went: they may have gone by themselves, or their pods elsewhere.
 */
export function allowedByStep(run: Run, covered: readonly PoolFacts[]): number {
  if (run.step.isLast) return Number.POSITIVE_INFINITY
  const left = run.step.goal - replacedCount(run, covered)
  if (left > 0 || broughtNodes(run, covered).length > 0) return left
  return covered.flatMap(changeNodes).some(({ going }) => going) ? left : 1
}

/**
 * As many have begun as the step asks for, or as it finds where a pool is retired on the way, those that began are gone, and some node of the
 * new kind is in service: a soak without one would pass what nobody has tried.
 */
export function isReached(run: Run, covered: readonly PoolFacts[]): boolean {
  const changing = covered.flatMap(changeNodes)
  if (changing.some(({ going }) => going)) return false
  if (run.step.isLast) return changing.length === 0
  if (!changing.some((node) => isCounted(run, node))) return true
  return replacedCount(run, covered) >= run.step.goal && isTried(run, covered)
}

export function isTried(run: Run, covered: readonly PoolFacts[]): boolean {
  return broughtNodes(run, covered).some(({ initialized }) => initialized)
}

/**
 * Nodes that were made since, whatever makes them drift by now, and where nodes have gone also those that were as they are wanted before: in
 * another pool these may be of another class, and tell nothing of what has gone.
 */
function broughtNodes(run: Run, covered: readonly PoolFacts[]): readonly NodeFacts[] {
  return covered.flatMap((pool) => {
    const counts = hasBegun(run, pool)
    return pool.nodes.filter(
      ({ drift, createdAt, going }) => !going && (!wasThere(run, createdAt) || (counts && drift === undefined)),
    )
  })
}

function hasBegun(run: Run, pool: PoolFacts): boolean {
  return untouched(run, pool) < (run.covered.get(pool.name) ?? 0)
}

/** In ms since the epoch; infinite when there is none. */
export function deadlineOf({ deadline }: RolloutPolicySpec, run: Run): number {
  return deadline === undefined ? Number.POSITIVE_INFINITY : run.startedAt + durationMs(deadline)
}
