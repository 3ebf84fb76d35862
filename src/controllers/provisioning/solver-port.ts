import type { NodeClaim } from '../../api/karpenter.ts'
import type { Unsaved } from '../../api/kubernetes.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { Resources } from '../../model/resources.ts'
import type { Snapshot } from '../../model/snapshot.ts'

/** What provisioning needs of the solver; the composition root binds it to `src/scheduling`. */
export interface Solver {
  /** The pods that a pass leaves alone, of those that wait. */
  ignored(pending: readonly PodInfo[], snapshot: Snapshot): readonly IgnoredPod[]
  /** Runs in slices; what is left undone at the deadline is neither placed nor failed. Rejects with the signal's reason when aborted. */
  solve(request: ProvisioningSolveRequest, signal: AbortSignal): Promise<SolveOutcome>
}

export interface ProvisioningSolveRequest {
  readonly snapshot: Snapshot
  /** Provisionable pods without the ignored ones. */
  readonly pending: readonly PodInfo[]
  /** Stand-ins of capacity buffers. */
  readonly virtual: readonly PodInfo[]
  /** Pods of nodes that are going, which will need a place. */
  readonly displaced: readonly PodInfo[]
  /** In milliseconds of the monotonic clock. */
  readonly deadline: number
  /** By pod UID: the state-node key where an earlier pass placed the pod. */
  readonly promised: ReadonlyMap<string, string>
  /** By pod UID: pods for which no node may be made now, and why not. */
  readonly held: ReadonlyMap<string, string>
}

export type SolveOutcome = Readonly<
  /** There is no pool that nodes could be made for. */
  | { kind: 'noPools'; notices: readonly PoolNotice[] }
  | {
      kind: 'solved'
      notices: readonly PoolNotice[]
      claims: readonly PlannedClaim[]
      /** Existing or in-flight nodes that take pods, by state-node key. */
      existing: readonly { readonly key: string; readonly pods: readonly PodInfo[] }[]
      failed: readonly FailedPod[]
      /** What pods gave up, in the order of events. */
      relaxed: readonly { readonly pod: PodInfo; readonly reason: string }[]
      /** Whether the deadline came before every pod had been tried. */
      timedOut: boolean
      /** US dollars per hour of the new nodes, and what nodes for their pods cost at least; absent where prices are unknown. */
      cost?: { readonly pricePerHour: number; readonly lowerBound: number }
    }
>

/** A pod that failed validation. */
export interface IgnoredPod {
  readonly pod: PodInfo
  readonly error: string
  /** Pods that keep away from our nodes on purpose are not worth an event. */
  readonly reported: boolean
}

export interface FailedPod {
  readonly pod: PodInfo
  readonly error: string
  /**
   * `deferred`: waits for reserved capacity of a later pass; `unsupported`: uses Dynamic Resource Allocation; `waiting`: its node is
   * asked for as soon as the first of many launches have succeeded.
   */
  readonly kind: 'unschedulable' | 'deferred' | 'unsupported' | 'waiting'
}

/** Something about a pool that kept it out of the solve. */
export interface PoolNotice {
  readonly pool: string
  readonly level: 'error' | 'info' | 'debug'
  readonly message: string
  readonly detail?: string
  /** Set when the pool's requirements left no instance type: published on the pool. */
  readonly event?: string
}

/** A node to be made, ready to be written. */
export interface PlannedClaim {
  readonly nodePool: string
  readonly claim: Unsaved<NodeClaim>
  readonly pods: readonly PodInfo[]
  /** By name; for the log. */
  readonly instanceTypeNames: readonly string[]
  readonly requests: Resources
  readonly minValuesRelaxed: boolean
}
