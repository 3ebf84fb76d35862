import type { CapacityReservation, Filter } from '@aws-sdk/client-ec2'
import { parseTimestamp, toTimestamp } from '../../../model/clock.ts'
import { canonicalText } from '../canonical.ts'
import type { ClassReservation } from '../instance-types/type-settings.ts'
import type { ReservationType } from '../keys.ts'
import { tagFilters } from '../tag-filters.ts'
import type { NodeClassSpec, StatusReservation } from '../wire.ts'

/** How long before its end a capacity block takes no more launches and its nodes are drained; EC2 itself begins 30 minutes before. */
const expiringBeforeEndMs = 40 * 60_000

export type ReservationTerm = NonNullable<NodeClassSpec['capacityReservationSelectorTerms']>[number]

export interface ReservationQuery {
  readonly key: string
  readonly ids: readonly string[]
  readonly filters: readonly Filter[]
}

/** Terms that only name an owner select nothing: admission refuses them. */
export function reservationQueries(terms: readonly ReservationTerm[]): ReservationQuery[] {
  return terms.flatMap((term) => {
    if (term.id !== undefined) return [reservationQuery([term.id], [])]
    const filters: Filter[] = []
    if (term.ownerID !== undefined) filters.push({ Name: 'owner-id', Values: [term.ownerID] })
    filters.push(...tagFilters(term.tags ?? {}))
    if (term.instanceMatchCriteria !== undefined) {
      filters.push({ Name: 'instance-match-criteria', Values: [term.instanceMatchCriteria] })
    }
    return term.tags === undefined && term.instanceMatchCriteria === undefined ? [] : [reservationQuery([], filters)]
  })
}

export function reservationQuery(ids: readonly string[], filters: readonly Filter[]): ReservationQuery {
  return { key: canonicalText({ ids, filters }), ids, filters: [...filters, { Name: 'state', Values: ['active'] }] }
}

/** Undefined when EC2 reports something this version does not know. */
export function toStatusReservation(reservation: CapacityReservation, now: number): StatusReservation | undefined {
  const criteria = reservation.InstanceMatchCriteria
  if (criteria !== 'open' && criteria !== 'targeted') return undefined
  const type = reservationTypeOf(reservation)
  if (type === undefined) return undefined
  const endTime = reservation.EndDate?.getTime()
  return {
    availabilityZone: reservation.AvailabilityZone ?? '',
    ...(endTime === undefined ? {} : { endTime: toTimestamp(endTime) }),
    id: reservation.CapacityReservationId ?? '',
    instanceMatchCriteria: criteria,
    instanceType: reservation.InstanceType ?? '',
    interruptible: reservation.Interruptible ?? false,
    ownerID: reservation.OwnerId ?? '',
    reservationType: type,
    state: isExpiring(type, endTime, now) ? 'expiring' : 'active',
  }
}

export function isReservationExpiring(reservation: CapacityReservation, now: number): boolean {
  const type = reservationTypeOf(reservation)
  return type !== undefined && isExpiring(type, reservation.EndDate?.getTime(), now)
}

/** Judged anew: the class's status may be a minute old. */
export function toClassReservation(status: StatusReservation, now: number): ClassReservation {
  const type = status.reservationType ?? 'default'
  return {
    id: status.id,
    instanceType: status.instanceType,
    zone: status.availabilityZone,
    type,
    interruptible: status.interruptible ?? false,
    expiring: status.state === 'expiring' || isExpiring(type, parseTimestamp(status.endTime), now),
  }
}

function reservationTypeOf(reservation: CapacityReservation): ReservationType | undefined {
  const type: string = reservation.ReservationType ?? ''
  if (type === '' || type === 'default') return 'default'
  return type === 'capacity-block' ? 'capacity-block' : undefined
}

function isExpiring(type: ReservationType, endTime: number | undefined, now: number): boolean {
  return type === 'capacity-block' && endTime !== undefined && now >= endTime - expiringBeforeEndMs
}
