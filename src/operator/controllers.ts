import {
  type ConditionTypes,
  ec2NodeClassConditions,
  nodeClaimConditions,
  nodePoolConditions,
} from '../api/conditions.ts'
import { nodePoolHashInput, nodePoolHashVersion } from '../api/hash/index.ts'
import type { EC2NodeClass, NodeClaim } from '../api/karpenter.ts'
import { awsVocabulary } from '../api/label-rules.ts'
import { nodeOverlayErrors, nodePoolErrors } from '../api/runtime-validation/index.ts'
import type { NodeClassHash } from '../cloud/aws/index.ts'
import { classProblems } from '../cloud/aws/class-problems.ts'
import type { CloudProvider } from '../cloud/provider.ts'
import { type ClusterState, type InstanceTypeSource, PoolCostTracker, stateSyncController } from '../cluster/index.ts'
import {
  BufferBook,
  capacityBufferProvisioning,
  capacityBufferResolution,
} from '../controllers/capacitybuffer/index.ts'
import { scaledConcurrency } from '../controllers/concurrency.ts'
import { DisruptionBrake } from '../controllers/disruption-brake.ts'
import { nodeRepair } from '../controllers/health/index.ts'
import { circuitBreakerController, LaunchGuard, VainLaunches } from '../controllers/launches/index.ts'
import type { ControllerMetrics } from '../controllers/metric-table.ts'
import { isCountedOnly } from '../controllers/rollout/counted-only.ts'
import type { MetricQuery } from '../controllers/rollout/index.ts'
import { measuredKinds } from '../controllers/status-metric-table.ts'
import {
  type ConditionedObject,
  nodeMetricsController,
  nodePoolMetricsController,
  podMetricsController,
  poolCostController,
  statusConditionController,
} from '../controllers/metrics/index.ts'
import { evictionQueue, nodeHydration, nodeTermination } from '../controllers/node/index.ts'
import {
  disruptionConditions,
  machineLookup,
  nodeClaimConsistency,
  nodeClaimExpiration,
  nodeClaimGarbageCollection,
  nodeClaimHydration,
  nodeClaimLifecycle,
  podEvents,
} from '../controllers/nodeclaim/index.ts'
import { nodeOverlayEvaluation, type OverlayStore } from '../controllers/nodeoverlay/index.ts'
import {
  type NodePoolDeps,
  nodePoolControllers,
  PoolStatusWriter,
  RegistrationHealthTracker,
} from '../controllers/nodepool/index.ts'
import {
  PodBatcher,
  nodeTrigger,
  nominations,
  podTrigger,
  poolTrigger,
  PreferenceWarnings,
  Promises,
  provisioner,
  type SchedulerWords,
  schedulerWordsIn,
} from '../controllers/provisioning/index.ts'
import { staticDeprovisioning, staticProvisioning } from '../controllers/static/index.ts'
import { warningControllers } from '../controllers/warnings/index.ts'
import type { RunningCaches } from '../kube/caches.ts'
import { type Controller, type SingletonController, source } from '../kube/controller.ts'
import { capacityBuffers, ec2NodeClasses, nodeClaims, nodePools } from '../kube/karpenter-kinds.ts'
import { nodes, pods } from '../kube/kinds.ts'
import type { Logger } from '../kube/logger.ts'
import type { Metrics } from '../kube/metrics.ts'
import type { KubeClient } from '../kube/port.ts'
import type { EventRecorder } from '../kube/recorder.ts'
import { keyOf, type Resource } from '../kube/resource.ts'
import type { Clock } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import {
  LateReplacements,
  UndoneConsolidations,
  type VerdictBook,
  workloadSizesIn,
} from '../controllers/disruption/index.ts'
import { disruptionControllers } from './disruption-wiring.ts'
import { poolHash } from './pool-hash.ts'
import { type RolloutEngine, rolloutEngine } from './rollout-engine.ts'
import { rolloutStatus } from './rollout-wiring.ts'
import type { Options } from './options.ts'
import type { SolverBinding } from './solver/index.ts'

export type AnyController = Controller | SingletonController

/** What all controllers are made from. */
interface CommonParts {
  /** Fenced: refuses writes while this process does not lead. */
  readonly kube: KubeClient
  readonly caches: RunningCaches
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly recorder: EventRecorder
  readonly metrics: Metrics
  readonly families: ControllerMetrics
  readonly options: Options
  readonly cloud: CloudProvider
  readonly state: ClusterState
  /** With NodeOverlays applied, when the gate is on. */
  readonly instanceTypes: InstanceTypeSource
  readonly withoutOverlays: InstanceTypeSource
  readonly overlays: OverlayStore
}

export interface Parts extends CommonParts {
  readonly solver: SolverBinding
  /** How node classes are hashed for drift. */
  readonly classHash: NodeClassHash
  readonly verdicts: VerdictBook
  /** Answers the Prometheus gates of RolloutPolicies. */
  readonly metricQuery: MetricQuery
}

/** Every controller of the core that the options ask for, in the order in which they are started. */
export function coreControllers(parts: Parts): readonly AnyController[] {
  const { options } = parts
  const gates = options.featureGates
  const buffers = new BufferBook()
  const costs = new PoolCostTracker(parts.caches.of(nodeClaims))
  const pools = poolDeps(parts)
  // The lifecycle records in it how launches end; the pool controllers read it.
  const health = new RegistrationHealthTracker(pools)
  const launches = new LaunchGuard(parts.clock, guardSettings(options))
  const promises = new Promises()
  const schedulerWords = schedulerWordsIn(parts.caches)
  const vain = new VainLaunches(parts.clock, schedulerWords)
  const brake = new DisruptionBrake(parts.clock, {
    nodes: options.disruptionBrake,
    windowMs: options.disruptionBrakeWindow,
  })
  const late = new LateReplacements(parts.clock)
  const undone = new UndoneConsolidations(parts.clock, workloadSizesIn(parts.caches.of(pods)))
  const nominating = options.nominatePods
    ? nominations({ ...parts, cluster: parts.state, promises, cpuMilli: options.cpuRequests })
    : undefined
  const rollouts = rolloutEngine(parts, parts.metricQuery)
  return [
    ...stateControllers(parts, costs),
    ...poolControllers(parts, pools, health),
    ...claimControllers(parts, { pools, health, brake, launches, vain, rollouts, announce: nominating?.announce }),
    ...provisioningControllers(parts, { buffers, launches, promises, schedulerWords, undone, vain }),
    ...(nominating === undefined ? [] : [nominating.controller]),
    ...disruptionControllers(parts, {
      brake,
      buffers,
      costs,
      late,
      launches,
      promises,
      rollouts: rollouts.book,
      undone,
      vain,
    }),
    ...rollouts.controllers,
    ...rolloutStatus(parts, {
      stalled: [launches, rollouts.book],
      poolRollout: (pool) => rollouts.book.poolStatus(pool),
      pauseOf: (pool) => rollouts.book.pauseOf(pool),
    }),
    ...(gates['StaticCapacity'] === true ? staticControllers(parts, launches, late) : []),
    ...(gates['NodeOverlay'] === true ? [overlayController(parts)] : []),
    ...(gates['NodeRepair'] === true && parts.cloud.repairPolicies.length > 0
      ? [nodeRepair({ ...parts, brake, metrics: parts.families, cpuMilli: options.cpuRequests })]
      : []),
    ...mirroredWarnings(parts),
    ...(options.disableClusterStateObservability ? [] : observability(parts)),
  ]
}

function stateControllers(parts: CommonParts, costs: PoolCostTracker): readonly AnyController[] {
  const { state, kube, clock, caches, families } = parts
  return [
    stateSyncController({
      state,
      client: kube,
      clock,
      relist: (resource) => caches.relist(resource),
      report: ({ synced, unsyncedSeconds, nodes: count }) => {
        families.clusterStateSynced.set({}, synced ? 1 : 0)
        families.clusterStateUnsyncedTime.set({}, unsyncedSeconds)
        families.clusterStateNodeCount.set({}, count)
      },
    }),
    poolCostController({
      pools: () => parts.state.nodePools(),
      instanceTypes: parts.instanceTypes,
      tracker: costs,
      clock,
      metrics: families,
    }),
  ]
}

function guardSettings(options: Options) {
  return {
    breaker: {
      failuresInARow: options.circuitBreakerFailures,
      window: options.circuitBreakerWindow,
      backOffMs: options.circuitBreakerBackOff,
      backOffMaxMs: options.circuitBreakerBackOffMax,
    },
    budget: { size: options.launchBudget, refillMs: options.launchBudgetRefill },
  }
}

function poolDeps(parts: CommonParts): NodePoolDeps {
  return {
    kube: parts.kube,
    caches: parts.caches,
    clock: parts.clock,
    statuses: new PoolStatusWriter(parts),
    cloud: parts.cloud,
    nodeClasses: ec2NodeClasses as Resource<EC2NodeClass>,
    concurrency: scaledConcurrency(10, 1_000, parts.options.cpuRequests),
  }
}

function poolControllers(
  parts: CommonParts,
  pools: NodePoolDeps,
  health: RegistrationHealthTracker,
): readonly AnyController[] {
  return nodePoolControllers({
    ...pools,
    cluster: parts.state,
    hashing: { version: nodePoolHashVersion, hashOf: poolHash, inputOf: nodePoolHashInput },
    errorsOf: (pool) => nodePoolErrors(pool).map(({ message }) => message),
    registrationHealth: health,
  })
}

function claimControllers(
  parts: CommonParts,
  shared: {
    readonly pools: NodePoolDeps
    readonly health: RegistrationHealthTracker
    readonly brake: DisruptionBrake
    readonly launches: LaunchGuard
    readonly vain: VainLaunches
    readonly rollouts: RolloutEngine
    readonly announce: ((claim: string) => Promise<void>) | undefined
  },
): readonly AnyController[] {
  const { caches } = parts
  const { pools, health, brake, launches, vain, rollouts, announce } = shared
  const deps = { ...parts, metrics: parts.families, cpuMilli: parts.options.cpuRequests }
  const lookup = machineLookup(caches)
  const evictions = evictionQueue({ ...deps, lookup })
  return [
    nodeClaimLifecycle({
      ...deps,
      health,
      launches,
      ignoreDRARequests: parts.options.ignoreDRARequests,
      ...(announce === undefined ? {} : { announce }),
    }),
    circuitBreakerController({ ...pools, ...deps, guard: launches, vain, lookup }),
    nodeClaimGarbageCollection(deps),
    nodeClaimExpiration({ ...deps, brake, expiryTime: rollouts.expiryTime }),
    nodeClaimConsistency(deps),
    nodeClaimHydration(deps),
    podEvents(deps),
    disruptionConditions({
      ...deps,
      labelAliases: awsVocabulary.aliases,
      wellKnownLabels: awsVocabulary.wellKnown,
      nodeClassSources: [claimsOfNodeClass(parts)],
      ownDrift: rollouts.ownDrift,
    }),
    nodeHydration(deps),
    nodeTermination({ ...deps, evictions }),
    evictions.controller,
  ]
}

function classNames({ spec }: NodeClaim): readonly string[] {
  return [spec.nodeClassRef.name]
}

/** A change of a NodeClass concerns every claim that refers to it. */
function claimsOfNodeClass({ caches }: CommonParts) {
  const claims = caches.of(nodeClaims)
  const index = 'nodeClassRef.name'
  claims.addIndex(index, classNames)
  return source(ec2NodeClasses, ({ after, before }) =>
    isCountedOnly(before, after) ? [] : claims.by(index, (after ?? before).metadata.name).map(keyOf),
  )
}

function provisioningControllers(
  parts: Parts,
  shared: {
    readonly buffers: BufferBook
    readonly launches: LaunchGuard
    readonly promises: Promises
    readonly schedulerWords: SchedulerWords
    readonly undone: UndoneConsolidations
    readonly vain: VainLaunches
  },
): readonly AnyController[] {
  const { buffers, launches, promises, schedulerWords, undone, vain } = shared
  const { options, clock, caches, kube, state } = parts
  const batcher = new PodBatcher(clock, { idleMs: options.batchIdleDuration, maxMs: options.batchMaxDuration })
  const withBuffers = options.featureGates['CapacityBuffer'] === true
  launches.onRelease(() => batcher.trigger('launches may go on'))
  const triggers = { caches, clock, batcher, cluster: state, cpuMilli: options.cpuRequests }
  return [
    provisioner({
      kube,
      clock,
      recorder: parts.recorder,
      metrics: parts.families,
      cluster: state,
      batcher,
      solver: parts.solver.solver,
      launches,
      promises,
      undone,
      schedulerWords,
      vain,
      ...(options.preferencePolicy === 'Ignore' ? {} : { warnings: new PreferenceWarnings(clock) }),
      ...(withBuffers ? { buffers } : {}),
    }),
    podTrigger(triggers),
    nodeTrigger(triggers),
    poolTrigger(triggers),
    ...(withBuffers
      ? [
          capacityBufferResolution({ kube, caches, clock, batcher, book: buffers }),
          capacityBufferProvisioning({ kube, caches, clock, book: buffers }),
        ]
      : []),
  ]
}

function staticControllers(parts: Parts, launches: LaunchGuard, late: LateReplacements): readonly AnyController[] {
  const { kube, caches, clock, state, families, solver } = parts
  return [
    staticProvisioning({
      kube,
      caches,
      clock,
      cluster: state,
      metrics: families,
      launches,
      planOf: (pool) => solver.claimOf(solver.staticPlan(pool)),
    }),
    staticDeprovisioning({ kube, caches, clock, cluster: state, late }),
  ]
}

function overlayController(parts: CommonParts): AnyController {
  return nodeOverlayEvaluation({
    kube: parts.kube,
    caches: parts.caches,
    clock: parts.clock,
    cluster: parts.state,
    instanceTypes: parts.withoutOverlays,
    store: parts.overlays,
    errorsOf: (overlay) => nodeOverlayErrors(overlay).map(({ message }) => message),
    labelAliases: awsVocabulary.aliases,
    wellKnownLabels: awsVocabulary.wellKnown,
    // How many of a class's nodes are ready says nothing about what can be launched.
    nodeClassSources: [
      source(ec2NodeClasses, ({ after, before }) => (isCountedOnly(before, after) ? [] : [keyOf(after ?? before)])),
    ],
  })
}

function mirroredWarnings(parts: CommonParts): readonly AnyController[] {
  const { options } = parts
  return warningControllers({
    ...parts,
    severities: options.ruleSeverities,
    fixed: { ...classProblems, nodeClassCEL: options.awsFeatureGates['NodeClassCEL'] === true },
    reservedCapacity: options.featureGates['ReservedCapacity'] === true,
    withOverlays: options.featureGates['NodeOverlay'] === true,
  })
}

function observability(parts: CommonParts): readonly AnyController[] {
  const { caches, clock, families, state, recorder, metrics } = parts
  const status = { caches, clock, recorder, metrics }
  const reservedCapacity = parts.options.featureGates['ReservedCapacity'] === true
  const kinds: readonly (readonly [Resource, (typeof measuredKinds)[keyof typeof measuredKinds], ConditionTypes?])[] = [
    [nodeClaims, measuredKinds.nodeClaim, nodeClaimConditions],
    [nodePools, measuredKinds.nodePool, nodePoolConditions],
    [nodes, measuredKinds.node],
    [ec2NodeClasses, measuredKinds.nodeClass, ec2NodeClassConditions({ reservedCapacity })],
    ...(parts.options.featureGates['CapacityBuffer'] === true
      ? ([[capacityBuffers, measuredKinds.capacityBuffer]] as const)
      : []),
  ]
  return [
    nodeMetricsController({ cluster: state, clock, metrics: families }),
    nodePoolMetricsController({ caches, metrics: families }),
    podMetricsController({ caches, clock, metrics: families, cluster: state }),
    ...kinds.map(([resource, kind, opened]) =>
      statusConditionController(status, resource as Resource<ConditionedObject>, kind, opened),
    ),
  ]
}
