import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import type { Pod } from '../../api/kubernetes.ts'
import type { PlanBasis, PlanLedger } from '../../cluster/index.ts'
import type { Replacement } from '../../disruption/command.ts'
import type { DisruptionGate } from '../../disruption/gate.ts'
import type { Simulate } from '../../disruption/simulation.ts'
import type { StaticPoolCounts } from '../../disruption/static-drift.ts'
import type { Logger } from '../../kube/logger.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { Clock } from '../../model/clock.ts'
import type { Random } from '../../model/random.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { DisruptionBrake } from '../disruption-brake.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import type { LateReplacements } from './late-replacements.ts'
import type { UndoneConsolidations } from './undone-consolidations.ts'

/** What disruption needs of the rest; `Plan` is the solver's plan of a node to launch. */
export interface DisruptionDeps<Plan extends Replacement> {
  readonly kube: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly recorder: EventRecorder
  readonly metrics: ControllerMetrics
  readonly cluster: DisruptionCluster
  /** Binds the solver to one snapshot, so that all simulations of a pass share what they have in common. */
  readonly simulatorFor: (snapshot: Snapshot) => Simulate<Plan>
  /** Differs whenever simulations on the same snapshot may come out differently; absent where they cannot. */
  readonly simulationKeys?: (snapshot: Snapshot) => readonly unknown[]
  /**
   * Creates the claim for a replacement; rejects when the pool's limits are exceeded, when the plan does not hold
   * any more, or when the API server refuses.
   */
  readonly launch: (plan: Plan, cause: LaunchCause, basis: PlanBasis, log: Logger) => Promise<NodeClaim>
  readonly static: StaticPools<Plan>
  /** What may be disrupted now beside what budgets and PDBs say. Asked anew for each look at the cluster. */
  readonly gate: (snapshot: Snapshot) => DisruptionGate
  readonly undone: UndoneConsolidations
  readonly late: LateReplacements
  readonly brake: DisruptionBrake
  readonly settings: DisruptionSettings
}

export interface LaunchCause {
  /** The lower-case disruption reason, for metrics. */
  readonly reason: string
  /** What the claim carries: the annotation that tells who comes after what it replaces. */
  readonly annotations: Readonly<Record<string, string>>
}

interface DisruptionSettings {
  /** Gate SpotToSpotConsolidation. */
  readonly spotToSpot: boolean
  readonly wellKnownLabels: ReadonlySet<string>
}

/** The live cluster state, as far as disruption reads and marks it. */
export interface DisruptionCluster {
  readonly synced: boolean
  /** With the instance types of every pool. */
  snapshot(): Promise<Snapshot>
  /** By provider ID: their capacity no longer counts, and their pods are rescheduled. */
  markForDeletion(...keys: readonly string[]): void
  unmarkForDeletion(...keys: readonly string[]): void
  readonly plans: Pick<PlanLedger, 'basis' | 'whyStale'>
  nominate(key: string): void
  /** Changes whenever something happened that could make another consolidation possible. */
  readonly consolidationState: number
  /** State-node keys that held virtual buffer pods in the last provisioning pass. */
  readonly bufferNodes: ReadonlySet<string>
  /** US dollars per hour by pool. */
  readonly poolCosts: ReadonlyMap<string, number>
  /** By state-node key. */
  readonly disruptionCosts: ReadonlyMap<string, number>
  /** Whether state still knows a claim that the API server does not show (any more, or yet). */
  hasNodeClaim(name: string): boolean
  /** As it was last seen. */
  nodeClaim(name: string): NodeClaim | undefined
  /** As they were last seen. */
  nodeClaims(): readonly NodeClaim[]
  /** Told of a pod that the API server has on a node which was thought to be empty. */
  foundPod(pod: Pod): void
}

/** The bookkeeping and the launching of static pools. */
export interface StaticPools<Plan extends Replacement> {
  readonly counts: ReadonlyMap<string, StaticPoolCounts>
  /** How many of `wanted` the pool's `limits.nodes` grants; what is granted is held until launched or released. */
  reserve(pool: string, wanted: number): number
  release(pool: string, count: number): void
  markPendingDisruption(pool: string, claimName: string): void
  /** The pool's bare template as a plan: no instance type, no resource requests. */
  plan(pool: NodePool): Plan
  /** One claim from the pool's bare template. Releases one reservation, whatever comes of it. */
  launch(pool: string, cause: LaunchCause, log: Logger): Promise<NodeClaim>
}
