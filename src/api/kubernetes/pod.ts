import type { Affinity, TopologySpreadConstraint } from './affinity.ts'
import type { Condition, KubeObject, ObjectMeta } from './object.ts'
import type { ResourceListText, ResourceRequirements } from './quantity.ts'
import type { PersistentVolumeClaimSpec } from './storage.ts'
import type { Toleration } from './taint.ts'

export interface Pod extends KubeObject {
  spec: PodSpec
  status?: PodStatus
}

export interface PodSpec {
  nodeName?: string
  hostname?: string
  subdomain?: string
  schedulerName?: string
  priority?: number
  priorityClassName?: string
  preemptionPolicy?: string
  nodeSelector?: Record<string, string>
  affinity?: Affinity
  tolerations?: Toleration[]
  topologySpreadConstraints?: TopologySpreadConstraint[]
  containers: Container[]
  initContainers?: Container[]
  volumes?: Volume[]
  overhead?: ResourceListText
  resources?: ResourceRequirements
  resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[]
  schedulingGates?: { name: string }[]
  terminationGracePeriodSeconds?: number
  restartPolicy?: 'Always' | 'Never' | 'OnFailure'
  serviceAccountName?: string
  hostNetwork?: boolean
  runtimeClassName?: string
}

export interface Container {
  name: string
  image?: string
  command?: string[]
  args?: string[]
  env?: { name: string; value?: string; valueFrom?: unknown }[]
  ports?: ContainerPort[]
  resources?: ResourceRequirements
  restartPolicy?: 'Always' | 'Never' | 'OnFailure'
}

interface ContainerPort {
  containerPort: number
  hostPort?: number
  hostIP?: string
  protocol?: string
  name?: string
}

export interface Volume {
  name: string
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean }
  ephemeral?: { volumeClaimTemplate?: { metadata?: Partial<ObjectMeta>; spec: PersistentVolumeClaimSpec } }
  [source: string]: unknown
}

export interface PodStatus {
  phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
  conditions?: Partial<Condition>[]
  nominatedNodeName?: string
  startTime?: string
  reason?: string
  message?: string
  podIP?: string
  resize?: string
  containerStatuses?: ContainerStatus[]
  initContainerStatuses?: ContainerStatus[]
  resourceClaimStatuses?: { name: string; resourceClaimName?: string }[]
}

export interface ContainerStatus {
  name: string
  ready?: boolean
  restartCount?: number
  state?: Record<string, unknown>
  resources?: ResourceRequirements
  allocatedResources?: ResourceListText
}

export interface PodTemplateSpec {
  metadata?: Partial<ObjectMeta>
  spec: PodSpec
}

export interface PodTemplate extends KubeObject {
  template: PodTemplateSpec
}

export interface PriorityClass extends KubeObject {
  value: number
  globalDefault?: boolean
  preemptionPolicy?: string
}
