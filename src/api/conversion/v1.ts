import { isRecord } from '../json.ts'
import { valueAt } from './edits.ts'
import type { ConversionPlan } from './plan.ts'
import { nodePoolFromV1beta1, nodeClassFromV1beta1 } from './v1beta1.ts'

/**
 * A manifest that calls itself v1 but is written as articles on older versions have it: the fields that moved or were renamed are
 * carried over. Undefined for what is written as v1 has it.
 */
export function mendedNodePool(document: unknown): ConversionPlan | undefined {
  const template = ['spec', 'template', 'spec']
  const reference = valueAt(document, [...template, 'nodeClassRef'])
  const isOld =
    valueAt(document, ['spec', 'disruption', 'consolidationPolicy']) === 'WhenUnderutilized' ||
    valueAt(document, ['spec', 'disruption', 'expireAfter']) !== undefined ||
    valueAt(document, [...template, 'kubelet']) !== undefined ||
    (isRecord(reference) && (reference['group'] === undefined || reference['kind'] === undefined))
  if (!isOld) return undefined
  return { ...nodePoolFromV1beta1(document), from: 'karpenter.sh/v1 NodePool' }
}

export function mendedNodeClass(document: unknown): ConversionPlan | undefined {
  const family = valueAt(document, ['spec', 'amiFamily'])
  if (valueAt(document, ['spec', 'amiSelectorTerms']) !== undefined || typeof family !== 'string') return undefined
  const plan = nodeClassFromV1beta1(document)
  // The default of the hop limit is that of the version which the manifest names, so it is not kept as v1beta1 had it.
  return {
    from: 'karpenter.k8s.aws/v1 EC2NodeClass',
    to: plan.to,
    edits: plan.edits.filter(({ path }) => path[1] !== 'metadataOptions'),
    remarks: plan.remarks.filter(({ path }) => path[1] !== 'metadataOptions'),
  }
}
