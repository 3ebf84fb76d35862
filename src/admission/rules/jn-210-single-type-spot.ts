import type { NodePool } from '../../api/karpenter.ts'
import { capacityTypeSpot, labelCapacityType, labelInstanceType } from '../../api/labels.ts'
import { effectiveOperator, valueCount } from '../../model/requirement.ts'
import { requirementFor } from '../../model/requirements.ts'
import { allowedTypes, isOnlyOf, templateRequirements } from '../pool-requirements.ts'
import type { Rule } from '../rule.ts'

export const singleTypeSpot: Rule = {
  id: 'JN-210',
  title: 'Spot capacity of a single instance type',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Allow more instance types, or on-demand beside spot.',
  check(subject, { facts }) {
    if (subject.kind !== 'NodePool') return []
    // Most pools leave it open, and reading all requirements is dear.
    if (!namesCapacityType(subject.object)) return []
    const requirements = templateRequirements(subject.object)
    if (!isOnlyOf(requirements, capacityTypeSpot)) return []
    const types = requirementFor(requirements, labelInstanceType)
    const named = effectiveOperator(types) === 'In' && valueCount(types) === 1
    const single = named || allowedTypes(subject.object, facts)?.length === 1
    return single
      ? [
          {
            path: 'spec.template.spec.requirements',
            message: 'spot with a single instance type: one shortage takes all nodes of the pool',
          },
        ]
      : []
  },
}

function namesCapacityType({ spec: { template } }: NodePool): boolean {
  const { metadata, spec } = template
  return (
    metadata?.labels?.[labelCapacityType] !== undefined ||
    spec.requirements.some(({ key }) => key === labelCapacityType)
  )
}
