import type { NodeSelectorRequirement } from '../../src/api/kubernetes.ts'
import { awsVocabulary } from '../../src/api/label-rules.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import type { Operator, RequirementEntry } from '../../src/model/requirement.ts'
import {
  labelRequirements,
  mergeRequirements,
  type Requirements,
  toRequirements,
} from '../../src/model/requirements.ts'

const { aliases } = awsVocabulary

export function labelsAsRequirements(labels: Readonly<Record<string, string>>): Requirements {
  return labelRequirements(labels, aliases)
}

export function selectorRequirements(pod: PodInfo): Requirements {
  return labelsAsRequirements(pod.nodeSelector)
}

/** Each required node affinity term. */
export function requiredTerms(pod: PodInfo): Requirements[] {
  const required = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return (required?.nodeSelectorTerms ?? []).map((term) => expressions(term.matchExpressions ?? []))
}

/** Node selector and the first required term. */
export function strictRequirements(pod: PodInfo): Requirements {
  const [first] = requiredTerms(pod)
  return first === undefined ? selectorRequirements(pod) : mergeRequirements(selectorRequirements(pod), first)
}

/** Strict, and the heaviest preferred term. */
export function fullRequirements(pod: PodInfo): Requirements {
  const preferred = pod.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  const [heaviest] = preferred.toSorted((a, b) => b.weight - a.weight)
  const strict = strictRequirements(pod)
  return heaviest === undefined
    ? strict
    : mergeRequirements(strict, expressions(heaviest.preference.matchExpressions ?? []))
}

function expressions(list: readonly NodeSelectorRequirement[]): Requirements {
  const entries: RequirementEntry[] = list.map(({ key, operator, values = [] }) => ({
    key,
    operator: operator as Operator,
    values,
  }))
  return toRequirements(entries, aliases)
}
