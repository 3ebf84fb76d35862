import type { InstanceType } from '../../../model/instance-type.ts'
import { offeringZone } from '../../../model/offering-price.ts'
import { allows } from '../../../model/requirement.ts'
import { requirementFor, type Requirements } from '../../../model/requirements.ts'
import { type CapacityType, tenancyKey } from '../keys.ts'
import { narrowedTo } from './claim-requirements.ts'
import { allowsCapacityType, usableOfferings } from './filters.ts'

/** Reserved before spot before on-demand, the first of which something is left. */
export function chooseCapacityType(types: readonly InstanceType[], requirements: Requirements): CapacityType {
  for (const capacityType of ['reserved', 'spot'] as const) {
    if (!allowsCapacityType(requirements, capacityType)) continue
    const narrowed = narrowedTo(requirements, capacityType)
    if (types.some((type) => usableOfferings(type, narrowed).length > 0)) return capacityType
  }
  return 'on-demand'
}

export function chooseTenancy(requirements: Requirements): 'default' | 'dedicated' {
  return allows(requirementFor(requirements, tenancyKey), 'default') ? 'default' : 'dedicated'
}

/** Pods of the smallest candidate in the zone: as many addresses a launch there will take at least. */
export function addressesNeeded(types: readonly InstanceType[], narrowed: Requirements): ReadonlyMap<string, number> {
  const least = new Map<string, number>()
  for (const type of types) {
    const pods = Number(type.capacity.get('pods')?.units ?? 0n)
    for (const offering of usableOfferings(type, narrowed)) {
      const zone = offeringZone(offering)
      least.set(zone, Math.min(least.get(zone) ?? Number.POSITIVE_INFINITY, pods))
    }
  }
  return least
}
