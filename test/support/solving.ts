import type { PodInfo } from '../../src/model/pod.ts'
import { requirementText } from '../../src/model/requirement.ts'
import {
  type NodePlan,
  type Placement,
  prepare,
  type SchedulingSettings,
  solve,
  type SolveRequest,
} from '../../src/scheduling/index.ts'
import { aSnapshot, testVocabulary, type WorldOptions, zoneKey } from './scheduling-world.ts'

export const testSettings: Partial<SchedulingSettings> = {
  vocabulary: testVocabulary,
  reservationLabel: 'reservation-id',
}

export interface SolveOptions extends Omit<SolveRequest, 'pods'> {
  readonly settings?: Partial<SchedulingSettings>
  /** Pods besides the pending ones of the world. */
  readonly also?: readonly PodInfo[]
}

/** Solves the pending pods of a small world. */
export function solveWorld(world: WorldOptions, options: SolveOptions = {}): Placement {
  const { settings, also = [], ...request } = options
  const pods = [...(world.pods ?? []), ...also]
  const context = prepare(aSnapshot(world), { ...testSettings, ...settings }, pods)
  return solve(context, { ...request, pods })
}

/** Names of the types on a plan, sorted: which types, not which first. */
export function typesOn(plan: NodePlan | undefined): string[] {
  return (plan?.instanceTypes ?? []).map(({ name }) => name).toSorted()
}

/** Types of each plan with the number of its pods, in the order of opening. */
export function planShapes(placement: Placement): { types: string[]; pods: number }[] {
  return placement.newNodePlans.map((plan) => ({ types: typesOn(plan), pods: plan.pods.length }))
}

export function podsPerPlan(placement: Placement): number[] {
  return placement.newNodePlans.map(({ pods }) => pods.length).toSorted((a, b) => b - a)
}

/** How many pods went to each value of a label that plans have pinned or nodes carry; `?` where several are possible. */
export function podsPerDomain(placement: Placement, key: string = zoneKey): Record<string, number> {
  const counts: Record<string, number> = {}
  const add = (domain: string, pods: number): void => {
    counts[domain] = (counts[domain] ?? 0) + pods
  }
  for (const plan of placement.newNodePlans) {
    const requirement = plan.requirements.get(key)
    const values = requirement === undefined || requirement.complement ? [] : [...requirement.values]
    add(values.length === 1 ? (values[0] ?? '?') : '?', plan.pods.length)
  }
  for (const { node, pods } of placement.existing) add(node.labels[key] ?? '?', pods.length)
  return counts
}

/** Counts without the domains' names, largest first: which domain gets more is up to the solver. */
export function spreadOf(placement: Placement, key: string = zoneKey): number[] {
  return Object.values(podsPerDomain(placement, key)).toSorted((a, b) => b - a)
}

export function requirementOn(plan: NodePlan | undefined, key: string): string | undefined {
  const requirement = plan?.requirements.get(key)
  return requirement === undefined ? undefined : requirementText(requirement)
}

export function errorsOf(placement: Placement): string[] {
  return placement.failures.map(({ text }) => text)
}

/** Where each pod went, by pod name: a node's name, `new-<n>`, `deferred`, or the error. */
export function whereabouts(placement: Placement): Record<string, string> {
  const places: Record<string, string> = {}
  for (const [index, { pods }] of placement.newNodePlans.entries())
    for (const { name } of pods) places[name] = `new-${index}`
  for (const { node, pods } of placement.existing) for (const { name } of pods) places[name] = node.name
  for (const { name } of placement.deferred) places[name] = 'deferred'
  for (const { pod, text } of placement.failures) places[pod.name] = text
  return places
}
