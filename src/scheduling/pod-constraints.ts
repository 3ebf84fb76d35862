import type {
  Affinity,
  NodeSelectorTerm,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from '../api/kubernetes.ts'
import { labelHostname } from '../api/labels.ts'
import { goSort } from '../model/go-sort.ts'
import type { PodInfo } from '../model/pod.ts'
import { compareText } from '../model/order.ts'
import {
  absent,
  type RequirementOperator,
  requirementOperators,
  type RequirementEntry,
  toRequirement,
} from '../model/requirement.ts'
import type { LabelAliases, Requirements } from '../model/requirements.ts'
import {
  labelRequirements,
  mayBeAbsent,
  mergeRequirements,
  normaliseKey,
  requirementFor,
  requirementsOf,
  toRequirements,
} from '../model/requirements.ts'

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

/** Preferred node terms come in the order in which upstream's sort leaves them, heaviest first. */
export function constraintsOf(
  pod: Pick<PodInfo, 'affinity' | 'topologySpreadConstraints' | 'tolerations'>,
): PodConstraints {
  const affinity: Affinity = pod.affinity ?? {}
  const preferredNodeTerms = [...(affinity.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])]
  goSort(preferredNodeTerms, (a, b) => a.weight > b.weight)
  return {
    requiredNodeTerms: withoutEmpty(
      affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [],
    ),
    preferredNodeTerms,
    requiredAffinity: affinity.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    preferredAffinity: affinity.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [],
    requiredAntiAffinity: affinity.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    preferredAntiAffinity: affinity.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [],
    spread: pod.topologySpreadConstraints,
    tolerations: pod.tolerations,
  }
}

/** To kube-scheduler a term that says nothing matches no node. */
export function isEmptyTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  return matchExpressions.length === 0 && matchFields.length === 0
}

/** Beside other alternatives it is as good as not there; alone it stays, as something that has to be refused. */
function withoutEmpty(terms: readonly NodeSelectorTerm[]): readonly NodeSelectorTerm[] {
  const kept = terms.filter((term) => !isEmptyTerm(term))
  return kept.length === 0 || kept.length === terms.length ? terms : kept
}

/** Node selector and the first required term: what the pod insists on. */
export function strictSelection(
  nodeSelector: Readonly<Record<string, string>>,
  constraints: PodConstraints,
  aliases: LabelAliases,
): Selection {
  const [first = {}] = constraints.requiredNodeTerms
  return withSelector(nodeSelector, first, aliases)
}

export function strictRequirements(
  nodeSelector: Readonly<Record<string, string>>,
  constraints: PodConstraints,
  aliases: LabelAliases,
): Requirements {
  return strictSelection(nodeSelector, constraints, aliases).requirements
}

/** What a node selector and a required term ask of a node. */
export interface Selection {
  readonly requirements: Requirements
  /** Labels of which a value is wanted and none is left. */
  readonly excluded: readonly string[]
  /**
   * Labels of which a value is wanted, but not each: `team` that exists and is not `x`. The requirements only tell of the exclusion, for
   * which a node without the label would do.
   */
  readonly needed: readonly string[]
}

/** Node selector and a required term. */
export function withSelector(
  nodeSelector: Readonly<Record<string, string>>,
  term: NodeSelectorTerm,
  aliases: LabelAliases,
): Selection {
  const selected = labelRequirements(nodeSelector, aliases)
  const expressions = (term.matchExpressions ?? []).filter(isEntry)
  const merged = mergeRequirements(selected, toRequirements(expressions, aliases))
  const wanted = [
    ...selected.keys(),
    ...expressions.flatMap(({ key, operator, values }) => {
      const normal = normaliseKey(key, aliases)
      return mayBeAbsent(toRequirement(normal, operator, values)) ? [] : [normal]
    }),
  ]
  const keys = [...new Set(wanted)].toSorted(compareText)
  const excluded = keys.filter((key) => isAbsent(merged, key))
  return {
    requirements: excluded.length === 0 ? merged : mergeRequirements(merged, nowhere),
    excluded,
    needed: keys.filter((key) => !isAbsent(merged, key) && mayBeAbsent(requirementFor(merged, key))),
  }
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
  const preferred = termRequirements(heaviest.preference, aliases)
  const merged = mergeRequirements(strict, preferred)
  const isExcluded = [...preferred.values()].some(({ key }) => {
    const insisted = strict.get(key)
    return insisted !== undefined && !mayBeAbsent(insisted) && isAbsent(merged, key)
  })
  return isExcluded ? mergeRequirements(merged, nowhere) : merged
}

/** Labels of which the pod insists on some value, and of which, with a preference that excludes values, the requirements tell only that. */
export function neededDespite(strict: Requirements, full: Requirements): readonly string[] {
  return [...strict.values()]
    .filter((insisted) => !mayBeAbsent(insisted) && mayBeAbsent(requirementFor(full, insisted.key)))
    .map(({ key }) => key)
}

/**
 * Two demands on a label that exclude each other come to its absence. A node without the label would do for neither, so that the absence of
 * a name is asked for, too: every node has one.
 */
export const nowhere = requirementsOf(absent(labelHostname))

function isAbsent(requirements: Requirements, key: string): boolean {
  const requirement = requirements.get(key)
  return requirement !== undefined && !requirement.complement && requirement.values.size === 0
}

export function termRequirements(term: NodeSelectorTerm, aliases: LabelAliases): Requirements {
  return toRequirements((term.matchExpressions ?? []).filter(isEntry), aliases)
}

export const softToleration: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' }

export function tolerateSoftTaints(constraints: PodConstraints): PodConstraints {
  if (constraints.tolerations.some(isSoftToleration)) return constraints
  return { ...constraints, tolerations: [...constraints.tolerations, softToleration] }
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

/** Pods with other operators are refused by validation, so none gets this far. */
function isEntry(expression: { key: string; operator: string; values?: string[] }): expression is RequirementEntry & {
  operator: RequirementOperator
  values?: string[]
} {
  return requirementOperators.has(expression.operator)
}
