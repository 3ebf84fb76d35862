import { nodePoolConditions, setCondition } from '../../api/conditions.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { type Controller, done } from '../../kube/controller.ts'
import { type NodePoolDeps, poolController, poolSource } from './deps.ts'

/** What admission could not refuse is said in the condition ValidationSucceeded; `errorsOf` returns nothing for a valid pool. */
export function nodePoolValidationController(
  deps: NodePoolDeps,
  errorsOf: (pool: NodePool) => readonly string[],
): Controller {
  return poolController(deps, 'nodepool.validation', [poolSource], async (pool) => {
    const errors = errorsOf(pool)
    const type = 'ValidationSucceeded'
    const after = setCondition(
      pool,
      nodePoolConditions,
      errors.length === 0
        ? { type, status: 'True' }
        : { type, status: 'False', reason: 'NodePoolValidationFailed', message: errors.join('; ') },
      deps.clock.now(),
    )
    await deps.statuses.patch(pool, after)
    return done
  })
}
