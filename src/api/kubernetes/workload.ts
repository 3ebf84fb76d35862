import type { Condition, KubeObject, ObjectMeta } from './object.ts'
import type { PodTemplateSpec } from './pod.ts'
import type { LabelSelector } from './selector.ts'
import type { PersistentVolumeClaimSpec } from './storage.ts'

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number
    selector: LabelSelector
    template: PodTemplateSpec
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string } }
    paused?: boolean
    revisionHistoryLimit?: number
    minReadySeconds?: number
    progressDeadlineSeconds?: number
  }
  status?: Record<string, unknown>
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; selector: LabelSelector; template: PodTemplateSpec; minReadySeconds?: number }
  status?: Record<string, unknown>
}

export interface ReplicationController extends KubeObject {
  spec?: { replicas?: number; selector?: Record<string, string>; template?: PodTemplateSpec }
}

export interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number
    selector: LabelSelector
    template: PodTemplateSpec
    serviceName?: string
    podManagementPolicy?: string
    ordinals?: { start?: number }
    volumeClaimTemplates?: { metadata: Partial<ObjectMeta>; spec: PersistentVolumeClaimSpec }[]
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string }
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } }
    revisionHistoryLimit?: number
    minReadySeconds?: number
  }
  status?: Record<string, unknown>
}

export interface DaemonSet extends KubeObject {
  spec: {
    selector: LabelSelector
    template: PodTemplateSpec
    updateStrategy?: { type?: string; rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string } }
    revisionHistoryLimit?: number
    minReadySeconds?: number
  }
  status?: Record<string, unknown>
}

export interface ControllerRevision extends KubeObject {
  /** As those of StatefulSets and DaemonSets have it: a patch that brings the template back. */
  data?: { spec?: { template?: PodTemplateSpec & { $patch?: string } } }
  revision: number
}

export interface PodDisruptionBudget extends KubeObject {
  spec: {
    selector?: LabelSelector
    minAvailable?: number | string
    maxUnavailable?: number | string
    unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow'
  }
  status?: {
    disruptionsAllowed?: number
    currentHealthy?: number
    desiredHealthy?: number
    expectedPods?: number
    /** When the eviction of each of these pods was granted. */
    disruptedPods?: Record<string, string>
    observedGeneration?: number
    conditions?: Condition[]
  }
}
