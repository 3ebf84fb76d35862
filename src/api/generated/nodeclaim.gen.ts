// Generated from schemas/ by `npm run generate`. Do not edit.
import type { Condition, KubeObject, ResourceListText, Taint } from '../kubernetes.ts'

/**
 * A NodeClaim asks for one node and follows it from launch to termination.
 */
export interface NodeClaim extends KubeObject {
  spec: NodeClaimSpec
  status?: NodeClaimStatus
}
/**
 * What is wanted. It cannot be changed after creation.
 */
export interface NodeClaimSpec {
  nodeClassRef: NodeClassReference
  /**
   * Constraints on the node's labels.
   *
   * @maxItems 100
   */
  requirements: NodeClaimRequirement[]
  resources?: NodeClaimResources
  /**
   * Taints of the node.
   *
   * Items: Keeps away every pod that does not tolerate it.
   */
  taints?: Taint[]
  /**
   * Taints the node starts with, which something else removes; the node is initialized once they are gone.
   *
   * Items: Keeps away every pod that does not tolerate it.
   */
  startupTaints?: Taint[]
  /**
   * How long a node may live before it is drained and replaced, by force if need be. Never switches it off.
   */
  expireAfter?: string
  /**
   * How long a node may drain before what is left on it is deleted and the instance ends. Without it, draining has no limit.
   */
  terminationGracePeriod?: string
}
/**
 * Names the node class, the object with the cloud's side of the configuration.
 */
export interface NodeClassReference {
  /**
   * API group of the node class, without a version.
   */
  group: string
  /**
   * Kind of the node class.
   */
  kind: string
  /**
   * Name of the node class.
   */
  name: string
}
/**
 * One constraint on a node label.
 */
export interface NodeClaimRequirement {
  /**
   * The node label that the requirement constrains.
   */
  key: string
  /**
   * How the label relates to the values.
   */
  operator: 'Gte' | 'Lte' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  /**
   * Values for the operator: at least one for In, exactly one non-negative integer for Gt, Lt, Gte and Lte, none for Exists and DoesNotExist.
   */
  values?: string[]
  /**
   * How many different values of this label the instance types to choose from must offer at least.
   */
  minValues?: number
}
/**
 * Resources the node must have at least.
 */
export interface NodeClaimResources {
  /**
   * Requests of the pods the node is meant for, daemons included.
   */
  requests?: ResourceListText
}
/**
 * What was observed.
 */
export interface NodeClaimStatus {
  /**
   * Name of the node that belongs to the claim.
   */
  nodeName?: string
  /**
   * Identity of the instance, as in the node's spec.providerID.
   */
  providerID?: string
  /**
   * Image the instance was launched from.
   */
  imageID?: string
  /**
   * Estimated capacity of the node.
   */
  capacity?: ResourceListText
  /**
   * Estimated allocatable resources of the node.
   */
  allocatable?: ResourceListText
  /**
   * When a pod was last bound to the node or left it.
   */
  lastPodEventTime?: string
  /**
   * Conditions of the claim; Ready sums up Launched, Registered and Initialized.
   *
   * Items: One aspect of the observed state. Reason and message may be absent, unlike in other kinds.
   */
  conditions?: Condition[]
}
