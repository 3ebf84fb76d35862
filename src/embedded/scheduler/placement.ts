import type { Pod } from '../../api/kubernetes.ts'
import type { Caches } from '../../kube/controller.ts'
import {
  affinityRefusal,
  affinityScore,
  type AffinityState,
  affinityState,
  hasPodAffinity,
  type NamespaceLabels,
} from './inter-pod-affinity.ts'
import { isTolerated, matchesNodeSelection, matchesTerm, untoleratedTaint } from './node-selection.ts'
import { hasPortConflict, type NodeState, shortages, withNominees } from './node-state.ts'
import { podRequests } from './pod-requests.ts'
import { spreadRefusal, type SpreadState, spreadStates } from './topology-spread.ts'
import { volumeRefusal, volumeState, type VolumeState } from './volumes.ts'

export type ScheduleResult =
  | { readonly kind: 'placed'; readonly node: NodeState; readonly volumes: Extract<VolumeState, { kind: 'known' }> }
  | { readonly kind: 'unschedulable'; readonly message: string }

export interface PlacementWorld {
  readonly states: readonly NodeState[]
  readonly caches: Caches
  readonly namespaces: NamespaceLabels
}

/** Where the pods are that the pod's constraints speak of. */
interface Surroundings {
  readonly spread: readonly SpreadState[]
  readonly affinity: AffinityState | undefined
}

const unschedulableTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const

/**
 * Looks for the best of the nodes that can take the pod, but takes the one it was nominated for if that can; says why none can, in the
 * words of kube-scheduler.
 */
export function place(pod: Pod, world: PlacementWorld): ScheduleResult {
  const { states, caches, namespaces } = world
  if (states.length === 0) return { kind: 'unschedulable', message: 'no nodes available to schedule pods' }
  const volumes = volumeState(pod, caches)
  if (volumes.kind === 'missing') {
    return { kind: 'unschedulable', message: `0/${states.length} nodes are available: ${volumes.message}.` }
  }
  const asItIs = aroundThePod(states)
  const nominated = states.find(({ name }) => name === pod.status?.nominatedNodeName)
  if (nominated !== undefined && refusalsOf(nominated).length === 0) return { kind: 'placed', node: nominated, volumes }
  const refusals = new Map<string, number>()
  const feasible = states.filter((state) => {
    const reasons = refusalsOf(state)
    for (const reason of reasons) refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
    return reasons.length === 0
  })
  if (feasible.length === 0) {
    const parts = [...refusals].map(([reason, count]) => `${count} ${reason}`).sort()
    return { kind: 'unschedulable', message: `0/${states.length} nodes are available: ${parts.join(', ')}.` }
  }
  return { kind: 'placed', node: best(pod, feasible, world), volumes }

  function aroundThePod(around: readonly NodeState[]): Surroundings {
    const concerned = hasPodAffinity(pod) || around.some(({ repels }) => repels)
    return {
      spread: spreadStates(pod, around, 'DoNotSchedule'),
      affinity: concerned ? affinityState(pod, around, namespaces) : undefined,
    }
  }

  /** A node must take the pod without its nominees and with them on it: nobody knows yet whether they come. */
  function refusalsOf(state: NodeState): readonly string[] {
    const reasons = filterRefusals(state, asItIs)
    if (reasons.length > 0) return reasons
    const filled = withNominees(state, pod)
    if (filled === state) return reasons
    return filterRefusals(filled, aroundThePod(states.map((other) => (other === state ? filled : other))))
  }

  /** The reasons of the first filter that refuses. */
  function filterRefusals(state: NodeState, { spread, affinity }: Surroundings): readonly string[] {
    const { node } = state
    if (node.spec.unschedulable === true && !isTolerated(unschedulableTaint, pod.spec.tolerations)) {
      return ['node(s) were unschedulable']
    }
    const taint = untoleratedTaint(node.spec.taints, pod.spec.tolerations)
    if (taint !== undefined) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`]
    if (!matchesNodeSelection(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"]
    if (hasPortConflict(state, pod)) return ["node(s) didn't have free ports for the requested pod ports"]
    const short = shortages(state, pod)
    if (short.length > 0) {
      return short.map((name) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`))
    }
    if (volumes.kind === 'known') {
      switch (volumeRefusal(volumes, state, caches)) {
        case 'affinity':
          return ['node(s) had volume node affinity conflict']
        case 'topology':
          return ["node(s) didn't find available persistent volumes to bind"]
        case 'limit':
          return ['node(s) exceed max volume count']
        case undefined:
          break
      }
    }
    switch (spreadRefusal(spread, state)) {
      case 'missingLabel':
        return ["node(s) didn't match pod topology spread constraints (missing required label)"]
      case 'skew':
        return ["node(s) didn't match pod topology spread constraints"]
      case undefined:
        break
    }
    if (affinity === undefined) return []
    switch (affinityRefusal(affinity, state)) {
      case 'affinity':
        return ["node(s) didn't match pod affinity rules"]
      case 'antiAffinity':
        return ["node(s) didn't match pod anti-affinity rules"]
      case 'existingAntiAffinity':
        return ["node(s) didn't satisfy existing pods anti-affinity rules"]
      case undefined:
        return []
    }
  }
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
      score -= 20 * (counts.get(state.node.metadata.labels?.[constraint.topologyKey] ?? '') ?? 0)
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
