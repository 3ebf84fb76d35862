import type { InstanceType, Offering } from '../../../model/instance-type.ts'
import { offeringValue } from '../../../model/offering-price.ts'
import { isCompatible, type Requirements } from '../../../model/requirements.ts'
import { amiFor } from '../ami/map-types.ts'
import { canonicalText } from '../canonical.ts'
import {
  type CapacityType,
  reservationIDKey,
  reservationInterruptibleKey,
  reservationTypeKey,
  resourceNames,
  wellKnownLabels,
} from '../keys.ts'
import type { ResolvedKubelet } from '../kubelet/resolve.ts'
import type { StatusAMI } from '../wire.ts'
import type { TemplateReservation } from './parameters.ts'

export interface GroupInputs {
  readonly types: readonly InstanceType[]
  readonly amis: readonly StatusAMI[]
  readonly capacityType: CapacityType
  /** The claim's, narrowed to the capacity type. */
  readonly requirements: Requirements
  readonly requestsEFA: boolean
  /** Network cards of a type; 0 when unknown. */
  networkCards(type: InstanceType): number
  /** Undefined unless the class's kubelet settings hold expressions. */
  resolvedKubelet(type: InstanceType): ResolvedKubelet | undefined
}

/** Types that can share one launch template. */
export interface TemplateGroup {
  readonly ami: StatusAMI
  readonly types: readonly InstanceType[]
  readonly efaCount: number
  /** Whether the first network card takes no EFA, as that of P6-B300: EFA interfaces begin at the second. */
  readonly plainFirstCard: boolean
  readonly maxPods: number
  readonly kubelet: ResolvedKubelet | undefined
  readonly reservation: TemplateReservation | undefined
}

/** In order of the types given. Types that no image fits are left out. */
export function groupTypes(inputs: GroupInputs): TemplateGroup[] {
  const groups = new Map<string, TemplateGroup & { types: InstanceType[] }>()
  for (const type of inputs.types) {
    const ami = amiFor(type, inputs.amis)
    if (ami === undefined) continue
    const efaCount = inputs.requestsEFA ? Number(type.capacity.get(resourceNames.efa)?.units ?? 0n) : 0
    const plainFirstCard = efaCount > 1 && inputs.networkCards(type) === efaCount + 1
    const maxPods = Number(type.capacity.get('pods')?.units ?? 0n)
    const kubelet = inputs.resolvedKubelet(type)
    for (const reservation of reservationsOf(type, inputs)) {
      const { kubeReserved, systemReserved } = kubelet ?? {}
      const reserved = canonicalText({ kubeReserved, systemReserved })
      const key = [
        ami.id,
        efaCount,
        plainFirstCard,
        maxPods,
        reserved,
        reservation === undefined ? '' : canonicalText(reservation),
      ].join('|')
      const group = groups.get(key)
      if (group === undefined)
        groups.set(key, { ami, types: [type], efaCount, plainFirstCard, maxPods, kubelet, reservation })
      else group.types.push(type)
    }
  }
  return [...groups.values()]
}

/** One undefined entry for launches outside reservations. */
function reservationsOf(type: InstanceType, inputs: GroupInputs): (TemplateReservation | undefined)[] {
  if (inputs.capacityType !== 'reserved') return [undefined]
  const found = new Map<string, TemplateReservation>()
  for (const offering of type.offerings) {
    if (!offering.available || !isCompatible(inputs.requirements, offering.requirements, wellKnownLabels)) continue
    const reservation = reservationOf(offering)
    if (reservation !== undefined) found.set(reservation.id, reservation)
  }
  return [...found.values()]
}

export function reservationOf(offering: Offering): TemplateReservation | undefined {
  const id = offeringValue(offering, reservationIDKey)
  if (id === undefined) return undefined
  return {
    id,
    type: offeringValue(offering, reservationTypeKey) === 'capacity-block' ? 'capacity-block' : 'default',
    interruptible: offeringValue(offering, reservationInterruptibleKey) === 'true',
  }
}
