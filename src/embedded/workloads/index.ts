import type { Controller } from '../../kube/controller.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { createDeploymentController } from './deployment.ts'
import { createReplicaSetController } from './replica-set.ts'

export interface WorkloadOptions {
  /** From the moment a pod with a volume is bound until the volume is attached. */
  readonly attachMs?: number
  /** From the end of the last pod of a volume on a node until it is detached. */
  readonly detachMs?: number
}

/** The controllers that make workloads live, as kube-controller-manager's would. */
export function createWorkloadControllers(deps: EmbeddedDeps, _options: WorkloadOptions): readonly Controller[] {
  return [createDeploymentController(deps), createReplicaSetController(deps)]
}
