import type { NodeClassHash } from '../cloud/aws/index.ts'
import type { CloudProvider } from '../cloud/provider.ts'
import type { ClusterState, InstanceTypeSource } from '../cluster/index.ts'
import type { VerdictBook } from '../controllers/disruption/index.ts'
import type { ControllerMetrics } from '../controllers/metric-table.ts'
import type { OverlayStore } from '../controllers/nodeoverlay/index.ts'
import type { MetricQuery } from '../controllers/rollout/index.ts'
import type { RunningCaches } from '../kube/caches.ts'
import type { Controller, SingletonController } from '../kube/controller.ts'
import type { Logger } from '../kube/logger.ts'
import type { Metrics } from '../kube/metrics.ts'
import type { KubeClient } from '../kube/port.ts'
import type { EventRecorder } from '../kube/recorder.ts'
import type { Clock } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import type { Options } from './options.ts'
import type { SolverBinding } from './solver/index.ts'

export type AnyController = Controller | SingletonController

/** What all controllers are made from. */
export interface CommonParts {
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
