import { durationMs } from '../../api/duration.ts'
import type { RolloutPolicySpec } from '../../api/karpenter.ts'
import type { PoolFacts } from './input.ts'
import { isCounted, type Run } from './run.ts'
import { changeNodes } from './scope.ts'

/**
 * Nodes whose replacement has begun, of those that were there when the rollout did. Read from the cluster each time, never counted up:
 * what a crash broke off is not counted, and what went for another reason is.
 */
export function replacedCount(run: Run, covered: readonly PoolFacts[]): number {
  const untouched = covered.reduce(
    (sum, pool) => sum + changeNodes(pool).filter((node) => !node.going && isCounted(run, node)).length,
    0,
  )
  return Math.max(0, run.startNodes - untouched)
}

/** The last step also takes nodes of the old kind that came or drifted after the rollout had begun, and those that were to leave and were kept. */
export function allowedByStep(run: Run, covered: readonly PoolFacts[]): number {
  return run.step.isLast ? Number.POSITIVE_INFINITY : run.step.goal - replacedCount(run, covered)
}

/** As many have begun as the step asks for, and those that began are gone. */
export function isReached(run: Run, covered: readonly PoolFacts[]): boolean {
  const changing = covered.flatMap(changeNodes)
  if (changing.some(({ going }) => going)) return false
  return run.step.isLast ? changing.length === 0 : replacedCount(run, covered) >= run.step.goal
}

/** In ms since the epoch; infinite when there is none. */
export function deadlineOf({ deadline }: RolloutPolicySpec, run: Run): number {
  return deadline === undefined ? Number.POSITIVE_INFINITY : run.startedAt + durationMs(deadline)
}
