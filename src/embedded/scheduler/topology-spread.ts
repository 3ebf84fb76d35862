import type { LabelSelector, Pod, TopologySpreadConstraint } from '../../api/kubernetes.ts'
import { labelOf } from '../../model/label-selector.ts'
import { selects } from '../labels.ts'
import { matchesNodeSelection, untoleratedTaint } from './node-selection.ts'
import type { NodeState } from './node-state.ts'

/** One constraint with the number of matching pods in each of the domains it counts. */
export interface SpreadState {
  readonly constraint: TopologySpreadConstraint
  readonly counts: ReadonlyMap<string, number>
  readonly matchesItself: boolean
}

/**
 * Domains are the values of the topology key on nodes that have all keys of the pod's constraints of this kind and that the
 * inclusion policies let in: by default nodes that fit the pod's node selection, whatever their taints.
 */
export function spreadStates(
  pod: Pod,
  states: readonly NodeState[],
  kind: TopologySpreadConstraint['whenUnsatisfiable'],
): readonly SpreadState[] {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === kind,
  )
  return constraints.map((constraint) => {
    const selector = selectorOf(constraint, pod)
    const counts = new Map<string, number>()
    for (const state of states) {
      const labels = state.node.metadata.labels ?? {}
      if (constraints.some(({ topologyKey }) => labelOf(labels, topologyKey) === undefined)) continue
      if (!isCounted(constraint, pod, state)) continue
      const value = labelOf(labels, constraint.topologyKey) ?? ''
      const matches = state.pods.filter(
        (other) =>
          other.metadata.namespace === pod.metadata.namespace &&
          other.metadata.deletionTimestamp === undefined &&
          selects(selector, other.metadata.labels),
      ).length
      counts.set(value, (counts.get(value) ?? 0) + matches)
    }
    return { constraint, counts, matchesItself: selects(selector, pod.metadata.labels) }
  })
}

export type SpreadRefusal = 'missingLabel' | 'skew'

export function spreadRefusal(states: readonly SpreadState[], { node }: NodeState): SpreadRefusal | undefined {
  for (const { constraint, counts, matchesItself } of states) {
    const value = labelOf(node.metadata.labels, constraint.topologyKey)
    if (value === undefined) return 'missingLabel'
    const least = leastCount(constraint, counts)
    const skew = (counts.get(value) ?? 0) + (matchesItself ? 1 : 0) - least
    if (skew > constraint.maxSkew) return 'skew'
  }
  return undefined
}

/** With fewer domains than asked for, the least is taken to be none, so that new domains have to appear. */
function leastCount(constraint: TopologySpreadConstraint, counts: ReadonlyMap<string, number>): number {
  if (counts.size < (constraint.minDomains ?? 1)) return 0
  return counts.size === 0 ? 0 : Math.min(...counts.values())
}

function isCounted(constraint: TopologySpreadConstraint, pod: Pod, { node }: NodeState): boolean {
  if ((constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor' && !matchesNodeSelection(pod, node)) return false
  return (
    (constraint.nodeTaintsPolicy ?? 'Ignore') === 'Ignore' ||
    untoleratedTaint(node.spec.taints, pod.spec.tolerations) === undefined
  )
}

function selectorOf(constraint: TopologySpreadConstraint, pod: Pod): LabelSelector | undefined {
  const { labelSelector, matchLabelKeys = [] } = constraint
  const own = matchLabelKeys.flatMap((key) => {
    const value = labelOf(pod.metadata.labels, key)
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }]
  })
  if (labelSelector === undefined || own.length === 0) return labelSelector
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...own] }
}
