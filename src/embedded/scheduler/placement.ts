import type { Pod } from '../../api/kubernetes.ts'
import { labelOf } from '../../model/label-selector.ts'
import { nodeFilter, type PlacementWorld } from './filters.ts'
import { affinityScore } from './inter-pod-affinity.ts'
import { isTolerated, matchesTerm } from './node-selection.ts'
import type { NodeState } from './node-state.ts'
import { podRequests } from './pod-requests.ts'
import { spreadStates } from './topology-spread.ts'
import { volumeState, type VolumeState } from './volumes.ts'

type KnownVolumes = Extract<VolumeState, { kind: 'known' }>

export type ScheduleResult =
  | { readonly kind: 'placed'; readonly node: NodeState; readonly volumes: KnownVolumes }
  | Unschedulable

export interface Unschedulable {
  readonly kind: 'unschedulable'
  /** In the words of kube-scheduler. */
  readonly message: string
  /** Where the pod might have a place if others left. */
  readonly curable: readonly NodeState[]
}

/**
 * Looks for the best of the nodes that can take the pod, but takes the one it was nominated for if that can; says why none can, in the
 * words of kube-scheduler.
 */
export function place(pod: Pod, world: PlacementWorld): ScheduleResult {
  const { states, caches } = world
  const nowhere = (message: string): Unschedulable => ({ kind: 'unschedulable', message, curable: [] })
  if (states.length === 0) return nowhere('no nodes available to schedule pods')
  const volumes = volumeState(pod, caches)
  if (volumes.kind === 'missing') return nowhere(`0/${states.length} nodes are available: ${volumes.message}.`)
  const filter = nodeFilter(pod, world, volumes)
  const nominated = states.find(({ name }) => name === pod.status?.nominatedNodeName)
  if (nominated !== undefined && filter.refusal(nominated) === undefined) {
    return { kind: 'placed', node: nominated, volumes }
  }
  const counts = new Map<string, number>()
  const feasible: NodeState[] = []
  const curable: NodeState[] = []
  for (const state of states) {
    const refusal = filter.refusal(state)
    if (refusal === undefined) feasible.push(state)
    else if (refusal.curable) curable.push(state)
    for (const reason of refusal?.reasons ?? []) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  if (feasible.length > 0) return { kind: 'placed', node: best(pod, feasible, world), volumes }
  return { kind: 'unschedulable', message: `0/${states.length} nodes are available: ${listed(counts)}.`, curable }
}

/** Reasons with the number of nodes that give each. */
export function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')
}

/** The node with the highest score; the name decides among equals. */
function best(pod: Pod, feasible: readonly NodeState[], world: PlacementWorld): NodeState {
  const spread = spreadStates(pod, world.states, 'ScheduleAnyway')
  const hasPreferredPods =
    pod.spec.affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution !== undefined ||
    pod.spec.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution !== undefined
  let winner = feasible[0]
  let highest = Number.NEGATIVE_INFINITY
  for (const state of feasible) {
    let score = leastAllocated(pod, state) + preferredNode(pod, state) * 2 - avoidedTaints(pod, state) * 300
    for (const { constraint, counts } of spread) {
      score -= 20 * (counts.get(labelOf(state.node.metadata.labels, constraint.topologyKey) ?? '') ?? 0)
    }
    if (hasPreferredPods) score += 2 * affinityScore(pod, state, world.states, world.namespaces)
    if (score > highest || (score === highest && winner !== undefined && state.name < winner.name)) {
      winner = state
      highest = score
    }
  }
  if (winner === undefined) throw new Error('no feasible node')
  return winner
}

/** From 0 to 100: the mean share of CPU and memory that would stay free. */
function leastAllocated(pod: Pod, state: NodeState): number {
  const wanted = podRequests(pod)
  const free = ['cpu', 'memory'].map((name) => {
    const total = state.allocatable.get(name) ?? 0
    if (total === 0) return 0
    return Math.max(0, 1 - ((state.used.get(name) ?? 0) + (wanted.get(name) ?? 0)) / total)
  })
  return (free.reduce((sum, share) => sum + share, 0) / free.length) * 100
}

function preferredNode(pod: Pod, { node }: NodeState): number {
  const terms = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return terms.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0)
}

function avoidedTaints(pod: Pod, { node }: NodeState): number {
  const avoided = (node.spec.taints ?? []).filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(taint, pod.spec.tolerations),
  )
  return avoided.length
}
