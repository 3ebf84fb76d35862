import { allocatableOf, type InstanceType, type Offering } from '../../../model/instance-type.ts'
import { judgeMinValues, minValuesText } from '../../../model/min-values.ts'
import { offeringCapacityType, offeringValue, offeringZone } from '../../../model/offering-price.ts'
import { compareText } from '../../../model/order.ts'
import { allows } from '../../../model/requirement.ts'
import { isCompatible, requirementFor, type Requirements } from '../../../model/requirements.ts'
import { addResources, fits, noResources, type Resources } from '../../../model/resources.ts'
import {
  type CapacityType,
  capacityTypeKey,
  instanceKeys,
  reservationInterruptibleKey,
  reservationTypeKey,
  resourceNames,
  wellKnownLabels,
} from '../keys.ts'
import { hasMinValues } from './claim-requirements.ts'

/** Most types of one fleet request: with a few zones each they stay below what CreateFleet takes. */
const typesMax = 60

export type FilterResult =
  | { readonly kind: 'types'; readonly types: readonly InstanceType[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'minValuesUnmet'; readonly reason: string }

export interface FilterInputs {
  readonly types: readonly InstanceType[]
  readonly requirements: Requirements
  readonly requests: Resources
  readonly minValuesPolicy: 'Strict' | 'BestEffort'
}

/** The types a launch asks for, cheapest first, each with only the offerings it may use. Inputs are left as they are. */
export function filterTypes(inputs: FilterInputs): FilterResult {
  const { requirements, requests } = inputs
  const steps: readonly ((types: readonly InstanceType[]) => readonly InstanceType[])[] = [
    (types) => types.filter((type) => isAvailable(type, requirements, requests)),
    (types) => byReservationType(types, requirements),
    (types) => byCapacityBlock(types, requirements),
    (types) => byReservedOffering(types, requirements),
    (types) => withoutExotic(types, requirements),
    (types) => withoutDearSpot(types, requirements),
  ]
  let types = inputs.types
  for (const step of steps) {
    types = step(types)
    if (types.length === 0) return { kind: 'none' }
  }
  const truncated = cheapestFirst(types, requirements).slice(0, typesMax)
  // A choice is wanted where capacity may run short. A reservation is for one type, and its claim lists the others.
  if (inputs.minValuesPolicy === 'BestEffort' || isReserved(truncated, requirements)) {
    return { kind: 'types', types: truncated }
  }
  const verdict = judgeMinValues(truncated, requirements)
  return verdict.kind === 'unmet'
    ? { kind: 'minValuesUnmet', reason: minValuesText(verdict) }
    : { kind: 'types', types: truncated }
}

/** Available offerings that the requirements allow. */
export function usableOfferings(type: InstanceType, requirements: Requirements): Offering[] {
  return type.offerings.filter((it) => it.available && isCompatible(requirements, it.requirements, wellKnownLabels))
}

export function allowsCapacityType(requirements: Requirements, capacityType: CapacityType): boolean {
  return allows(requirementFor(requirements, capacityTypeKey), capacityType)
}

function isAvailable(type: InstanceType, requirements: Requirements, requests: Resources): boolean {
  if (!isCompatible(requirements, type.requirements, wellKnownLabels)) return false
  const usable = usableOfferings(type, requirements)
  if (usable.length === 0) return false
  const plain = usable.some((it) => it.capacityOverride === undefined && it.overheadOverride === undefined)
  if (plain && fits(requests, allocatableOf(type.capacity, type.overhead))) return true
  return usable.some(
    (it) =>
      (it.capacityOverride !== undefined || it.overheadOverride !== undefined) &&
      fits(requests, allocatableIn(type, it)),
  )
}

/** An offering's overrides lie over the type's own amounts. */
function allocatableIn(type: InstanceType, { capacityOverride, overheadOverride }: Offering): Resources {
  const capacity = capacityOverride === undefined ? type.capacity : new Map([...type.capacity, ...capacityOverride])
  if (overheadOverride === undefined) return allocatableOf(capacity, type.overhead)
  const { kubeReserved, systemReserved, evictionThreshold } = type.overhead
  const total = addResources(kubeReserved, systemReserved, evictionThreshold)
  return allocatableOf(capacity, {
    kubeReserved: new Map([...total, ...overheadOverride]),
    systemReserved: noResources,
    evictionThreshold: noResources,
  })
}

/** Default, capacity-block and interruptible reservations launch differently, so one launch uses one kind: that of the cheapest offering. */
function byReservationType(types: readonly InstanceType[], requirements: Requirements): readonly InstanceType[] {
  if (!allowsCapacityType(requirements, 'reserved')) return types
  const kinds = ['default', 'capacity-block', 'interruptible'] as const
  let best: { readonly kind: (typeof kinds)[number]; readonly price: number } | undefined
  for (const kind of kinds) {
    for (const type of types) {
      for (const offering of reservedOfferings(type, requirements)) {
        if (reservationKind(offering) !== kind) continue
        if (best === undefined || offering.price < best.price) best = { kind, price: offering.price }
      }
    }
  }
  if (best === undefined) return types
  const { kind } = best
  return types.flatMap((type) =>
    withOfferings(
      type,
      reservedOfferings(type, requirements).filter((it) => reservationKind(it) === kind),
    ),
  )
}

/**
 * A capacity block is bought for one type in one zone: exactly one offering remains. A block that cannot be used does not count: what is
 * left then is spot and on-demand, of which a launch may need many.
 */
function byCapacityBlock(types: readonly InstanceType[], requirements: Requirements): readonly InstanceType[] {
  if (!allowsCapacityType(requirements, 'reserved')) return types
  const first = types.flatMap((type) => reservedOfferings(type, requirements)).at(0)
  if (first === undefined || reservationKind(first) !== 'capacity-block') return types
  let best: { readonly type: InstanceType; readonly offering: Offering } | undefined
  for (const type of types) {
    for (const offering of usableOfferings(type, requirements)) {
      if (best === undefined || offering.price < best.offering.price) best = { type, offering }
    }
  }
  return best === undefined ? [] : withOfferings(best.type, [best.offering])
}

/** Per type and zone the reservation with most left; none at all means falling through to spot and on-demand. */
function byReservedOffering(types: readonly InstanceType[], requirements: Requirements): readonly InstanceType[] {
  if (!allowsCapacityType(requirements, 'reserved')) return types
  const reserved = types.flatMap((type) => {
    const byZone = new Map<string, Offering>()
    for (const offering of reservedOfferings(type, requirements)) {
      const zone = offeringZone(offering)
      const known = byZone.get(zone)
      if (known === undefined || (offering.reservationCapacity ?? 0) > (known.reservationCapacity ?? 0)) {
        byZone.set(zone, offering)
      }
    }
    return withOfferings(type, [...byZone.values()])
  })
  return reserved.length === 0 ? types : reserved
}

/** Metal and accelerated machines are only for those who can use nothing else. */
function withoutExotic(types: readonly InstanceType[], requirements: Requirements): readonly InstanceType[] {
  if (hasMinValues(requirements)) return types
  const plain = types.filter((type) => !isExotic(type))
  return plain.length === 0 ? types : plain
}

const exoticResources = [
  resourceNames.neuron,
  resourceNames.neuronCore,
  resourceNames.amdGPU,
  resourceNames.nvidiaGPU,
  resourceNames.gaudi,
]

function isExotic(type: InstanceType): boolean {
  const size = type.requirements.get(instanceKeys.size)
  if (size !== undefined && [...size.values].some((value) => value.includes('metal'))) return true
  return exoticResources.some((name) => !(type.capacity.get(name)?.isZero ?? true))
}

/** Where on-demand is an alternative, spot above the cheapest on-demand price is pointless. */
function withoutDearSpot(types: readonly InstanceType[], requirements: Requirements): readonly InstanceType[] {
  if (hasMinValues(requirements)) return types
  if (!allowsCapacityType(requirements, 'spot') || !allowsCapacityType(requirements, 'on-demand')) return types
  let cheapest = Number.POSITIVE_INFINITY
  let spotSeen = false
  for (const type of types) {
    for (const offering of usableOfferings(type, requirements)) {
      if (offeringCapacityType(offering) === 'spot') spotSeen = true
      else if (offeringCapacityType(offering) === 'on-demand') cheapest = Math.min(cheapest, offering.price)
    }
  }
  if (!spotSeen || cheapest === Number.POSITIVE_INFINITY) return types
  return types.flatMap((type) =>
    withOfferings(
      type,
      type.offerings.filter((it) => offeringCapacityType(it) !== 'spot' || it.price <= cheapest),
    ),
  )
}

function isReserved(types: readonly InstanceType[], requirements: Requirements): boolean {
  return types.some((type) => reservedOfferings(type, requirements).length > 0)
}

function reservedOfferings(type: InstanceType, requirements: Requirements): Offering[] {
  return usableOfferings(type, requirements).filter((it) => offeringCapacityType(it) === 'reserved')
}

function reservationKind(offering: Offering): 'default' | 'capacity-block' | 'interruptible' {
  if (offeringValue(offering, reservationTypeKey) === 'capacity-block') return 'capacity-block'
  return offeringValue(offering, reservationInterruptibleKey) === 'true' ? 'interruptible' : 'default'
}

/** Nothing when no offering remains. */
function withOfferings(type: InstanceType, offerings: readonly Offering[]): InstanceType[] {
  if (offerings.length === 0) return []
  return offerings.length === type.offerings.length ? [type] : [{ ...type, offerings }]
}

function cheapestFirst(types: readonly InstanceType[], requirements: Requirements): InstanceType[] {
  return types
    .map((type) => ({
      type,
      price: usableOfferings(type, requirements).reduce((least, it) => Math.min(least, it.price), Number.MAX_VALUE),
    }))
    .toSorted((a, b) => a.price - b.price || compareText(a.type.name, b.type.name))
    .map(({ type }) => type)
}
