import type { Offering } from '../../../model/instance-type.ts'
import { absent, oneValue } from '../../../model/requirement.ts'
import { type Requirements, requirementsOf } from '../../../model/requirements.ts'
import {
  capacityTypeKey,
  placementGroupPartitionKey,
  reservationIDKey,
  reservationInterruptibleKey,
  reservationTypeKey,
  zoneIDKey,
  zoneKey,
} from '../keys.ts'
import type { GroupScope, Pool } from '../unavailable-offerings.ts'
import { partitionNames } from './requirements.ts'
import type { ClassReservation, PlacementGroup } from './type-settings.ts'

/** What decides which offerings a type has and which of them can be had. */
export interface OfferingInputs {
  /** Every zone of the region where any type is offered, sorted. */
  readonly allZones: readonly string[]
  /** Zone ids of the class's subnets. */
  readonly zoneIDs: ReadonlyMap<string, string | undefined>
  readonly subnetIDs: ReadonlyMap<string, readonly string[]>
  readonly placementGroup: PlacementGroup | undefined
  isShifted(zoneID: string): boolean
  isUnavailable(pool: Pool, subnetIDs: readonly string[], scope: GroupScope | undefined): boolean
  price(instanceType: string, capacityType: 'on-demand' | 'spot', zone: string): number | undefined
  /** A price that a NodeOverlay gives to a type which has none. */
  overlayPrice(instanceType: string): number | undefined
}

export interface OfferedType {
  readonly name: string
  /** Where EC2 offers it and the class has a subnet: nothing can be launched elsewhere. */
  readonly zones: ReadonlySet<string>
  readonly capacityTypes: readonly ('on-demand' | 'spot')[]
  /** Whether the class can use the type at all. */
  readonly meetsDemands: boolean
}

/** Requirements recur for every type; sharing them keeps a catalogue of thousands of offerings small. */
export type RequirementsMemo = Map<string, Requirements>

export function offeringsOf(type: OfferedType, inputs: OfferingInputs, memo: RequirementsMemo): Offering[] {
  const offerings: Offering[] = []
  const group = inputs.placementGroup
  const partitions = partitionsOf(group)
  for (const zone of inputs.allZones) {
    const zoneID = inputs.zoneIDs.get(zone)
    const reachable = type.meetsDemands && type.zones.has(zone) && !(zoneID !== undefined && inputs.isShifted(zoneID))
    for (const capacityType of type.capacityTypes) {
      const price = inputs.price(type.name, capacityType, zone) ?? inputs.overlayPrice(type.name)
      for (const partition of partitions) {
        const scope = group === undefined ? undefined : { groupID: group.id, partition }
        const pool = { instanceType: type.name, zone, capacityType }
        offerings.push({
          requirements: plainRequirements(capacityType, zone, zoneID, partition, memo),
          price: price ?? 0,
          available:
            reachable && price !== undefined && !inputs.isUnavailable(pool, inputs.subnetIDs.get(zone) ?? [], scope),
        })
      }
    }
  }
  return offerings
}

/** Reserved capacity costs nothing more: its price only orders reservations among themselves and before all else. */
const reservedPriceDivisor = 10_000_000

export function reservedOfferingsOf(
  type: OfferedType,
  reservations: readonly ClassReservation[],
  inputs: OfferingInputs,
  remaining: (reservationID: string) => number,
  memo: RequirementsMemo,
): Offering[] {
  const offerings: Offering[] = []
  const onDemand = inputs.price(type.name, 'on-demand', '')
  for (const reservation of reservations) {
    if (reservation.instanceType !== type.name) continue
    const zoneID = inputs.zoneIDs.get(reservation.zone)
    const count = remaining(reservation.id)
    const available =
      type.meetsDemands &&
      count !== 0 &&
      type.zones.has(reservation.zone) &&
      !reservation.expiring &&
      !(zoneID !== undefined && inputs.isShifted(zoneID))
    for (const partition of partitionsOf(inputs.placementGroup)) {
      offerings.push({
        requirements: reservedRequirements(reservation, zoneID, partition, memo),
        price: (onDemand ?? 0) / reservedPriceDivisor,
        available,
        reservationCapacity: count,
      })
    }
  }
  return offerings
}

/** One empty name when there are no partitions. */
function partitionsOf(group: PlacementGroup | undefined): readonly string[] {
  return group?.strategy === 'partition' && group.partitionCount > 0 ? partitionNames(group.partitionCount) : ['']
}

function plainRequirements(
  capacityType: string,
  zone: string,
  zoneID: string | undefined,
  partition: string,
  memo: RequirementsMemo,
): Requirements {
  return remember(memo, `${capacityType}/${zone}/${zoneID ?? ''}/${partition}`, () =>
    requirementsOf(
      oneValue(capacityTypeKey, capacityType),
      ...placeRequirements(zone, zoneID, partition),
      absent(reservationIDKey),
      absent(reservationTypeKey),
      absent(reservationInterruptibleKey),
    ),
  )
}

function reservedRequirements(
  reservation: ClassReservation,
  zoneID: string | undefined,
  partition: string,
  memo: RequirementsMemo,
): Requirements {
  const { id, zone, type, interruptible } = reservation
  return remember(memo, `reserved/${id}/${zone}/${zoneID ?? ''}/${partition}/${type}/${interruptible}`, () =>
    requirementsOf(
      oneValue(capacityTypeKey, 'reserved'),
      ...placeRequirements(zone, zoneID, partition),
      oneValue(reservationIDKey, id),
      oneValue(reservationTypeKey, type),
      oneValue(reservationInterruptibleKey, String(interruptible)),
    ),
  )
}

function placeRequirements(zone: string, zoneID: string | undefined, partition: string) {
  const requirements = [oneValue(zoneKey, zone)]
  if (zoneID !== undefined && zoneID !== '') requirements.push(oneValue(zoneIDKey, zoneID))
  if (partition !== '') requirements.push(oneValue(placementGroupPartitionKey, partition))
  return requirements
}

function remember(memo: RequirementsMemo, key: string, make: () => Requirements): Requirements {
  const known = memo.get(key)
  if (known !== undefined) return known
  const made = make()
  memo.set(key, made)
  return made
}
