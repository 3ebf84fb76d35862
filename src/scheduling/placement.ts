import type { NodePool } from '../api/karpenter.ts'
import type { Taint } from '../api/kubernetes.ts'
import type { InstanceType } from '../model/instance-type.ts'
import type { PodInfo } from '../model/pod.ts'
import type { Incompatibility, Requirements } from '../model/requirements.ts'
import type { Resources } from '../model/resources.ts'
import type { StateNode } from '../model/snapshot.ts'
import type { FilteredPool } from './make-templates.ts'
import type { UnresolvedPool } from './node-pools.ts'

/** What the solver decided. Pods appear once: placed, failed, deferred or not attempted. */
export interface Placement {
  /** In the order in which they were opened. */
  readonly newNodePlans: readonly NodePlan[]
  /** Nodes that take pods, in snapshot order. */
  readonly existing: readonly ExistingPlacement[]
  /** In queue order. */
  readonly failures: readonly PodFailure[]
  /** Wait for the next pass, because reservations are being taken up: neither failures nor worth an event. */
  readonly deferred: readonly PodInfo[]
  /** The deadline came before their turn, or before the next one, which would have helped. They have no error and come back by themselves. */
  readonly unattempted: readonly PodInfo[]
  readonly timedOut: boolean
  /** What pods gave up, in the order of events. */
  readonly relaxations: readonly PodRelaxation[]
  readonly filteredPools: readonly FilteredPool[]
  readonly unresolvedPools: readonly UnresolvedPool[]
}

/** A node to be made; not yet a NodeClaim. */
export interface NodePlan {
  readonly nodePool: string
  readonly pool: NodePool
  /** Without the keys that only simulations use. */
  readonly requirements: Requirements
  /** Cheapest first, at most 600. */
  readonly instanceTypes: readonly InstanceType[]
  readonly pods: readonly PodInfo[]
  /** Of the pods, and of the daemons that every kept type would host. */
  readonly requests: Resources
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** Reservations that it may launch into, sorted. */
  readonly reservations: readonly string[]
  readonly minValuesRelaxed: boolean
  /** US dollars per hour of the cheapest way to launch it; undefined when no kept type has a compatible available offering. */
  readonly price: number | undefined
}

export interface ExistingPlacement {
  readonly node: StateNode
  readonly pods: readonly PodInfo[]
}

export interface PodRelaxation {
  readonly pod: PodInfo
  readonly reason: string
}

export interface PodFailure {
  readonly pod: PodInfo
  /** As events and logs give it. */
  readonly text: string
  readonly because: PodRefusal
}

export type PodRefusal =
  | { readonly kind: 'noTemplates' }
  | { readonly kind: 'resourceClaims' }
  /** One of its resource claims is not there, or asks for what no allocation can give. */
  | { readonly kind: 'unresolvedClaims' }
  /** A volume that one pod has to itself goes to another one of the same solve. */
  | { readonly kind: 'exclusiveVolume' }
  /** Every pool refused, each with its reason, in template order. */
  | { readonly kind: 'pools'; readonly pools: readonly PoolRefusal[] }
  /** Its node was given up at the end, because cheap types alone do not reach minValues. */
  | { readonly kind: 'truncatedBelowMinValues'; readonly nodePool: string }

export interface PoolRefusal {
  readonly nodePool: string
  readonly reason: RefusalReason
  readonly text: string
  readonly nearestMiss: NearestMiss | undefined
}

export type RefusalReason =
  | { readonly kind: 'taints'; readonly taints: readonly Taint[] }
  | { readonly kind: 'requirements'; readonly incompatibilities: readonly Incompatibility[] }
  | { readonly kind: 'volumeRequirements'; readonly incompatibilities: readonly Incompatibility[] }
  /** No node can have the pod's volumes together; by which labels. */
  | { readonly kind: 'exclusiveVolumes'; readonly keys: readonly string[] }
  | { readonly kind: 'devices' }
  | { readonly kind: 'topology'; readonly constraint: 'spread' | 'affinity' | 'antiAffinity'; readonly key: string }
  | { readonly kind: 'topologyRequirements'; readonly incompatibilities: readonly Incompatibility[] }
  | { readonly kind: 'nodeLimit' }
  | { readonly kind: 'limits' }
  | { readonly kind: 'instanceTypes'; readonly lacking: readonly ('requirements' | 'resources' | 'offering')[] }
  | { readonly kind: 'minValues'; readonly keys: readonly string[] }
  | { readonly kind: 'reserved' }

/** The smallest change that would have let the pod in, as far as one change would. */
export type NearestMiss =
  | { readonly kind: 'taint'; readonly text: string }
  | { readonly kind: 'limit'; readonly resource: string; readonly instanceType: string; readonly text: string }
  | { readonly kind: 'resource'; readonly resource: string; readonly instanceType: string; readonly text: string }
  | { readonly kind: 'devices'; readonly text: string }
  /** A daemon has it wherever the pod could go. */
  | { readonly kind: 'hostPort'; readonly text: string }
  /** The limits refuse it, and something else would if they did not. */
  | { readonly kind: 'besidesLimits'; readonly text: string }
  | { readonly kind: 'offering'; readonly instanceType: string; readonly text: string }
  | { readonly kind: 'requirement'; readonly key: string; readonly text: string }
