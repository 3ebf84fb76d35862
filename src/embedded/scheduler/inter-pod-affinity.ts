import type { LabelSelector, Pod, PodAffinityTerm } from '../../api/kubernetes.ts'
import { labelOf } from '../../model/label-selector.ts'
import { type Labels, selects } from '../labels.ts'
import type { NodeState } from './node-state.ts'

export type NamespaceLabels = (namespace: string) => Labels | undefined

/** Counts of matching pods by topology value, worked out once per pod that is to be placed. */
export interface AffinityState {
  /** For each required affinity term of the pod: matches by value of its topology key. */
  readonly affinity: readonly { readonly term: PodAffinityTerm; readonly counts: ReadonlyMap<string, number> }[]
  readonly antiAffinity: readonly { readonly term: PodAffinityTerm; readonly counts: ReadonlyMap<string, number> }[]
  /** Topology pairs `key=value` that running pods' own anti-affinity keeps the pod out of. */
  readonly refusedBy: ReadonlySet<string>
  readonly matchesItself: boolean
}

export function hasPodAffinity(pod: Pod): boolean {
  return (
    pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined ||
    pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined
  )
}

export function affinityState(pod: Pod, states: readonly NodeState[], namespaces: NamespaceLabels): AffinityState {
  const affinity = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const antiAffinity = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const count = (term: PodAffinityTerm) => {
    const counts = new Map<string, number>()
    for (const state of states) {
      const value = labelOf(state.node.metadata.labels, term.topologyKey)
      if (value === undefined) continue
      const matches = state.pods.filter((other) => matchesTerm(term, pod, other, namespaces)).length
      if (matches > 0) counts.set(value, (counts.get(value) ?? 0) + matches)
    }
    return { term, counts }
  }
  const refusedBy = new Set<string>()
  for (const state of states) {
    if (!state.repels) continue
    for (const other of state.pods) {
      const terms = other.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
      for (const term of terms) {
        const value = labelOf(state.node.metadata.labels, term.topologyKey)
        if (value !== undefined && matchesTerm(term, other, pod, namespaces))
          refusedBy.add(`${term.topologyKey}=${value}`)
      }
    }
  }
  return {
    affinity: affinity.map(count),
    antiAffinity: antiAffinity.map(count),
    refusedBy,
    matchesItself: affinity.every((term) => matchesTerm(term, pod, pod, namespaces)),
  }
}

export type AffinityRefusal = 'affinity' | 'antiAffinity' | 'existingAntiAffinity'

export function affinityRefusal(state: AffinityState, { node }: NodeState): AffinityRefusal | undefined {
  const labels = node.metadata.labels ?? {}
  for (const pair of state.refusedBy) {
    const at = pair.indexOf('=')
    if (labelOf(labels, pair.slice(0, at)) === pair.slice(at + 1)) return 'existingAntiAffinity'
  }
  for (const { term, counts } of state.antiAffinity) {
    const value = labelOf(labels, term.topologyKey)
    if (value !== undefined && (counts.get(value) ?? 0) > 0) return 'antiAffinity'
  }
  if (state.affinity.length === 0) return undefined
  if (state.affinity.some(({ term }) => labelOf(labels, term.topologyKey) === undefined)) return 'affinity'
  const satisfied = state.affinity.every(
    ({ term, counts }) => (counts.get(labelOf(labels, term.topologyKey) ?? '') ?? 0) > 0,
  )
  if (satisfied) return undefined
  // The first pod of a group that wants to be together has nobody to be with.
  const first = state.affinity.every(({ counts }) => counts.size === 0) && state.matchesItself
  return first ? undefined : 'affinity'
}

/** Weighted matches of the pod's preferred terms on the node's topology. */
export function affinityScore(
  pod: Pod,
  state: NodeState,
  states: readonly NodeState[],
  namespaces: NamespaceLabels,
): number {
  const preferred = [
    ...(pod.spec.affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      (term) => [term, 1] as const,
    ),
    ...(pod.spec.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      (term) => [term, -1] as const,
    ),
  ]
  let score = 0
  for (const [{ weight, podAffinityTerm: term }, sign] of preferred) {
    const value = labelOf(state.node.metadata.labels, term.topologyKey)
    if (value === undefined) continue
    for (const other of states) {
      if (labelOf(other.node.metadata.labels, term.topologyKey) !== value) continue
      score += sign * weight * other.pods.filter((candidate) => matchesTerm(term, pod, candidate, namespaces)).length
    }
  }
  return score
}

/** Whether `other` is among the pods that `term` of `owner` speaks of. */
function matchesTerm(term: PodAffinityTerm, owner: Pod, other: Pod, namespaces: NamespaceLabels): boolean {
  const namespace = other.metadata.namespace ?? ''
  const named = term.namespaces?.includes(namespace) === true
  const selected = term.namespaceSelector !== undefined && selects(term.namespaceSelector, namespaces(namespace) ?? {})
  const own =
    (term.namespaces === undefined || term.namespaces.length === 0) &&
    term.namespaceSelector === undefined &&
    namespace === owner.metadata.namespace
  if (!named && !selected && !own) return false
  return selects(withLabelKeys(term, owner), other.metadata.labels)
}

/** `matchLabelKeys` narrow the selector by the owner's own values. */
function withLabelKeys(term: PodAffinityTerm, owner: Pod): LabelSelector | undefined {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term
  if (labelSelector === undefined || matchLabelKeys.length + mismatchLabelKeys.length === 0) return labelSelector
  const requirement = (operator: 'In' | 'NotIn') => (key: string) => {
    const value = labelOf(owner.metadata.labels, key)
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  }
  return {
    ...labelSelector,
    matchExpressions: [
      ...(labelSelector.matchExpressions ?? []),
      ...matchLabelKeys.flatMap(requirement('In')),
      ...mismatchLabelKeys.flatMap(requirement('NotIn')),
    ],
  }
}
