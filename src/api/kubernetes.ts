/**
 * The shapes of Kubernetes' own objects as they travel: JSON, with quantities and timestamps as text. Only the fields this project
 * reads or writes are named; objects keep whatever else they carry. Client-node's classes are not used because they turn
 * timestamps into Date and drop unknown fields.
 */

export type {
  Affinity,
  PodAffinityTerm,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from './kubernetes/affinity.ts'
export type {
  CapacityRequestPolicy,
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  ResourceClaim,
  ResourceSlice,
} from './kubernetes/device.ts'
export type { Event } from './kubernetes/event.ts'
export type { Lease } from './kubernetes/lease.ts'
export type { Node, NodeCondition } from './kubernetes/node.ts'
export type { Condition, KubeObject, Namespace, ObjectMeta, OwnerReference, Unsaved } from './kubernetes/object.ts'
export type {
  Container,
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
  PodTemplate,
  PodTemplateSpec,
  PriorityClass,
  Volume,
} from './kubernetes/pod.ts'
export type { QuantityText, ResourceListText } from './kubernetes/quantity.ts'
export type {
  LabelSelector,
  LabelSelectorRequirement,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
} from './kubernetes/selector.ts'
export type { Service } from './kubernetes/service.ts'
export type {
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  StorageClass,
  VolumeAttachment,
} from './kubernetes/storage.ts'
export type { Taint, TaintEffect, Toleration } from './kubernetes/taint.ts'
export type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from './kubernetes/workload.ts'
