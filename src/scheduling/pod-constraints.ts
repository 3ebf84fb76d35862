import type {
  Affinity,
  NodeSelectorTerm,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from '../api/kubernetes.ts'
import { goSort } from '../model/go-sort.ts'
import type { PodInfo } from '../model/pod.ts'
import type { Operator, RequirementEntry } from '../model/requirement.ts'
import type { LabelAliases, Requirements } from '../model/requirements.ts'
import { labelRequirements, mergeRequirements, toRequirements } from '../model/requirements.ts'

export type PreferencePolicy = 'Respect' | 'Ignore'
type PreferredNodeTerm = { readonly weight: number; readonly preference: NodeSelectorTerm }

/** The part of a pod that relaxation may change, with the required terms beside it. */
export interface PodConstraints {
  readonly requiredNodeTerms: readonly NodeSelectorTerm[]
  readonly preferredNodeTerms: readonly PreferredNodeTerm[]
  readonly requiredAffinity: readonly PodAffinityTerm[]
  readonly preferredAffinity: readonly WeightedPodAffinityTerm[]
  readonly requiredAntiAffinity: readonly PodAffinityTerm[]
  readonly preferredAntiAffinity: readonly WeightedPodAffinityTerm[]
  readonly spread: readonly TopologySpreadConstraint[]
  readonly tolerations: readonly Toleration[]
}

export interface Relaxation {
  readonly constraints: PodConstraints
  /** As the log line names what was given up. */
  readonly reason: string
}

/** Preferred node terms come in the order in which upstream's sort leaves them, heaviest first. */
export function constraintsOf(
  pod: Pick<PodInfo, 'affinity' | 'topologySpreadConstraints' | 'tolerations'>,
): PodConstraints {
  const affinity: Affinity = pod.affinity ?? {}
  const preferredNodeTerms = [...(affinity.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])]
  goSort(preferredNodeTerms, (a, b) => a.weight > b.weight)
  return {
    requiredNodeTerms: affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [],
    preferredNodeTerms,
    requiredAffinity: affinity.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    preferredAffinity: affinity.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [],
    requiredAntiAffinity: affinity.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    preferredAntiAffinity: affinity.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [],
    spread: pod.topologySpreadConstraints,
    tolerations: pod.tolerations,
  }
}

/** Node selector and the first required term: what the pod insists on. */
export function strictRequirements(
  nodeSelector: Readonly<Record<string, string>>,
  constraints: PodConstraints,
  aliases: LabelAliases,
): Requirements {
  const selected = labelRequirements(nodeSelector, aliases)
  const [first] = constraints.requiredNodeTerms
  return first === undefined ? selected : mergeRequirements(selected, termRequirements(first, aliases))
}

/** Strict requirements and, under Respect, the heaviest preferred term, which counts as required until it is relaxed. */
export function fullRequirements(
  strict: Requirements,
  constraints: PodConstraints,
  policy: PreferencePolicy,
  aliases: LabelAliases,
): Requirements {
  const [heaviest] = constraints.preferredNodeTerms
  if (policy === 'Ignore' || heaviest === undefined) return strict
  return mergeRequirements(strict, termRequirements(heaviest.preference, aliases))
}

export function termRequirements(term: NodeSelectorTerm, aliases: LabelAliases): Requirements {
  return toRequirements((term.matchExpressions ?? []).filter(isEntry), aliases)
}

/**
 * Gives up the next thing a pod can do without; undefined when it insists on all that is left. The rule as it is said, one step at a
 * time: solves ask `Relaxations`, which has all steps at hand.
 */
export function relax(constraints: PodConstraints, options: { softTaints: boolean }): Relaxation | undefined {
  const { requiredNodeTerms, spread } = constraints
  const [firstTerm, ...otherTerms] = requiredNodeTerms
  if (firstTerm !== undefined && otherTerms.length > 0) {
    return {
      constraints: { ...constraints, requiredNodeTerms: otherTerms },
      reason: `removing: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]=${JSON.stringify(firstTerm)}`,
    }
  }
  const affinity = withoutHeaviest(constraints.preferredAffinity)
  if (affinity !== undefined) {
    return {
      constraints: { ...constraints, preferredAffinity: affinity.rest },
      reason: removing('podAffinity', affinity.dropped),
    }
  }
  const antiAffinity = withoutHeaviest(constraints.preferredAntiAffinity)
  if (antiAffinity !== undefined) {
    return {
      constraints: { ...constraints, preferredAntiAffinity: antiAffinity.rest },
      reason: removing('podAntiAffinity', antiAffinity.dropped),
    }
  }
  const nodeAffinity = withoutHeaviest(constraints.preferredNodeTerms)
  if (nodeAffinity !== undefined) {
    return {
      constraints: { ...constraints, preferredNodeTerms: nodeAffinity.rest },
      reason: removing('nodeAffinity', nodeAffinity.dropped),
    }
  }
  const soft = spread.findIndex((constraint) => constraint.whenUnsatisfiable === 'ScheduleAnyway')
  const dropped = spread[soft]
  if (dropped !== undefined) {
    // The last constraint takes the slot of the dropped one.
    const last = spread.at(-1) ?? dropped
    const rest = spread.with(soft, last).slice(0, -1)
    return {
      constraints: { ...constraints, spread: rest },
      reason: `removing: spec.topologySpreadConstraints = ${JSON.stringify(dropped)}`,
    }
  }
  if (options.softTaints && !constraints.tolerations.some(isSoftToleration)) {
    return { constraints: tolerateSoftTaints(constraints), reason: 'adding: toleration for PreferNoSchedule taints' }
  }
  return undefined
}

export function tolerateSoftTaints(constraints: PodConstraints): PodConstraints {
  if (constraints.tolerations.some(isSoftToleration)) return constraints
  return {
    ...constraints,
    tolerations: [...constraints.tolerations, { operator: 'Exists', effect: 'PreferNoSchedule' }],
  }
}

export function removing(kind: string, term: unknown): string {
  return `removing: spec.affinity.${kind}.preferredDuringSchedulingIgnoredDuringExecution[0]=${JSON.stringify(term)}`
}

export function isSoftToleration({ key = '', operator, value = '', effect, tolerationSeconds }: Toleration): boolean {
  return (
    key === '' &&
    operator === 'Exists' &&
    value === '' &&
    effect === 'PreferNoSchedule' &&
    tolerationSeconds === undefined
  )
}

function withoutHeaviest<T extends { readonly weight: number }>(
  terms: readonly T[],
): { readonly dropped: T; readonly rest: readonly T[] } | undefined {
  const [dropped, ...rest] = terms.toSorted((a, b) => b.weight - a.weight)
  return dropped === undefined ? undefined : { dropped, rest }
}

const operators: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'])

/** Pods with other operators are refused by validation, so none gets this far. */
function isEntry(expression: { key: string; operator: string; values?: string[] }): expression is RequirementEntry & {
  operator: Operator
  values?: string[]
} {
  return operators.has(expression.operator)
}
