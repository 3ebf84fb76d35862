import type { Controller } from '../../kube/controller.ts'
import { createCronJobController } from './cron-job.ts'
import { createDaemonSetController } from './daemon-set.ts'
import { createDeploymentController } from './deployment.ts'
import { createDisruptionBudgetController, type ScaleOf } from './disruption-budget.ts'
import { createJobController } from './job.ts'
import type { WorkloadDeps } from './refused-pods.ts'
import { createReplicaSetController } from './replica-set.ts'
import { createStatefulSetController } from './stateful-set.ts'

/** The controllers that make workloads live, as kube-controller-manager's would. */
export function createWorkloadControllers(deps: WorkloadDeps, scaleOf: ScaleOf): readonly Controller[] {
  return [
    createDeploymentController(deps),
    createReplicaSetController(deps),
    createStatefulSetController(deps),
    createDaemonSetController(deps),
    createJobController(deps),
    createCronJobController(deps),
    createDisruptionBudgetController(deps, scaleOf),
  ]
}

export type { ScaleOf }
