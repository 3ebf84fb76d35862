import { jsonEqual } from '../api/json.ts'
import type { EC2NodeClass } from '../api/karpenter.ts'
import type { SelectorMatches } from './rule.ts'

const selectors = [
  ['amiSelectorTerms', 'amis'],
  ['subnetSelectorTerms', 'subnets'],
  ['securityGroupSelectorTerms', 'securityGroups'],
  ['capacityReservationSelectorTerms', 'capacityReservations'],
] as const

/**
 * How much the class's status says its selectors find. Terms that `spec` changes have not been resolved by anybody yet. Undefined for a
 * class that no controller has looked at.
 */
export function selectorMatchesOf(
  { spec: stored, status }: EC2NodeClass,
  spec: EC2NodeClass['spec'] = stored,
): SelectorMatches | undefined {
  if (spec === undefined || stored === undefined || status?.conditions === undefined) return undefined
  return Object.fromEntries(
    selectors.flatMap(([terms, found]) =>
      jsonEqual(spec[terms] ?? null, stored[terms] ?? null) ? [[found, status[found]?.length ?? 0]] : [],
    ),
  )
}
