import { labelHostname } from '../api/labels.ts'
import { isPossible, type Requirement, sortedValues } from '../model/requirement.ts'
import { agree, type Incompatibility } from '../model/requirements.ts'
import type { Explainer } from './explain.ts'
import type { Template } from './template.ts'

/** Of what a pod and its volumes ask for together the NodePool may well allow each. */
export function clashText(
  { incoming, existing }: Extract<Incompatibility, { kind: 'noOverlap' }>,
  template: Template,
  kind: 'requirements' | 'volumeRequirements' | 'topologyRequirements',
  { context: { requirements } }: Explainer,
): string | undefined {
  const { key } = incoming
  if (!isPossible(incoming)) return `label ${key} holds no number below 0`
  // That of a node that is yet to be is a placeholder.
  if (key === labelHostname) return `no new node has ${key} ${valuesText(sortedValues(incoming))}`
  const own = requirements.requirement(template.set, key)
  if (kind === 'requirements' || (own !== undefined && !agree(own, incoming))) {
    return `nodepool ${template.name} ${allowedText(own ?? existing)}`
  }
  const [ofPod, ofVolumes] = [existing, incoming].map((one) => (one.complement ? [] : sortedValues(one)))
  if (kind === 'topologyRequirements' || ofPod?.length === 0 || ofVolumes?.length === 0) return undefined
  return `the pod asks for ${key} ${valuesText(ofPod ?? [])}, its volumes for ${valuesText(ofVolumes ?? [])}`
}

/** What of a label a NodePool allows, by its own requirement. */
function allowedText(requirement: Requirement): string {
  const { key, complement, lowest, highest } = requirement
  const values = sortedValues(requirement)
  if (!complement) return values.length === 0 ? `allows no label ${key}` : `allows ${key} ${valuesText(values)} only`
  const bounds = [
    ...(lowest === undefined ? [] : [`from ${lowest}`]),
    ...(highest === undefined ? [] : [`up to ${highest}`]),
  ]
  if (bounds.length === 0)
    return values.length === 0 ? `has label ${key} on all nodes` : `allows no ${key} ${valuesText(values)}`
  return `allows ${key} ${bounds.join(' ')} only${values.length === 0 ? '' : `, and not ${valuesText(values)}`}`
}

export function valuesText(values: readonly string[]): string {
  return values.join(' or ')
}
