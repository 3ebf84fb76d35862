import type { NodePool } from '../../api/karpenter.ts'
import type { Controller } from '../../kube/controller.ts'
import { nodePoolCounterController } from './counter.ts'
import type { CountedCluster, NodePoolDeps } from './deps.ts'
import { nodePoolHashController, type NodePoolHashing } from './hash.ts'
import { nodePoolReadinessController } from './readiness.ts'
import { registrationHealthController, type RegistrationHealthTracker } from './registration-health.ts'
import { nodePoolValidationController } from './validation.ts'

export type { NodePoolDeps } from './deps.ts'
export type { NodePoolHashing } from './hash.ts'
export { RegistrationHealthTracker } from './registration-health.ts'
export { PoolStatusWriter } from './status-patch.ts'

/** Everything that works on NodePools themselves. */
export function nodePoolControllers(
  deps: NodePoolDeps & {
    readonly cluster: CountedCluster
    readonly hashing: NodePoolHashing
    readonly errorsOf: (pool: NodePool) => readonly string[]
    readonly registrationHealth: RegistrationHealthTracker
  },
): readonly Controller[] {
  return [
    nodePoolHashController(deps, deps.hashing),
    nodePoolReadinessController(deps),
    nodePoolValidationController(deps, deps.errorsOf),
    nodePoolCounterController(deps, deps.cluster),
    registrationHealthController(deps, deps.registrationHealth),
  ]
}
