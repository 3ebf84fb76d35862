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
  const untouched = covered.reduce(
    (sum, { nodes }) => sum + nodes.filter((node) => isOfChange(node) && !node.going && isCounted(run, node)).length,
    0,
  )
  return Math.max(0, run.startNodes - untouched)
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

/** Nodes that are as they are wanted, and those that were made since: they were when they were made. */
function broughtNodes(run: Run, covered: readonly PoolFacts[]): readonly NodeFacts[] {
  return covered.flatMap(({ nodes }) =>
    nodes.filter(({ drift, createdAt, going }) => !going && (drift === undefined || !wasThere(run, createdAt))),
  )
}

/** In ms since the epoch; infinite when there is none. */
export function deadlineOf({ deadline }: RolloutPolicySpec, run: Run): number {
  return deadline === undefined ? Number.POSITIVE_INFINITY : run.startedAt + durationMs(deadline)
}
