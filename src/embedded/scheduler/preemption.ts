import { conditionOf } from '../../api/conditions.ts'
import type { Pod, PodDisruptionBudget } from '../../api/kubernetes.ts'
import { podDisruptionBudgets } from '../../kube/kinds.ts'
import { selects } from '../labels.ts'
import { type NodeFilter, nodeFilter, type PlacementWorld } from './filters.ts'
import { addPod, type NodeState, priorityOf, removePod, toNodeState } from './node-state.ts'
import { listed, type Unschedulable } from './placement.ts'
import { volumeState } from './volumes.ts'

/** The reason of the condition `DisruptionTarget` of a pod that has to make room. */
export const preemptionReason = 'PreemptionByScheduler'

export type Preemption =
  | {
      readonly kind: 'victims'
      readonly node: NodeState
      readonly victims: readonly Pod[]
      /** Less important pods that had been nominated for the node, and have to look anew. */
      readonly displaced: readonly Pod[]
    }
  /** Pods that it pushed aside are still on their way out. */
  | { readonly kind: 'underWay'; readonly message: string }
  | { readonly kind: 'none'; readonly message: string }

interface Candidate {
  readonly state: NodeState
  /** The most important first. */
  readonly victims: readonly Pod[]
  /** How many of them a budget would have kept. */
  readonly violations: number
}

/** The share of the nodes that is tried, and how many at least, as by kube-scheduler: the first that would do are compared. */
const tried = { share: 0.1, atLeast: 100 }

/**
 * Which less important pods would have to go for a pod that finds no place, and where: on the node where that hurts least. Budgets are
 * spared where another choice allows it, and broken where none does.
 */
export function preempt(pod: Pod, refused: Unschedulable, world: PlacementWorld): Preemption {
  const { states } = world
  if (states.length === 0) return { kind: 'none', message: '' }
  if (pod.spec.preemptionPolicy === 'Never') {
    return { kind: 'none', message: 'not eligible due to preemptionPolicy=Never.' }
  }
  const nominated = states.find(({ name }) => name === pod.status?.nominatedNodeName)
  if (nominated?.pods.some((other) => isLess(other, pod) && makesRoom(other)) === true) {
    return { kind: 'underWay', message: 'not eligible due to a terminating pod on the nominated node.' }
  }
  const counts = new Map<string, number>()
  const count = (reason: string, nodes = 1): unknown => counts.set(reason, (counts.get(reason) ?? 0) + nodes)
  const hopeless = states.length - refused.curable.length
  if (hopeless > 0) count('Preemption is not helpful for scheduling', hopeless)
  const enough = Math.max(tried.atLeast, Math.floor(states.length * tried.share))
  const budgets = budgetsOf(world)
  const volumes = volumeState(pod, world.caches)
  // Without its volumes no node could be helped.
  const filter = volumes.kind === 'missing' ? undefined : nodeFilter(pod, world, volumes)
  const candidates: Candidate[] = []
  for (const state of refused.curable) {
    if (filter === undefined || candidates.length >= enough) break
    const candidate = candidateOn(state, { pod, filter, budgets })
    if (typeof candidate === 'string') count(candidate)
    else candidates.push(candidate)
  }
  const chosen = candidates.toSorted(byHarm)[0]
  if (chosen === undefined) {
    return { kind: 'none', message: `0/${states.length} nodes are available: ${listed(counts)}.` }
  }
  const displaced = [...chosen.state.nominees].filter((nominee) => isLess(nominee, pod))
  return { kind: 'victims', node: chosen.state, victims: chosen.victims, displaced }
}

/** The fewest that have to go from one node, or why that would not help. */
function candidateOn(
  state: NodeState,
  { pod, filter, budgets }: { readonly pod: Pod; readonly filter: NodeFilter; readonly budgets: readonly Allowance[] },
): Candidate | string {
  const lesser = state.pods.filter((other) => isLess(other, pod)).toSorted(byImportance)
  if (lesser.length === 0) return 'No preemption victims found for incoming pod'
  const others = state.pods.filter((other) => !isLess(other, pod))
  const changed: NodeState = { ...toNodeState(state.node, others), nominees: state.nominees }
  const evenThen = filter.refusalIfInstead(state, changed)
  if (evenThen !== undefined) return evenThen.reasons.join(', ')
  const { kept, free } = byBudgets(lesser, budgets)
  const victims = new Set<Pod>()
  // Each may stay that fits beside the pod: first those that a budget protects, then the most important.
  for (const other of [...kept, ...free]) {
    addPod(changed, other)
    if (filter.refusalIfInstead(state, changed) === undefined) continue
    removePod(changed, other)
    victims.add(other)
  }
  return {
    state,
    victims: lesser.filter((other) => victims.has(other)),
    violations: kept.filter((other) => victims.has(other)).length,
  }
}

interface Allowance {
  readonly budget: PodDisruptionBudget
  readonly left: number
}

function budgetsOf({ caches }: PlacementWorld): readonly Allowance[] {
  return caches
    .of(podDisruptionBudgets)
    .list()
    .map((budget) => ({ budget, left: budget.status?.disruptionsAllowed ?? 0 }))
}

/** Splits pods by whether a budget allows that they go, when those before them go as well. */
function byBudgets(
  pods: readonly Pod[],
  budgets: readonly Allowance[],
): { readonly kept: readonly Pod[]; readonly free: readonly Pod[] } {
  const left = new Map(budgets.map(({ budget, left: allowed }) => [budget, allowed]))
  const kept: Pod[] = []
  const free: Pod[] = []
  for (const pod of pods) {
    const { name, namespace, labels } = pod.metadata
    const concerned = budgets.filter(
      ({ budget: { metadata, spec, status } }) =>
        metadata.namespace === namespace &&
        labels !== undefined &&
        selects(spec.selector, labels) &&
        status?.disruptedPods?.[name] === undefined,
    )
    let isKept = false
    for (const { budget } of concerned) {
      const after = (left.get(budget) ?? 0) - 1
      left.set(budget, after)
      if (after < 0) isKept = true
    }
    if (isKept) kept.push(pod)
    else free.push(pod)
  }
  return { kept, free }
}

function isLess(other: Pod, pod: Pod): boolean {
  return priorityOf(other) < priorityOf(pod)
}

function makesRoom(pod: Pod): boolean {
  return (
    pod.metadata.deletionTimestamp !== undefined && conditionOf(pod, 'DisruptionTarget')?.reason === preemptionReason
  )
}

function byImportance(a: Pod, b: Pod): number {
  return priorityOf(b) - priorityOf(a) || startOf(a).localeCompare(startOf(b))
}

function startOf({ status, metadata }: Pod): string {
  return status?.startTime ?? metadata.creationTimestamp
}

/** Of two nodes the one where it hurts less: kube-scheduler's criteria, one after the other. */
function byHarm(a: Candidate, b: Candidate): number {
  return (
    a.violations - b.violations ||
    highestOf(a) - highestOf(b) ||
    sumOf(a) - sumOf(b) ||
    a.victims.length - b.victims.length ||
    -firstStartOf(a).localeCompare(firstStartOf(b)) ||
    (a.state.name < b.state.name ? -1 : 1)
  )
}

function highestOf({ victims }: Candidate): number {
  return Math.max(Number.MIN_SAFE_INTEGER, ...victims.map(priorityOf))
}

/** Each counts from the lowest priority there is, so that few less important pods cost less than many. */
function sumOf({ victims }: Candidate): number {
  return victims.reduce((sum, victim) => sum + priorityOf(victim) + 2 ** 31, 0)
}

/** When the longest running of the most important victims started. */
function firstStartOf(candidate: Candidate): string {
  const highest = highestOf(candidate)
  const [first = ''] = candidate.victims
    .filter((victim) => priorityOf(victim) === highest)
    .map(startOf)
    .sort()
  return first
}
