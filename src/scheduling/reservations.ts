import { compareText } from '../model/order.ts'
import { type Bits, hasBit } from './bitset.ts'
import type { CatalogIndex } from './catalog-index.ts'
import type { RequirementSpace, SetID } from './requirement-space.ts'

/** `strict` defers pods that would lose out; `fallback` takes what there is; `off` treats reserved offerings like any other. */
export type ReservedMode = 'strict' | 'fallback' | 'off'

export type ReservedRefusal =
  | { readonly kind: 'noneLeft'; readonly text: string }
  | { readonly kind: 'wouldLose'; readonly text: string }

const noneLeft: ReservedRefusal = {
  kind: 'noneLeft',
  text: 'one or more instance types with compatible reserved offerings are available, but could not be reserved',
}
const wouldLose: ReservedRefusal = {
  kind: 'wouldLose',
  text: 'satisfying updated nodeclaim constraints would remove all compatible reserved offering options',
}

/** Ids of capacity reservations, sorted. */
export type ReservationIDs = readonly string[]

export const noReservations: ReservationIDs = []

/** Instances left per reservation in one solve. A claim holds one of each reservation it may yet launch into. */
export class Reservations {
  readonly #left = new Map<string, number>()
  readonly #requirements: RequirementSpace

  constructor(catalogs: readonly CatalogIndex[], requirements: RequirementSpace) {
    this.#requirements = requirements
    for (const { reservations } of catalogs) {
      for (const [id, left] of reservations) {
        this.#left.set(id, Math.min(this.#left.get(id) ?? Number.POSITIVE_INFINITY, left))
      }
    }
  }

  /** What a claim with these slots and requirements may hold, given what it holds now; or why that will not do. */
  offered(
    catalog: CatalogIndex,
    bits: Bits,
    set: SetID,
    held: ReservationIDs,
    mode: ReservedMode,
  ): ReservationIDs | ReservedRefusal {
    if (mode === 'off' || catalog.reserved.length === 0) return noReservations
    let anyCompatible = false
    const ids = new Set<string>()
    for (const offering of catalog.reserved) {
      if (!hasBit(bits, offering.slot) || !this.#requirements.compatible(set, offering.set)) continue
      anyCompatible = true
      if (held.includes(offering.reservation) || (this.#left.get(offering.reservation) ?? 0) > 0) {
        ids.add(offering.reservation)
      }
    }
    if (mode === 'strict' && ids.size === 0) {
      if (held.length > 0 && !anyCompatible) return wouldLose
      if (anyCompatible) return noneLeft
    }
    return [...ids].toSorted(compareText)
  }

  exchange(before: ReservationIDs, after: ReservationIDs): void {
    if (before === after) return
    for (const id of after) if (!before.includes(id)) this.#left.set(id, (this.#left.get(id) ?? 0) - 1)
    for (const id of before) if (!after.includes(id)) this.#left.set(id, (this.#left.get(id) ?? 0) + 1)
  }
}

export function isRefusal(outcome: ReservationIDs | ReservedRefusal): outcome is ReservedRefusal {
  return 'kind' in outcome
}
