import { awsVocabulary } from '../api/label-rules.ts'
import { nodePoolHash } from '../api/hash/index.ts'
import { conditionOf } from '../api/conditions.ts'
import { nillableDurationMs } from '../api/duration.ts'
import { labelCapacityReservationID } from '../api/labels.ts'
import type { NodePool } from '../api/karpenter.ts'
import type {
  FailedPod,
  PoolNotice,
  SolveOutcome,
  SolveRequest as ProvisioningRequest,
} from '../controllers/provisioning/index.ts'
import { drive } from '../controllers/disruption/drive.ts'
import { type BudgetsByNamespace, byNamespace } from '../disruption/pdb.ts'
import { isCurrentlyReschedulable } from '../disruption/pod-eviction.ts'
import type { SimulationRequest, SimulationResult, Sliced } from '../disruption/simulation.ts'
import { parseTimestamp } from '../model/clock.ts'
import { isProvisionable, type PodInfo, podKey } from '../model/pod.ts'
import { noResources } from '../model/resources.ts'
import type { Snapshot, StateNode } from '../model/snapshot.ts'
import {
  defaultSettings,
  type DestinationFilter,
  type NodePlan,
  type Placement,
  prepareInSlices,
  type SchedulingSettings,
  type SolveContext,
  solveInSlices,
  toNodeClaim,
} from '../scheduling/index.ts'
import { templateRequirements } from '../scheduling/node-pools.ts'
import type { SolverSettings } from './operator.ts'
import type { SolverBinding } from './solver-binding.ts'

/** Binds the solver to the controllers: what they ask becomes a solve, what it answers becomes events, claims and log lines. */
export function bindScheduling({ options, clock, metrics }: SolverSettings): SolverBinding<NodePlan> {
  const settings = schedulingSettings(options)
  return {
    solver: {
      async solve(request, signal) {
        const started = clock.monotonicMs()
        const outcome = await drive(
          provision(request, settings, () => clock.now()),
          clock,
          signal,
        )
        const labels = { controller: 'provisioner' }
        metrics.schedulingDuration.observe(labels, (clock.monotonicMs() - started) / 1000)
        metrics.schedulerIgnoredPods.set({}, outcome.ignored.length)
        const failed = outcome.kind === 'solved' ? outcome.failed.filter(({ kind }) => kind !== 'deferred').length : 0
        metrics.schedulerUnschedulablePods.set(labels, failed)
        return outcome
      },
    },
    simulatorFor: (snapshot) => {
      let shared: SimulationContext | undefined
      return function* (request) {
        shared ??= yield* prepareSimulation(snapshot, settings)
        return yield* simulate(shared, request)
      }
    },
    claimOf: (plan) => plannedClaim(plan),
    staticPlan,
  }
}

/** The settings of the solver that the operator's options stand for. */
export function schedulingSettings(options: SolverSettings['options']): SchedulingSettings {
  return {
    ...defaultSettings,
    vocabulary: awsVocabulary,
    preferencePolicy: options.preferencePolicy === 'Ignore' ? 'Ignore' : 'Respect',
    minValuesPolicy: options.minValuesPolicy === 'BestEffort' ? 'BestEffort' : 'Strict',
    ignoreDRA: options.ignoreDRARequests,
    defaultSpread: options.scheduler.defaultConstraints,
    reservationLabel: options.featureGates['ReservedCapacity'] === false ? '' : labelCapacityReservationID,
    nodePoolHash,
  }
}

function validatePods(pods: readonly PodInfo[], _snapshot: Snapshot, _settings: SchedulingSettings) {
  return { valid: pods, ignored: [] }
}

function* provision(
  request: ProvisioningRequest,
  settings: SchedulingSettings,
  now: () => number,
): Sliced<SolveOutcome> {
  const { snapshot, virtual, displaced, deadline } = request
  const { valid, ignored } = validatePods(request.pending, snapshot, settings)
  const pods = [...valid, ...virtual, ...displaced]
  const context = yield* prepareInSlices(snapshot, settings, pods)
  const notices = noticesOf(context)
  if (context.pools.length === 0) return { kind: 'noPools', ignored, notices }
  const placement = yield* solveInSlices(context, { pods, reservedMode: 'strict', isExpired: () => now() >= deadline })
  return {
    kind: 'solved',
    ignored,
    notices,
    claims: placement.newNodePlans.map((plan) => ({ ...plannedClaim(plan), pods: plan.pods })),
    existing: placement.existing.map(({ node, pods: placed }) => ({ key: node.key, pods: placed })),
    failed: failedPods(placement),
  }
}

function failedPods({ failures, deferred }: Placement): readonly FailedPod[] {
  return [
    ...failures.map(({ pod, text, because }): FailedPod => {
      return { pod, error: text, kind: because.kind === 'resourceClaims' ? 'unsupported' : 'unschedulable' }
    }),
    ...deferred.map((pod): FailedPod => ({ pod, error: '', kind: 'deferred' })),
  ]
}

function noticesOf(context: SolveContext): readonly PoolNotice[] {
  return [
    ...context.excludedPools.flatMap(({ pool, because }): PoolNotice[] =>
      because.kind === 'notReady'
        ? [{ pool: pool.metadata.name, level: 'error', message: 'ignoring nodepool, not ready' }]
        : [],
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

function plannedClaim(plan: NodePlan) {
  return {
    nodePool: plan.nodePool,
    claim: toNodeClaim(plan),
    instanceTypeNames: plan.instanceTypes.map(({ name }) => name),
    requests: plan.requests,
    minValuesRelaxed: plan.minValuesRelaxed,
  }
}

function staticPlan(pool: NodePool): NodePlan {
  return {
    nodePool: pool.metadata.name,
    pool,
    requirements: templateRequirements(pool, awsVocabulary.aliases),
    instanceTypes: [],
    pods: [],
    requests: noResources,
    labels: {},
    annotations: {},
    reservations: [],
    minValuesRelaxed: false,
    price: undefined,
  }
}

/** What all simulations on one snapshot share. */
interface SimulationContext {
  readonly context: SolveContext
  readonly pending: readonly PodInfo[]
  readonly displaced: readonly PodInfo[]
  readonly budgets: BudgetsByNamespace
  readonly stable: DestinationFilter
}

function* prepareSimulation(snapshot: Snapshot, settings: SchedulingSettings): Sliced<SimulationContext> {
  const budgets = byNamespace(snapshot.podDisruptionBudgets)
  const { valid } = validatePods(snapshot.unboundPods.filter(isProvisionable), snapshot, settings)
  const leaving = snapshot.nodes.filter(({ node, markedForDeletion }) => node !== undefined && markedForDeletion)
  const displaced = leaving
    .flatMap(({ pods }) => pods)
    .filter((pod) => isCurrentlyReschedulable(pod, budgets, snapshot.now))
  const context = yield* prepareInSlices(snapshot, settings, valid)
  return { context, pending: valid, displaced, budgets, stable: stableDestinations(snapshot, displaced) }
}

function* simulate(
  { context, pending, displaced, budgets, stable }: SimulationContext,
  { candidates, destinations }: SimulationRequest,
): Sliced<SimulationResult<NodePlan>> {
  const { snapshot } = context
  const marked = new Set(snapshot.nodes.filter((node) => node.markedForDeletion).map(({ key }) => key))
  if (candidates.some(({ providerID }) => marked.has(providerID))) return { kind: 'candidateDeleting' }
  const moved = candidates
    .flatMap(({ reschedulablePods }) => reschedulablePods)
    .filter((pod) => isCurrentlyReschedulable(pod, budgets, snapshot.now))
  const placement = yield* solveInSlices(context, {
    pods: [...pending, ...moved, ...displaced],
    excludedNodes: new Set(candidates.map(({ providerID }) => providerID)),
    reservedMode: 'fallback',
    ...(destinations === 'stable' ? { destinations: stable } : {}),
  })
  const isPending = new Set(pending.map(({ uid }) => uid))
  const isDisplaced = new Set(displaced.map(({ uid }) => uid))
  const errors = placement.failures.map(({ pod, text }) => ({ pod, text }))
  for (const pod of placement.unattempted) errors.push({ pod, text: 'scheduling simulation timed out' })
  for (const { node, pods } of placement.existing) {
    if (node.initialized || !node.managed) continue
    for (const pod of pods) if (!isDisplaced.has(pod.uid)) errors.push({ pod, text: uninitializedText(node) })
  }
  const unplaced = errors.filter(({ pod }) => !isPending.has(pod.uid))
  return {
    kind: 'placed',
    replacements: placement.newNodePlans,
    destinations: placement.existing
      .filter(({ pods }) => pods.some(({ virtualBuffer }) => virtualBuffer === undefined))
      .map(({ node }) => node.key),
    unplaced: unplaced.length === 0 ? undefined : unplacedText(unplaced),
  }
}

function uninitializedText({ nodeClaim, node }: StateNode): string {
  const parts = [
    ...(nodeClaim === undefined ? [] : [`nodeclaim/${nodeClaim.metadata.name}`]),
    ...(node === undefined ? [] : [`node/${node.metadata.name}`]),
  ]
  return `would schedule against uninitialized ${parts.join(', ')}`
}

function unplacedText(errors: readonly { readonly pod: PodInfo; readonly text: string }[]): string {
  const shown = errors.slice(0, 5).map(({ pod, text }) => `${podKey(pod)} => ${text} `)
  const more = errors.length > 5 ? ` and ${errors.length - 5} other(s)` : ''
  return `not all pods would schedule, ${shown.join('')}${more}`
}

/**
 * Nodes still within their pool's consolidateAfter window take no pods of consolidated nodes: they may be consolidated next, and the
 * pods would move twice. Pods that have to go anywhere are exempt.
 */
function stableDestinations(snapshot: Snapshot, displaced: readonly PodInfo[]): DestinationFilter {
  const exempt = new Set(displaced.map(({ uid }) => uid))
  const windows = new Map(
    snapshot.nodePools.map(({ metadata, spec }) => [
      metadata.name,
      nillableDurationMs(spec.disruption?.consolidateAfter) ?? 0,
    ]),
  )
  const unstable = new Set(
    snapshot.nodes
      .filter((node) => isSettling(node, windows.get(node.nodePool) ?? 0, snapshot.now))
      .map(({ key }) => key),
  )
  return (node, pod) => !unstable.has(node.key) || pod.phase === 'Pending' || exempt.has(pod.uid)
}

function isSettling({ initialized, nodeClaim }: StateNode, windowMs: number, now: number): boolean {
  if (!initialized || nodeClaim === undefined || windowMs <= 0) return false
  const lastEvent =
    parseTimestamp(nodeClaim.status?.lastPodEventTime) ??
    parseTimestamp(conditionOf(nodeClaim, 'Initialized')?.lastTransitionTime)
  return lastEvent !== undefined && now - lastEvent < windowMs
}
