import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, Taint, Toleration } from '../../api/kubernetes.ts'
import { labelOf } from '../../model/label-selector.ts'
import { holds } from '../labels.ts'

/** The node selector and the required node affinity of a pod, both of which must hold. */
export function matchesNodeSelection(pod: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {}
  for (const [key, value] of Object.entries(pod.spec.nodeSelector ?? {}))
    if (labelOf(labels, key) !== value) return false
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || matchesAnyTerm(required.nodeSelectorTerms, node)
}

export function matchesAnyTerm(terms: readonly NodeSelectorTerm[], node: Node): boolean {
  return terms.some((term) => matchesTerm(term, node))
}

/** A term without requirements matches nothing. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  return (
    matchExpressions.every((requirement) => meets(requirement, labelOf(node.metadata.labels, requirement.key))) &&
    matchFields.every((requirement) => requirement.key === 'metadata.name' && meets(requirement, node.metadata.name))
  )
}

function meets({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
    case 'NotIn':
    case 'Exists':
    case 'DoesNotExist':
      return holds({ operator, values }, value)
    case 'Gt':
      return isInteger(value) && isInteger(values[0]) && Number(value) > Number(values[0])
    case 'Lt':
      return isInteger(value) && isInteger(values[0]) && Number(value) < Number(values[0])
    default:
      return false
  }
}

function isInteger(text: string | undefined): boolean {
  return text !== undefined && /^-?\d+$/.test(text)
}

/** The first taint that keeps the pod away; PreferNoSchedule only matters for scores. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  return taints?.find((taint) => taint.effect !== 'PreferNoSchedule' && !isTolerated(taint, tolerations))
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[] | undefined): boolean {
  return (tolerations ?? []).some((toleration) => {
    const { key = '', operator = '', effect = '' } = toleration
    if (effect !== '' && effect !== taint.effect) return false
    if (key === '') return operator === 'Exists'
    if (key !== taint.key) return false
    switch (operator) {
      case 'Exists':
        return true
      case 'Equal':
      case '':
        return (toleration.value ?? '') === (taint.value ?? '')
      case 'Gt':
        return isInteger(toleration.value) && isInteger(taint.value) && Number(taint.value) > Number(toleration.value)
      case 'Lt':
        return isInteger(toleration.value) && isInteger(taint.value) && Number(taint.value) < Number(toleration.value)
    }
  })
}
