import { drive } from '../../controllers/disruption/drive.ts'
import type { ControllerMetrics } from '../../controllers/metric-table.ts'
import type {
  FailedPod,
  IgnoredPod,
  PlannedClaim,
  PoolNotice,
  SolveOutcome,
  Solver,
  SolveRequest,
} from '../../controllers/provisioning/index.ts'
import type { Clock } from '../../model/clock.ts'
import type { PodInfo } from '../../model/pod.ts'
import {
  type NodePlan,
  type Placement,
  prepareInSlices,
  type SchedulingSettings,
  type SolveContext,
  solveInSlices,
  toNodeClaim,
} from '../../scheduling/index.ts'
import { rejectionOf } from '../../scheduling/pod-validation.ts'

export interface ProvisioningSolverDeps {
  readonly clock: Clock
  readonly settings: SchedulingSettings
  readonly metrics: Pick<ControllerMetrics, 'schedulingDuration'>
}

/** The solver as provisioning asks for it: in slices, so that it never blocks the process, and under a deadline. */
export function provisioningSolver(deps: ProvisioningSolverDeps): Solver {
  const { clock, settings } = deps
  return {
    async solve(request, signal) {
      const startedAt = clock.monotonicMs()
      const extra = [...request.virtual, ...request.displaced]
      const context = await drive(prepareInSlices(request.snapshot, settings, extra), clock, signal)
      const { ignored, accepted } = validated(request, settings)
      const notices = noticesOf(context)
      if (context.pools.length === 0) return { kind: 'noPools', ignored, notices }
      const solving = solveInSlices(context, {
        pods: [...accepted, ...request.displaced],
        reservedMode: 'strict',
        promised: request.promised,
        isExpired: () => clock.now() >= request.deadline,
      })
      const placement = await drive(solving, clock, signal)
      deps.metrics.schedulingDuration.observe({ controller: 'provisioner' }, (clock.monotonicMs() - startedAt) / 1000)
      return outcomeOf(placement, ignored, notices, settings)
    },
  }
}

/** A plan as the claim to write and what its log line tells. */
export function plannedClaim(plan: NodePlan, settings: Pick<SchedulingSettings, 'vocabulary'>): PlannedClaim {
  return {
    nodePool: plan.nodePool,
    claim: toNodeClaim(plan, settings.vocabulary),
    pods: plan.pods,
    instanceTypeNames: plan.instanceTypes.map(({ name }) => name).toSorted(),
    requests: plan.requests,
    minValuesRelaxed: plan.minValuesRelaxed,
  }
}

function validated(
  { pending, virtual, snapshot }: SolveRequest,
  { vocabulary }: SchedulingSettings,
): { readonly ignored: readonly IgnoredPod[]; readonly accepted: readonly PodInfo[] } {
  const ignored: IgnoredPod[] = []
  const accepted: PodInfo[] = []
  for (const pod of [...pending, ...virtual]) {
    const rejection = rejectionOf(pod, { volumes: snapshot.volumes, vocabulary })
    if (rejection === undefined) accepted.push(pod)
    else ignored.push({ pod, error: rejection.text, reported: !rejection.deliberate })
  }
  return { ignored, accepted }
}

function outcomeOf(
  placement: Placement,
  ignored: readonly IgnoredPod[],
  notices: readonly PoolNotice[],
  settings: SchedulingSettings,
): SolveOutcome {
  const failed: FailedPod[] = [
    ...placement.failures.map(
      ({ pod, text, because }): FailedPod => ({
        pod,
        error: text,
        kind: because.kind === 'resourceClaims' ? 'unsupported' : 'unschedulable',
      }),
    ),
    ...placement.deferred.map((pod): FailedPod => ({ pod, error: 'waiting for reserved capacity', kind: 'deferred' })),
  ]
  return {
    kind: 'solved',
    ignored,
    notices,
    claims: placement.newNodePlans.map((plan) => plannedClaim(plan, settings)),
    existing: placement.existing.map(({ node, pods }) => ({ key: node.key, pods })),
    failed,
  }
}

function noticesOf(context: SolveContext): readonly PoolNotice[] {
  return [
    ...context.excludedPools
      .filter(({ because }) => because.kind === 'notReady')
      .map(
        ({ pool }): PoolNotice => ({
          pool: pool.metadata.name,
          level: 'error',
          message: 'ignoring nodepool, not ready',
        }),
      ),
    ...context.unresolvedPools.map(
      ({ nodePool, level, message, error }): PoolNotice => ({
        pool: nodePool,
        level,
        message,
        ...(error === undefined ? {} : { detail: error }),
      }),
    ),
    ...context.filteredPools.map(
      ({ nodePool, message }): PoolNotice => ({
        pool: nodePool.metadata.name,
        level: 'info',
        message: 'skipping, nodepool requirements filtered out all instance types',
        event: message,
      }),
    ),
  ]
}
