// Generated from schemas/ by `npm run generate`. Do not edit.
import type { Condition, KubeObject, ResourceListText } from '../kubernetes.ts'

/**
 * A CapacityBuffer keeps room free for pods that do not exist yet.
 */
export interface CapacityBuffer extends KubeObject {
  spec: CapacityBufferSpec
  status?: CapacityBufferStatus
}
/**
 * How much room is wanted, and for pods of which shape.
 */
export interface CapacityBufferSpec {
  /**
   * How the room is provided. Buffers with a strategy other than the default are left to others.
   */
  provisioningStrategy?: string
  podTemplateRef?: CapacityBufferPodTemplateReference
  scalableRef?: CapacityBufferScalableReference
  /**
   * Room for this many pods.
   */
  replicas?: number
  /**
   * Room for this share of the scalable object's replicas; with replicas set as well, the greater of both.
   */
  percentage?: number
  /**
   * Upper bound for the room, by resource.
   */
  limits?: ResourceListText
}
/**
 * A PodTemplate in the same namespace.
 */
export interface CapacityBufferPodTemplateReference {
  /**
   * Name of the PodTemplate.
   */
  name: string
}
/**
 * A Deployment, StatefulSet or ReplicaSet in the same namespace.
 */
export interface CapacityBufferScalableReference {
  /**
   * API group of the object.
   */
  apiGroup?: string
  /**
   * Kind of the object.
   */
  kind: string
  /**
   * Name of the object.
   */
  name: string
}
/**
 * What was observed.
 */
export interface CapacityBufferStatus {
  podTemplateRef?: CapacityBufferStatusPodTemplateReference
  /**
   * Generation of the pod template in use.
   */
  podTemplateGeneration?: number
  /**
   * How many pods there is to be room for.
   */
  replicas?: number
  /**
   * The strategy in use.
   */
  provisioningStrategy?: string
  /**
   * Conditions of the object; Ready sums up the others.
   *
   * Items: One aspect of the observed state.
   */
  conditions?: Condition[]
}
/**
 * The pod template in use.
 */
export interface CapacityBufferStatusPodTemplateReference {
  /**
   * Name of the PodTemplate.
   */
  name?: string
}
