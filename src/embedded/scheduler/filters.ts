import type { Pod } from '../../api/kubernetes.ts'
import type { Caches } from '../../kube/controller.ts'
import {
  affinityRefusal,
  type AffinityState,
  affinityState,
  hasPodAffinity,
  type NamespaceLabels,
} from './inter-pod-affinity.ts'
import { isTolerated, matchesNodeSelection, untoleratedTaint } from './node-selection.ts'
import { exceedsNode, hasPortConflict, type NodeState, shortages, withNominees } from './node-state.ts'
import { spreadRefusal, type SpreadState, spreadStates } from './topology-spread.ts'
import { volumeRefusal, type VolumeState } from './volumes.ts'

export interface PlacementWorld {
  readonly states: readonly NodeState[]
  readonly caches: Caches
  readonly namespaces: NamespaceLabels
}

/** Why a node does not take a pod. */
interface Refusal {
  /** Of the first filter that refuses, in the words of kube-scheduler. */
  readonly reasons: readonly string[]
  /** Whether it could take the pod if others left it. */
  readonly curable: boolean
}

/** Judges nodes for one pod, among all others as they are. */
export interface NodeFilter {
  /** Undefined when the node takes the pod, both without its nominees and with them: nobody knows yet whether they come. */
  refusal(state: NodeState): Refusal | undefined
  /** The same of a node that had other pods on it. */
  refusalIfInstead(state: NodeState, changed: NodeState): Refusal | undefined
}

/** Where the pods are that the pod's constraints speak of. */
interface Surroundings {
  readonly spread: readonly SpreadState[]
  readonly affinity: AffinityState | undefined
}

const unschedulableTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const

export function nodeFilter(
  pod: Pod,
  { states, caches, namespaces }: PlacementWorld,
  volumes: Extract<VolumeState, { kind: 'known' }>,
): NodeFilter {
  const asItIs = surroundings(states)
  return {
    refusal: (state) => firstRefusal(state, asItIs) ?? refusalWithNominees(state, state),
    refusalIfInstead: (state, changed) =>
      firstRefusal(changed, surroundingsIfInstead(state, changed)) ?? refusalWithNominees(state, changed),
  }

  function refusalWithNominees(state: NodeState, changed: NodeState): Refusal | undefined {
    const filled = withNominees(changed, pod)
    return filled === changed ? undefined : firstRefusal(filled, surroundingsIfInstead(state, filled))
  }

  function surroundingsIfInstead(state: NodeState, changed: NodeState): Surroundings {
    const matter = asItIs.spread.length > 0 || asItIs.affinity !== undefined || changed.repels
    return matter ? surroundings(states.map((other) => (other === state ? changed : other))) : asItIs
  }

  function surroundings(around: readonly NodeState[]): Surroundings {
    const concerned = hasPodAffinity(pod) || around.some(({ repels }) => repels)
    return {
      spread: spreadStates(pod, around, 'DoNotSchedule'),
      affinity: concerned ? affinityState(pod, around, namespaces) : undefined,
    }
  }

  function firstRefusal(state: NodeState, { spread, affinity }: ReturnType<typeof surroundings>): Refusal | undefined {
    const { node } = state
    if (node.spec.unschedulable === true && !isTolerated(unschedulableTaint, pod.spec.tolerations)) {
      return forGood('node(s) were unschedulable')
    }
    const taint = untoleratedTaint(node.spec.taints, pod.spec.tolerations)
    if (taint !== undefined) return forGood(`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`)
    if (!matchesNodeSelection(pod, node)) return forGood("node(s) didn't match Pod's node affinity/selector")
    if (hasPortConflict(state, pod)) return forNow("node(s) didn't have free ports for the requested pod ports")
    const short = shortages(state, pod)
    if (short.length > 0) {
      const reasons = short.map((name) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`))
      return { reasons, curable: !exceedsNode(state, pod) }
    }
    switch (volumeRefusal(volumes, state, caches)) {
      case 'affinity':
        return forGood('node(s) had volume node affinity conflict')
      case 'topology':
        return forGood("node(s) didn't find available persistent volumes to bind")
      case 'limit':
        return forNow('node(s) exceed max volume count')
      case undefined:
        break
    }
    switch (spreadRefusal(spread, state)) {
      case 'missingLabel':
        return forGood("node(s) didn't match pod topology spread constraints (missing required label)")
      case 'skew':
        return forNow("node(s) didn't match pod topology spread constraints")
      case undefined:
        break
    }
    if (affinity === undefined) return undefined
    switch (affinityRefusal(affinity, state)) {
      case 'affinity':
        return forGood("node(s) didn't match pod affinity rules")
      case 'antiAffinity':
        return forNow("node(s) didn't match pod anti-affinity rules")
      case 'existingAntiAffinity':
        return forNow("node(s) didn't satisfy existing pods anti-affinity rules")
      case undefined:
        return undefined
    }
  }
}

function forGood(reason: string): Refusal {
  return { reasons: [reason], curable: false }
}

function forNow(reason: string): Refusal {
  return { reasons: [reason], curable: true }
}
