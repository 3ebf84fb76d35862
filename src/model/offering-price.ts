import { labelCapacityType, labelZone } from '../api/labels.ts'
import type { InstanceType, Offering } from './instance-type.ts'
import { compareNumbers, compareText } from './order.ts'
import { isCompatible, type Requirements } from './requirements.ts'

/** The order in which a launch prefers what the requirements allow; the first that a type offers decides its price. */
const capacityTypePrecedence = ['reserved', 'spot', 'on-demand'] as const

/** The value that a label has for whoever takes the offering; undefined where it does not say which. */
export function offeringValue(offering: Offering, key: string): string | undefined {
  const requirement = offering.requirements.get(key)
  return requirement === undefined || requirement.complement ? undefined : requirement.values.values().next().value
}

/** Empty for an offering that names none. */
export function offeringCapacityType(offering: Offering): string {
  return offeringValue(offering, labelCapacityType) ?? ''
}

/** Empty for an offering that names none. */
export function offeringZone(offering: Offering): string {
  return offeringValue(offering, labelZone) ?? ''
}

/** `allowUndefined`: labels of offerings of which the requirements need not speak. */
export function isOfferingCompatible(
  requirements: Requirements,
  offering: Offering,
  allowUndefined: ReadonlySet<string>,
): boolean {
  return isCompatible(requirements, offering.requirements, allowUndefined)
}

export function availableOfferings(
  type: InstanceType,
  requirements: Requirements,
  allowUndefined: ReadonlySet<string>,
): readonly Offering[] {
  return type.offerings.filter(
    (offering) => offering.available && isOfferingCompatible(requirements, offering, allowUndefined),
  )
}

/** Infinity when nothing compatible is available. */
export function cheapestPrice(
  type: InstanceType,
  requirements: Requirements,
  allowUndefined: ReadonlySet<string>,
): number {
  return availableOfferings(type, requirements, allowUndefined).reduce(
    (lowest, offering) => Math.min(lowest, offering.price),
    Number.POSITIVE_INFINITY,
  )
}

/** What a launch may cost at worst: the dearest compatible available offering of the capacity type that would be tried first. */
export function worstLaunchPrice(
  type: InstanceType,
  requirements: Requirements,
  allowUndefined: ReadonlySet<string>,
): number {
  const available = availableOfferings(type, requirements, allowUndefined)
  for (const capacityType of capacityTypePrecedence) {
    const prices = available
      .filter((offering) => offeringCapacityType(offering) === capacityType)
      .map((offering) => offering.price)
    if (prices.length > 0) return Math.max(...prices)
  }
  return Number.POSITIVE_INFINITY
}

/** Cheapest first, then by name. */
export function cheapestFirst(
  types: readonly InstanceType[],
  requirements: Requirements,
  allowUndefined: ReadonlySet<string>,
): readonly InstanceType[] {
  return types
    .map((type) => ({ type, price: cheapestPrice(type, requirements, allowUndefined) }))
    .toSorted((a, b) => compareNumbers(a.price, b.price) || compareText(a.type.name, b.type.name))
    .map(({ type }) => type)
}
