import { drive } from '../../controllers/disruption/drive.ts'
import type { ControllerMetrics } from '../../controllers/metric-table.ts'
import type {
  FailedPod,
  PlannedClaim,
  PoolNotice,
  SolveOutcome,
  Solver,
  ProvisioningSolveRequest,
} from '../../controllers/provisioning/index.ts'
import type { Clock } from '../../model/clock.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import {
  countByEffectiveZone,
  lowerBound,
  type NodePlan,
  type Packing,
  packedInSlices,
  placementInTurn,
  type Placement,
  prepareInSlices,
  priceOf,
  type SchedulingSettings,
  type SolveContext,
  solveInSlices,
  toNodeClaim,
  turnsOfPromised,
} from '../../scheduling/index.ts'
import { SolveGauges } from './solve-gauges.ts'
import { type PodValidationOptions, rejectionOf, standInRejectionOf } from '../../scheduling/pod-validation.ts'

/** Sees each placement that provisioning decides on, before any of it is carried out; it may change nothing. */
export type PlacementObserver = (decided: {
  readonly request: ProvisioningSolveRequest
  readonly placement: Placement
}) => void

export interface ProvisioningSolverDeps {
  readonly clock: Clock
  readonly settings: SchedulingSettings
  readonly packing: Packing
  readonly metrics: Pick<
    ControllerMetrics,
    'schedulingDuration' | 'schedulerQueueDepth' | 'schedulerUnfinishedWork' | 'schedulerPendingPodsByZone'
  >
  readonly onPlacement?: PlacementObserver
}

const controller = 'provisioner'

/** The solver as provisioning asks for it: in slices, so that it never blocks the process, and under a deadline. */
export function provisioningSolver(deps: ProvisioningSolverDeps): Solver {
  const { clock, settings, metrics, packing } = deps
  const gauges = new SolveGauges(controller, { clock, metrics })
  const validationOn = ({ volumes, nodes }: Snapshot) => ({ volumes, nodes, vocabulary: settings.vocabulary })
  return {
    ignored(pending, snapshot) {
      const validation = validationOn(snapshot)
      return pending.flatMap((pod) => {
        const rejection = rejectionOf(pod, validation)
        return rejection === undefined ? [] : [{ pod, error: rejection.text, reported: !rejection.deliberate }]
      })
    },
    async solve(request, signal) {
      const startedAt = clock.monotonicMs()
      const extra = [...request.virtual, ...request.displaced]
      const context = await drive(prepareInSlices(request.snapshot, settings, extra), clock, signal)
      const notices = noticesOf(context)
      if (context.pools.length === 0) return { kind: 'noPools', notices }
      const { accepted, refused } = standIns(request.virtual, validationOn(request.snapshot))
      const pods = [...request.pending, ...accepted, ...request.displaced]
      const running = gauges.begin(startedAt)
      running.onProgress(pods.length)
      try {
        const asked = {
          pods,
          reservedMode: 'strict',
          promised: request.promised,
          held: request.held,
          turns: turnsOfPromised(pods, request.promised),
          isExpired: () => clock.monotonicMs() >= request.deadline,
        } as const
        const greedy = await drive(solveInSlices(context, { ...asked, onProgress: running.onProgress }), clock, signal)
        const packed = await drive(packedInSlices(context, asked, greedy, packing), clock, signal)
        const placement = await drive(placementInTurn(context, packed), clock, signal)
        deps.onPlacement?.({ request, placement })
        metrics.schedulingDuration.observe({ controller }, (clock.monotonicMs() - startedAt) / 1000)
        const zones = await drive(countByEffectiveZone(context, pods), clock, signal)
        metrics.schedulerPendingPodsByZone.removeMatching({ controller })
        for (const [zone, count] of zones) metrics.schedulerPendingPodsByZone.set({ controller, zone }, count)
        const outcome = outcomeOf(placement, notices, settings)
        return { ...outcome, failed: [...refused, ...outcome.failed], ...costOf(context, placement) }
      } finally {
        running.end()
      }
    },
  }
}

/** What the new nodes cost, and what nodes for these pods cost at least. */
function costOf(
  context: SolveContext,
  placement: Placement,
): { readonly cost?: { readonly pricePerHour: number; readonly lowerBound: number } } {
  const pricePerHour = placement.newNodePlans.length === 0 ? undefined : priceOf(placement)
  if (pricePerHour === undefined) return {}
  const pods = placement.newNodePlans.flatMap((plan) => plan.pods)
  return { cost: { pricePerHour, lowerBound: lowerBound(context, pods).price } }
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

/** A buffer whose stand-ins can have no place says so: they fail, rather than being left alone. */
function standIns(
  virtual: readonly PodInfo[],
  validation: PodValidationOptions,
): { readonly accepted: readonly PodInfo[]; readonly refused: readonly FailedPod[] } {
  const accepted: PodInfo[] = []
  const refused: FailedPod[] = []
  for (const pod of virtual) {
    const rejection = standInRejectionOf(pod, validation)
    if (rejection === undefined) accepted.push(pod)
    else refused.push({ pod, error: rejection.text, kind: 'unschedulable' })
  }
  return { accepted, refused }
}

function outcomeOf(
  placement: Placement,
  notices: readonly PoolNotice[],
  settings: SchedulingSettings,
): Extract<SolveOutcome, { kind: 'solved' }> {
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
    notices,
    claims: placement.newNodePlans.map((plan) => plannedClaim(plan, settings)),
    existing: placement.existing.map(({ node, pods }) => ({ key: node.key, pods })),
    failed,
    relaxed: placement.relaxations,
    timedOut: placement.timedOut,
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
