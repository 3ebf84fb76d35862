import type {
  CSINode,
  DaemonSet,
  DeviceClass,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceSlice,
  Service,
  StatefulSet,
  StorageClass,
  Taint,
} from '../api/kubernetes.ts'
import type { NodeClaim, NodePool } from '../api/karpenter.ts'
import type { InstanceType } from './instance-type.ts'
import type { PodInfo } from './pod.ts'
import type { Resources } from './resources.ts'

/**
 * The cluster at one moment, as every decision of the core sees it. Immutable and shared; lists are sorted by namespace and name,
 * so that equal clusters give equal decisions whatever order the watches arrived in.
 */
export interface Snapshot {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly nodes: readonly StateNode[]
  /** Pods that no node runs yet, provisionable or not. Bound pods are in `nodes[].pods`. */
  readonly unboundPods: readonly PodInfo[]
  /** Managed pools only, static ones and those being deleted included. */
  readonly nodePools: readonly NodePool[]
  /** By pool name. A pool whose types could not be listed, or await NodeOverlay evaluation, says so. */
  readonly instanceTypes: ReadonlyMap<string, InstanceTypeList | HeldInstanceTypes>
  readonly daemonSets: readonly DaemonSetInfo[]
  /** Labels by namespace. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[]
  readonly volumes: VolumeObjects
  /** Left out where Dynamic Resource Allocation is not looked at. */
  readonly devices?: DeviceObjects
  /** Read only to deduce the selectors of default topology spread constraints. */
  readonly spreadOwners: SpreadOwners
}

export type InstanceTypeList =
  | { readonly kind: 'resolved'; readonly types: readonly InstanceType[] }
  | { readonly kind: 'unresolved'; readonly error: string }
  | { readonly kind: 'awaitingOverlays' }
  /** Offline, nobody can be asked: what does not rest on types and prices is decided all the same. */
  | { readonly kind: 'unknown'; readonly because: string }

/** Of a pool that may open no node now. Its zones and the like stay domains that pods are spread over. */
export interface HeldInstanceTypes {
  readonly kind: 'held'
  readonly what: 'circuit breaker is open' | 'nodeclaims are refused'
  readonly because: string
  readonly types: readonly InstanceType[]
}

/** A DaemonSet and the newest pod it controls, which shows what its pods ask for on a node. */
export interface DaemonSetInfo {
  readonly daemonSet: DaemonSet
  readonly newestPod: PodInfo | undefined
}

/** By `namespace/name`, or by name for cluster-scoped objects. */
export interface VolumeObjects {
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>
  readonly volumes: ReadonlyMap<string, PersistentVolume>
  readonly storageClasses: ReadonlyMap<string, StorageClass>
  readonly csiNodes: ReadonlyMap<string, CSINode>
}

/** Of resource.k8s.io: claims by `namespace/name`, classes by name. */
export interface DeviceObjects {
  readonly claims: ReadonlyMap<string, ResourceClaim>
  readonly classes: ReadonlyMap<string, DeviceClass>
  readonly slices: readonly ResourceSlice[]
}

export interface SpreadOwners {
  readonly services: readonly Service[]
  readonly replicaSets: ReadonlyMap<string, ReplicaSet>
  readonly replicationControllers: ReadonlyMap<string, ReplicationController>
  readonly statefulSets: ReadonlyMap<string, StatefulSet>
}

/**
 * A Node, a NodeClaim, or both halves of one machine, joined by provider ID; which half is authoritative for what is decided once
 * and stands in the plain fields.
 */
export interface StateNode {
  /** Provider ID, or the node's name where it has none. */
  readonly key: string
  readonly node: Node | undefined
  readonly nodeClaim: NodeClaim | undefined
  /** The claim's until registered, then the node's. */
  readonly name: string
  readonly hostname: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** Without known ephemeral and startup taints while a managed node is not initialized. */
  readonly taints: readonly Taint[]
  /** `nodes: 1` included. */
  readonly capacity: Resources
  readonly allocatable: Resources
  /** Has a NodeClaim. */
  readonly managed: boolean
  readonly registered: boolean
  readonly initialized: boolean
  /** By the disruption queue, by a deleting or terminating claim, or (unmanaged) by a deleting node. */
  readonly markedForDeletion: boolean
  /** Milliseconds since the epoch until which a pending pod was promised a place here; 0 when none. */
  readonly nominatedUntil: number
  /** Bound pods that are not terminal; terminating ones still count. */
  readonly pods: readonly PodInfo[]
  /** From the CSINode, by driver; a driver that is not there has no limit. */
  readonly volumeLimits: ReadonlyMap<string, number>
  /** Value of the `karpenter.sh/nodepool` label; empty when there is none. */
  readonly nodePool: string
}
