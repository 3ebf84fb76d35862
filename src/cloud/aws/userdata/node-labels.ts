import type { Taint } from '../../../api/kubernetes.ts'
import { labelDomain } from '../../../api/label-rules.ts'
import { matchesTaint } from '../../../model/taints.ts'
import type { AMIFamilyName } from '../../../api/ami-family.ts'
import { type CapacityType, capacityTypeKey, doNotSyncTaintsKey, unregisteredTaint } from '../keys.ts'

/** The kubelet may not set labels in these domains on its own node (NodeRestriction); registration copies them instead. */
const refusedDomains = ['kubernetes.io', 'k8s.io', 'node-restriction.kubernetes.io']

export function bootstrapLabels(
  claimLabels: Readonly<Record<string, string>>,
  capacityType: CapacityType,
  family: AMIFamilyName,
): Record<string, string> {
  const labels = {
    ...claimLabels,
    [capacityTypeKey]: capacityType,
    ...(family === 'Custom' ? {} : { [doNotSyncTaintsKey]: 'true' }),
  }
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !isRefused(labelDomain(key))))
}

/** The claim's taints, its startup taints, and the one that keeps pods away until the node is registered. */
export function bootstrapTaints(claim: { taints?: readonly Taint[]; startupTaints?: readonly Taint[] }): Taint[] {
  const taints = [...(claim.taints ?? []), ...(claim.startupTaints ?? [])]
  return taints.some((taint) => matchesTaint(taint, unregisteredTaint)) ? taints : [...taints, { ...unregisteredTaint }]
}

function isRefused(domain: string): boolean {
  return refusedDomains.some((refused) => domain === refused || domain.endsWith(`.${refused}`))
}
