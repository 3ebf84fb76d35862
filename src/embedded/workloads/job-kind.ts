import type { Condition, KubeObject, LabelSelector, PodTemplateSpec } from '../../api/kubernetes.ts'
import type { Resource } from '../../kube/resource.ts'

export interface Job extends KubeObject {
  spec: {
    parallelism?: number
    completions?: number
    completionMode?: string
    backoffLimit?: number
    activeDeadlineSeconds?: number
    podFailurePolicy?: { rules: PodFailureRule[] }
    podReplacementPolicy?: string
    suspend?: boolean
    ttlSecondsAfterFinished?: number
    selector?: LabelSelector
    template: PodTemplateSpec
  }
  status?: {
    active?: number
    ready?: number
    terminating?: number
    succeeded?: number
    completedIndexes?: string
    failed?: number
    startTime?: string
    completionTime?: string
    conditions?: Partial<Condition>[]
  }
}

export interface PodFailureRule {
  action: string
  onExitCodes?: { containerName?: string | null; operator: string; values: number[] }
  onPodConditions?: { type: string; status?: string }[]
}

export const jobs: Resource<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true }
