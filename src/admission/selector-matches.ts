import { isConditionUnknown } from '../api/conditions.ts'
import { isRecord, jsonEqual } from '../api/json.ts'
import type { EC2NodeClass } from '../api/karpenter.ts'
import type { SelectorMatches } from './rule.ts'

const selectors = [
  ['amiSelectorTerms', 'amis', 'AMIsReady'],
  ['subnetSelectorTerms', 'subnets', 'SubnetsReady'],
  ['securityGroupSelectorTerms', 'securityGroups', 'SecurityGroupsReady'],
  ['capacityReservationSelectorTerms', 'capacityReservations', 'CapacityReservationsReady'],
] as const

/**
 * How much the class's status says its selectors find. Left out is what nobody knows: terms that `spec` changes, and what no controller
 * has managed to look up yet, or never does, as capacity reservations without their gate.
 */
export function selectorMatchesOf(nodeClass: EC2NodeClass, spec = nodeClass.spec): SelectorMatches | undefined {
  const { spec: stored, status } = nodeClass
  // Nobody has checked the shape of what is under review.
  if (!isRecord(spec) || !isRecord(stored)) return undefined
  return Object.fromEntries(
    selectors.flatMap(([terms, found, condition]) =>
      isConditionUnknown(nodeClass, condition) || !jsonEqual(spec[terms] ?? null, stored[terms] ?? null)
        ? []
        : [[found, status?.[found]?.length ?? 0]],
    ),
  )
}
