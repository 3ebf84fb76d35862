import type { EC2NodeClass, NodeClaim } from '../../api/karpenter.ts'
import type { HeldRoom } from '../../disruption/held-room.ts'
import type { DriftFinding } from '../../model/drift-finding.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { Packing, SchedulingSettings } from '../../scheduling/index.ts'
import type { FleetObjects, Proposal } from './proposal.ts'

export interface PlanInput {
  readonly present: FleetObjects
  readonly proposal: Proposal
  /** The cluster as it is, but with the pools of the proposal and their instance types. */
  readonly snapshot: Snapshot
  /** NodeClaims that have no machine yet, which no snapshot has. */
  readonly starting: readonly NodeClaim[]
  /** What capacity buffers hold on the nodes before the change. */
  readonly held: HeldRoom
  /** By pool: what tells the price of present nodes, those of pools that go included. */
  readonly presentTypes: Snapshot['instanceTypes']
  readonly settings: SchedulingSettings
  /** How pods that lose their node for good share new ones. Replacements of the disruption loop are packed greedily, whatever it says. */
  readonly packing: Packing
  /** What the cloud would find once the class is as proposed, beside the hash. */
  readonly providerDrift: ProviderDrift
  /** Names of classes whose images nobody knows yet: what is to be approved cannot be told either. */
  readonly unresolvedClasses: ReadonlySet<string>
  readonly timing: ReplacementTiming
  /** Whether the operator keeps static pools at their replicas. */
  readonly keepsReplicas: boolean
  /** Kinds of the cluster that could not be read, by their plural names; absent: all could. */
  readonly unread?: readonly string[]
  /**
   * Up to so many candidates times nodes every replacement is judged by itself, as the disruption loop does it; each needs a new view of
   * the cluster, which costs in proportion to its nodes. Beyond it they are judged in groups.
   */
  readonly exactMax?: number
}

/** Seventy of seventy: less than a second. */
export const exactMaxDefault = 5_000

export type ProviderDrift = (claim: NodeClaim, nodeClass: EC2NodeClass) => DriftFinding | undefined

/** What a plan takes for granted about replacements, in milliseconds. */
export interface ReplacementTiming {
  /** From the decision until the new node is initialized. */
  readonly launchMs: number
  /** From then until the old node is gone. */
  readonly drainMs: number
}
