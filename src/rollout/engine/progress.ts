import { durationMs } from '../../api/duration.ts'
import type { RolloutPolicySpec } from '../../api/karpenter.ts'
import type { PoolFacts } from './input.ts'
import { isCounted, type Run } from './run.ts'
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

/** The last step also takes nodes of the old kind that came or drifted after the rollout had begun, and those that were to leave and were kept. */
export function allowedByStep(run: Run, covered: readonly PoolFacts[]): number {
  return run.step.isLast ? Number.POSITIVE_INFINITY : run.step.goal - replacedCount(run, covered)
}

/** As many have begun as the step asks for, or as it finds where a pool is retired on the way, and those that began are gone. */
export function isReached(run: Run, covered: readonly PoolFacts[]): boolean {
  const changing = covered.flatMap(changeNodes)
  if (changing.some(({ going }) => going)) return false
  if (run.step.isLast) return changing.length === 0
  return replacedCount(run, covered) >= run.step.goal || !changing.some((node) => isCounted(run, node))
}

/** In ms since the epoch; infinite when there is none. */
export function deadlineOf({ deadline }: RolloutPolicySpec, run: Run): number {
  return deadline === undefined ? Number.POSITIVE_INFINITY : run.startedAt + durationMs(deadline)
}
