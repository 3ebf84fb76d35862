import { nodePoolHashInput, nodePoolHashVersion } from '../api/hash/index.ts'
import type { EC2NodeClass } from '../api/karpenter.ts'
import { awsVocabulary } from '../api/label-rules.ts'
import { nodeOverlayErrors, nodePoolErrors } from '../api/runtime-validation/index.ts'
import { classProblems } from '../cloud/aws/class-problems.ts'
import { PoolCostTracker, stateSyncController } from '../cluster/index.ts'
import { BufferBook } from '../controllers/capacitybuffer/index.ts'
import { scaledConcurrency } from '../controllers/concurrency.ts'
import { LateReplacements, UndoneConsolidations, workloadSizesIn } from '../controllers/disruption/index.ts'
import { DisruptionBrake } from '../controllers/disruption-brake.ts'
import { nodeRepair } from '../controllers/health/index.ts'
import { LaunchGuard, VainLaunches } from '../controllers/launches/index.ts'
import { poolCostController } from '../controllers/metrics/index.ts'
import { nodeOverlayEvaluation } from '../controllers/nodeoverlay/index.ts'
import {
  type NodePoolDeps,
  nodePoolControllers,
  PoolStatusWriter,
  RegistrationHealthTracker,
} from '../controllers/nodepool/index.ts'
import { nominations, Promises, schedulerWordsIn } from '../controllers/provisioning/index.ts'
import { isCountedOnly } from '../controllers/rollout/counted-only.ts'
import { staticDeprovisioning, staticProvisioning } from '../controllers/static/index.ts'
import { warningControllers } from '../controllers/warnings/index.ts'
import { source } from '../kube/controller.ts'
import { ec2NodeClasses, nodeClaims } from '../kube/karpenter-kinds.ts'
import { pods } from '../kube/kinds.ts'
import { keyOf, type Resource } from '../kube/resource.ts'
import { claimControllers } from './claim-wiring.ts'
import { disruptionControllers } from './disruption-wiring.ts'
import { observabilityControllers } from './observability-wiring.ts'
import type { Options } from './options.ts'
import type { AnyController, CommonParts, Parts } from './parts.ts'
import { poolHash } from './pool-hash.ts'
import { provisioningControllers } from './provisioning-wiring.ts'
import { rolloutEngine } from './rollout-engine.ts'
import { rolloutStatus } from './rollout-wiring.ts'

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
    ...(options.disableClusterStateObservability ? [] : observabilityControllers(parts)),
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
