import type { RolloutPolicyStatus } from '../../api/karpenter.ts'
import { isReached, untouchedCount } from './progress.ts'
import type { Run } from './run.ts'
import { partOf, revisionOfParts, type Scope } from './scope.ts'
import { nodeCount, presentStep } from './steps.ts'

/**
 * The run without the pools that were deleted or that the policy governs no more, where nothing else has changed: what is left goes on in its
 * step, and soaks as it did. Undefined where it is not the same rollout. What the other pools asked for stands in the last status, but for their
 * restarts: with one of those the rollout begins anew.
 */
export function withoutLeftPools(run: Run, scope: Scope, previous: RolloutPolicyStatus | undefined): Run | undefined {
  const present = new Set(scope.covered.map(({ name }) => name))
  const left = (previous?.nodePools ?? []).filter(({ name }) => run.covered.has(name) && !present.has(name))
  if (present.size === 0 || left.length === 0) return undefined
  const before = [
    ...scope.covered.map((pool) => partOf(pool, pool.target)),
    ...left.map(({ name, targetHash = '' }) => partOf({ name, restartAt: undefined }, targetHash)),
  ]
  if (revisionOfParts(before) !== run.revision) return undefined
  const covered = new Map([...run.covered].filter(([name]) => present.has(name)))
  // Nodes that drifted while it began are counted for all, and not by pool.
  const startNodes = Math.max(
    covered.values().reduce((sum, count) => sum + count, 0),
    untouchedCount(run, scope.covered),
  )
  const { steps = [] } = run.terms
  const { index } = run.step
  const planned = steps[index]
  const goal = planned === undefined ? startNodes : Math.min(nodeCount(planned.nodes, startNodes), startNodes)
  const rest: Run = {
    ...run,
    revision: scope.revision,
    covered,
    startNodes,
    step: presentStep(steps, index, startNodes, goal),
    // Awaited nodes of what has left would count as vanished; the others are found again.
    pending: [],
  }
  // What was tried may have left with its pool.
  return isReached(rest, scope.covered) ? rest : { ...rest, reachedAt: undefined, soakedUntil: undefined }
}
