import type { LabelSelector, NodeSelectorTerm } from './selector.ts'

export interface Affinity {
  nodeAffinity?: NodeAffinity
  podAffinity?: PodAffinity
  podAntiAffinity?: PodAffinity
}

interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] }
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTerm }[]
}

interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[]
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector
  namespaces?: string[]
  namespaceSelector?: LabelSelector
  topologyKey: string
  matchLabelKeys?: string[]
  mismatchLabelKeys?: string[]
}

export interface WeightedPodAffinityTerm {
  weight: number
  podAffinityTerm: PodAffinityTerm
}

export interface TopologySpreadConstraint {
  maxSkew: number
  topologyKey: string
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'
  labelSelector?: LabelSelector
  minDomains?: number
  nodeAffinityPolicy?: 'Honor' | 'Ignore'
  nodeTaintsPolicy?: 'Honor' | 'Ignore'
  matchLabelKeys?: string[]
}
