import type { AWSCloud } from '../cloud/aws/index.ts'
import type { AWSClients } from '../cloud/aws/clients.ts'
import { ClusterState, instanceTypesFromCloud } from '../cluster/index.ts'
import { drive } from '../controllers/disruption/drive.ts'
import { VerdictBook } from '../controllers/disruption/index.ts'
import { defineMetrics } from '../controllers/metric-table.ts'
import type { MetricQuery } from '../controllers/rollout/index.ts'
import { OverlayStore } from '../controllers/nodeoverlay/index.ts'
import { evictionCost } from '../disruption/disruption-cost.ts'
import { createCaches, type RunningCaches } from '../kube/caches.ts'
import { createEventRecorder } from '../kube/event-recorder.ts'
import { fenceClient } from '../kube/fenced-client.ts'
import {
  capacityBuffers,
  ec2NodeClasses,
  nodeClaims,
  nodeOverlays,
  nodePools,
  rolloutPolicies,
} from '../kube/karpenter-kinds.ts'
import * as kinds from '../kube/kinds.ts'
import type { LeaderElectionOptions } from '../kube/leader-election.ts'
import type { Logger } from '../kube/logger.ts'
import type { Metrics } from '../kube/metrics.ts'
import type { KubeClient } from '../kube/port.ts'
import type { Resource } from '../kube/resource.ts'
import type { Clock } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import { awsOnlyControllers, type AWSWiring, startAWSCloud } from './aws-wiring.ts'
import { coreControllers } from './controllers.ts'
import { Lifecycle } from './lifecycle.ts'
import { measuredCloud } from './measured-cloud.ts'
import { nominationMs, type Options } from './options.ts'
import { createFleetSource } from './dashboard/fleet-source.ts'
import type { FleetAvailability } from './dashboard/server.ts'
import { blocksFromVerdicts } from './dashboard/verdict-blocks.ts'
import { bindSolver, type PlacementObserver } from './solver/index.ts'
import { queryPrometheus } from './metric-query.ts'
import { awaitStartupChecks, servesResourceClaims } from './startup-checks.ts'
import { fenceAWS, WriteGate } from './write-gate.ts'

export interface OperatorDeps {
  readonly kube: KubeClient
  /** A client of its own for the lease; default: the same one. */
  readonly leaseClient?: KubeClient
  readonly aws: AWSClients
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly options: Options
  /** `major` and `minor` of GET /version. */
  readonly serverVersion: () => Promise<{ readonly major: string; readonly minor: string }>
  /** Base64 of the CA with which the API server is verified; empty when there is none. */
  readonly kubernetesCA: string
  /** Namespace of the lease, when the options do not say. */
  readonly namespace: string
  /** Unique to this process. */
  readonly identity: string
  readonly build: BuildInfo
  /** Told what the start waits for, as the log is; undefined when it goes on. */
  readonly onMissing?: (problem: string | undefined) => void
  /** Answers the Prometheus gates of RolloutPolicies. Default: over HTTP. */
  readonly metricQuery?: MetricQuery
  /** Sees every plan as it was decided. */
  readonly onPlacement?: PlacementObserver
}

export interface BuildInfo {
  readonly version: string
  readonly commit: string
  /** Of the runtime, as the metric's labels say it: `goversion` and `goarch`. */
  readonly goversion: string
  readonly goarch: string
}

export interface Operator {
  readonly caches: RunningCaches
  readonly state: ClusterState
  readonly lifecycle: Lifecycle
  /** Why disruption last left each node alone. */
  readonly verdicts: VerdictBook
  /** What the web page shows. Only the leader watches the cluster. */
  fleet(): FleetAvailability
  /** Asks SSM anew for the images of aliases, which it would do after a day: for whoever knows that there are others. */
  forgetParameters(): void
  /** Resolves when the controllers run. */
  readonly started: Promise<void>
  /** Resolves when all has ended. */
  readonly finished: Promise<'stopped' | 'lost'>
  stop(): Promise<void>
}

/**
 * Puts the whole operator together over whatever adapters it is given, and starts it. Nothing here asks which ones they are: the
 * embedded cluster and production run the same code.
 */
export function startOperator(deps: OperatorDeps): Operator {
  const { clock, random, log, metrics, options, onMissing = () => undefined } = deps
  const gate = new WriteGate(options.observe ? 'observe' : 'act')
  const kube = fenceClient(deps.kube, gate.refusal)
  const aws = fenceAWS(deps.aws, gate.refusal)
  const recorder = createEventRecorder({ client: kube, clock, random, log })
  const caches = createCaches({ client: deps.kube, clock, random, log })
  const families = defineMetrics(metrics)
  families.buildInfo.set(deps.build, 1)
  const overlays = new OverlayStore()
  const verdicts = new VerdictBook()
  const wiring: AWSWiring = { ...deps, kube, aws, caches, recorder, families, overlays, onMissing }

  const cloud = new StartedCloud()
  const withoutOverlays = instanceTypesFromCloud({
    getInstanceTypes: (pool) => measuredCloud(cloud.get().provider, families, clock).getInstanceTypes(pool),
  })
  const instanceTypes = options.featureGates['NodeOverlay'] === true ? overlays.over(withoutOverlays) : withoutOverlays
  const state = new ClusterState({
    caches,
    clock,
    log,
    cloud: { nodeClassKinds: [{ group: ec2NodeClasses.group, kind: ec2NodeClasses.kind }] },
    instanceTypes,
    nominationMs: nominationMs(options),
    evictionCost,
    spreadOwners: options.scheduler.defaultConstraints.length > 0,
  })
  if (options.scheduler.defaultConstraints.length > 0) {
    log.info({ constraints: options.scheduler.defaultConstraints }, 'using default topology spread constraints')
  }

  let ignoreDRARequests = options.ignoreDRARequests
  const lifecycle = new Lifecycle({
    caches,
    clock,
    random,
    log,
    metrics,
    recorder,
    gate,
    warmUp: !options.disableControllerWarmup,
    graceMs: options.shutdownGracePeriod,
    ...(options.disableLeaderElection || options.observe ? {} : { election: electionOf(deps) }),
    ready: async (signal) => {
      await awaitStartupChecks({ client: deps.kube, clock, log, watched: watchedKinds(options), onMissing }, signal)
      ignoreDRARequests ||= !(await servesResourceClaims({ client: deps.kube, log }, signal))
      if (!ignoreDRARequests) state.watchDevices()
    },
    prepare: async (signal) => cloud.set(await startAWSCloud(wiring, signal)),
    controllers: () => {
      const parts = {
        ...wiring,
        cloud: measuredCloud(cloud.get().provider, families, clock),
        state,
        instanceTypes,
        withoutOverlays,
        options: { ...options, ignoreDRARequests },
        solver: bindSolver({
          options: { ...options, ignoreDRARequests },
          clock,
          metrics: families,
          ...(deps.onPlacement === undefined ? {} : { onPlacement: deps.onPlacement }),
        }),
        verdicts,
        classHash: cloud.get().hash,
        metricQuery: deps.metricQuery ?? queryPrometheus,
      }
      return [...coreControllers(parts), ...awsOnlyControllers(wiring, cloud.get())]
    },
    leading: () => cloud.get().lead(),
    beforeWork: (signal) => drive(state.readAll(), clock, signal),
    stopped: () => cloud.stop(),
  })
  const source = createFleetSource({
    cluster: options.clusterName,
    state,
    caches,
    clock,
    instanceTypes,
    policies: () => caches.of(rolloutPolicies).list(),
    blocked: (snapshot) => blocksFromVerdicts(verdicts.all(), snapshot),
  })
  return {
    caches,
    state,
    lifecycle,
    verdicts,
    fleet: () =>
      lifecycle.state === 'running'
        ? { kind: 'ready', source }
        : { kind: 'unavailable', problem: `This replica is ${lifecycle.state}; look at the one that leads.` },
    forgetParameters: () => cloud.forgetParameters(),
    started: lifecycle.started,
    finished: lifecycle.finished,
    stop: () => lifecycle.stop(),
  }
}

/** The cloud provider, which is there only after the start-up checks. */
class StartedCloud {
  #cloud: AWSCloud | undefined

  set(cloud: AWSCloud): void {
    this.#cloud = cloud
  }

  get(): AWSCloud {
    if (this.#cloud === undefined) throw new Error('the cloud provider has not been started yet')
    return this.#cloud
  }

  /** Before it is started it remembers nothing. */
  forgetParameters(): void {
    this.#cloud?.ssm.clear()
  }

  stop(): void {
    this.#cloud?.stop()
  }
}

function electionOf(deps: OperatorDeps): LeaderElectionOptions {
  const { options, clock, random, log } = deps
  return {
    client: deps.leaseClient ?? deps.kube,
    clock,
    random,
    log,
    name: options.leaderElectionName,
    namespace: options.leaderElectionNamespace === '' ? deps.namespace : options.leaderElectionNamespace,
    identity: deps.identity,
    status: deps.metrics.gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process holds the lease.',
      labels: ['name'],
    }),
    slowPath: deps.metrics.counter({
      name: 'leader_election_slowpath_total',
      help: 'Renewals of a lease in hand that did not succeed at once.',
      labels: ['name'],
    }),
  }
}

/** Kinds without which the operator cannot work, in the order in which their absence is worth telling. */
function watchedKinds(options: Options): readonly Resource[] {
  return [
    nodePools,
    nodeClaims,
    ec2NodeClasses,
    ...(options.featureGates['NodeOverlay'] === true ? [nodeOverlays] : []),
    ...(options.featureGates['CapacityBuffer'] === true ? [capacityBuffers] : []),
    kinds.nodes,
    kinds.pods,
    kinds.daemonSets,
    kinds.namespaces,
    kinds.podDisruptionBudgets,
    kinds.persistentVolumeClaims,
    kinds.persistentVolumes,
    kinds.storageClasses,
    kinds.csiNodes,
    kinds.volumeAttachments,
  ]
}
