import type { NodePool } from '../../api/karpenter.ts'
import { labelInstanceType } from '../../api/labels.ts'
import type { PlannedClaim, Solver } from '../../controllers/provisioning/index.ts'
import type { ControllerMetrics } from '../../controllers/metric-table.ts'
import type { Simulate } from '../../disruption/simulation.ts'
import type { Clock } from '../../model/clock.ts'
import { noResources } from '../../model/resources.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import {
  defaultSettings,
  type NodePlan,
  type Packing,
  type SchedulingSettings,
  toStaticNodeClaim,
  toStaticNodePlan,
} from '../../scheduling/index.ts'
import type { Options } from '../options.ts'
import { poolHash } from '../pool-hash.ts'
import { type PlacementObserver, plannedClaim, provisioningSolver } from './provisioning-solver.ts'
import { type SimulatorOptions, simulatorOn } from '../../disruption/what-if.ts'
import { type RunningSolve, SolveGauges } from './solve-gauges.ts'

export type { PlacementObserver } from './provisioning-solver.ts'

/** The solver as the controllers use it. */
export interface SolverBinding {
  readonly solver: Solver
  /** For disruption: everything that simulations of one snapshot have in common is shared. */
  readonly simulatorFor: (snapshot: Snapshot, options?: Omit<SimulatorOptions, 'onProgress'>) => Simulate<NodePlan>
  /** The claim to write for a plan. */
  readonly claimOf: (plan: NodePlan) => Omit<PlannedClaim, 'pods'>
  /** The bare template of a static pool: no instance types, no requests. */
  readonly staticPlan: (pool: NodePool) => NodePlan
}

export function bindSolver(deps: {
  readonly options: Options
  readonly clock: Clock
  readonly metrics: ControllerMetrics
  readonly onPlacement?: PlacementObserver
}): SolverBinding {
  const settings = schedulingSettings(deps.options)
  const gauges = new SolveGauges('disruption', deps)
  return {
    solver: provisioningSolver({
      clock: deps.clock,
      settings,
      metrics: deps.metrics,
      packing: packingOf(deps.options),
      ...(deps.onPlacement === undefined ? {} : { onPlacement: deps.onPlacement }),
    }),
    simulatorFor: (snapshot, simulated) =>
      measured((onProgress) => simulatorOn(snapshot, settings, { ...simulated, onProgress }), gauges, deps),
    claimOf: (plan) =>
      plan.pool.spec.replicas === undefined ? plannedClaim(plan, settings) : staticClaim(plan, settings),
    staticPlan: (pool) => toStaticNodePlan(pool, settings),
  }
}

/** Each simulation that gives pods places is a solve of its own. */
function measured(
  simulator: (onProgress: (queued: number) => void) => Simulate<NodePlan>,
  gauges: SolveGauges,
  { clock, metrics }: { readonly clock: Clock; readonly metrics: Pick<ControllerMetrics, 'schedulingDuration'> },
): Simulate<NodePlan> {
  let onProgress: (queued: number) => void = () => undefined
  const simulate = simulator((queued) => onProgress(queued))
  return function* timed(request) {
    const startedAt = clock.monotonicMs()
    let running: RunningSolve | undefined
    onProgress = (queued) => {
      running ??= gauges.begin(startedAt)
      running.onProgress(queued)
    }
    try {
      const result = yield* simulate(request)
      if (result.kind === 'placed') {
        metrics.schedulingDuration.observe({ controller: 'disruption' }, (clock.monotonicMs() - startedAt) / 1_000)
      }
      return result
    } finally {
      running?.end()
    }
  }
}

function packingOf({ packing, packingBudget, packingLargestShare }: Options): Packing {
  return packing === 'greedy'
    ? { kind: 'greedy' }
    : { kind: 'improved', slicesMax: packingBudget, largestShare: packingLargestShare }
}

function schedulingSettings(options: Options): SchedulingSettings {
  return {
    ...defaultSettings,
    preferencePolicy: options.preferencePolicy === 'Ignore' ? 'Ignore' : 'Respect',
    minValuesPolicy: options.minValuesPolicy === 'BestEffort' ? 'BestEffort' : 'Strict',
    ignoreDRA: options.ignoreDRARequests,
    defaultSpread: options.scheduler.defaultConstraints,
    // Without the gate reserved offerings are like any others.
    reservationLabel: options.featureGates['ReservedCapacity'] === false ? '' : defaultSettings.reservationLabel,
    nodePoolHash: poolHash,
  }
}

function staticClaim(plan: NodePlan, settings: SchedulingSettings): Omit<PlannedClaim, 'pods'> {
  const claim = toStaticNodeClaim(plan.pool, settings.nodePoolHash(plan.pool), settings.vocabulary)
  const types = claim.spec.requirements.find(({ key, operator }) => key === labelInstanceType && operator === 'In')
  return {
    nodePool: plan.nodePool,
    claim,
    instanceTypeNames: types?.values ?? [],
    requests: noResources,
    minValuesRelaxed: false,
  }
}
