import { capacityTypeReserved, labelCapacityType } from '../api/labels.ts'
import { allocatableOf, type InstanceType, type Offering } from '../model/instance-type.ts'
import type { Quantity } from '../model/quantity.ts'
import { isPossible } from '../model/requirement.ts'
import { agree, type Requirements } from '../model/requirements.ts'
import { addResources, type Resources } from '../model/resources.ts'
import { AmountSpace } from './amounts.ts'
import { allBits, and, andInto, bitIndexes, type Bits, emptyBits, isEmptyBits, orInto, setBit } from './bitset.ts'
import type { RequirementSpace, SetID } from './requirement-space.ts'

/**
 * One way a type can come up: a type has one slot, and another for each distinct capacity or overhead override among its offerings.
 * A type suits a claim while one of its slots both has room and a compatible available offering.
 */
export interface Slot {
  readonly type: InstanceType
  readonly typeIndex: number
  readonly allocatable: Resources
  readonly offerings: readonly Offering[]
}

export interface ReservedOffering {
  readonly slot: number
  readonly set: SetID
  readonly reservation: string
}

/** Prices in US dollars per hour by type, Infinity where there is no offering; and type positions, cheapest first. */
export interface PriceOrder {
  readonly prices: Float64Array
  readonly order: readonly number[]
}

/** Undefined of a type that says nothing of the resource. */
interface SlotCapacity {
  readonly slot: number
  readonly amount: Quantity | undefined
}

interface OfferingGroup {
  readonly set: SetID
  /** Slots with an available offering of this kind. */
  readonly slots: Bits
}

/** A pool's instance types as bit positions, so that "which of these types" is a handful of AND operations. */
export class CatalogIndex {
  readonly types: readonly InstanceType[]
  readonly slots: readonly Slot[]
  readonly all: Bits
  readonly reserved: readonly ReservedOffering[]
  /** Instances left by reservation: the least that any offering says. */
  readonly reservations: ReadonlyMap<string, number>
  /** Per type, the available offerings: requirement set and price. */
  readonly #priced: readonly (readonly { readonly set: SetID; readonly price: number }[])[]
  readonly #byPrice = new Map<SetID, PriceOrder>()
  readonly #requirements: RequirementSpace
  readonly #offerings: readonly OfferingGroup[]
  /** By requirement id: slots whose type agrees with it. */
  readonly #agreeing = new Map<number, Bits>()
  readonly #typeSets: readonly SetID[]
  readonly #compatible = new Map<SetID, Bits>()
  readonly #offered = new Map<SetID, Bits>()
  readonly #suitable = new Map<SetID, Bits>()
  readonly #valueSlots = new Map<string, readonly Bits[]>()
  readonly #byCapacity = new Map<string, readonly SlotCapacity[]>()
  /** Amounts that the types allow for, observed but not settled. */
  readonly amounts = new AmountSpace()
  /** Slots with no negative allocatable. */
  readonly sound: Bits

  constructor(types: readonly InstanceType[], requirements: RequirementSpace, reservationLabel: string) {
    this.types = types
    this.#requirements = requirements
    this.slots = types.flatMap(slotsOf)
    this.all = allBits(this.slots.length)
    this.sound = emptyBits(this.slots.length)
    for (const [slot, { allocatable }] of this.slots.entries()) {
      this.amounts.observe(allocatable)
      if (![...allocatable.values()].some((quantity) => quantity.isNegative)) setBit(this.sound, slot)
    }
    this.#typeSets = types.map((type) => requirements.intern(type.requirements))
    const groups = new Map<SetID, Bits>()
    const reserved: ReservedOffering[] = []
    for (const [slot, { offerings }] of this.slots.entries()) {
      for (const offering of offerings) {
        if (!offering.available) continue
        const set = requirements.intern(offering.requirements)
        let bits = groups.get(set)
        if (bits === undefined) {
          bits = emptyBits(this.slots.length)
          groups.set(set, bits)
        }
        setBit(bits, slot)
        if (isReserved(offering)) {
          const [reservation = ''] = offering.requirements.get(reservationLabel)?.values ?? []
          reserved.push({ slot, set, reservation })
        }
      }
    }
    this.#offerings = [...groups].map(([set, slots]) => ({ set, slots }))
    this.reserved = reserved
    const left = new Map<string, number>()
    for (const { offerings } of types) {
      for (const { requirements: offered, reservationCapacity } of offerings) {
        if (reservationCapacity === undefined) continue
        const [id = ''] = offered.get(reservationLabel)?.values ?? []
        left.set(id, Math.min(left.get(id) ?? Number.POSITIVE_INFINITY, reservationCapacity))
      }
    }
    this.reservations = left
    const sets = new Map<Requirements, SetID>()
    const setOf = (offered: Requirements): SetID => {
      const known = sets.get(offered) ?? requirements.intern(offered)
      sets.set(offered, known)
      return known
    }
    this.#priced = types.map(({ offerings }) =>
      offerings
        .filter(({ available }) => available)
        .map((offering) => ({ set: setOf(offering.requirements), price: offering.price })),
    )
  }

  get size(): number {
    return this.slots.length
  }

  /** Slots whose type's own requirements intersect the set. */
  compatible(set: SetID): Bits {
    const known = this.#compatible.get(set)
    if (known !== undefined) return known
    const bits = this.all.slice()
    for (const [key, id] of this.#requirements.requirementIDs(set)) andInto(bits, this.#agreeingWith(key, id))
    this.#compatible.set(set, bits)
    return bits
  }

  /** Slots with an available offering that the set accepts. */
  offered(set: SetID): Bits {
    const known = this.#offered.get(set)
    if (known !== undefined) return known
    const bits = emptyBits(this.slots.length)
    for (const group of this.#offerings) {
      if (this.#requirements.compatible(set, group.set)) orInto(bits, group.slots)
    }
    this.#offered.set(set, bits)
    return bits
  }

  suitable(set: SetID): Bits {
    const known = this.#suitable.get(set)
    if (known !== undefined) return known
    const bits = and(this.compatible(set), this.offered(set))
    this.#suitable.set(set, bits)
    return bits
  }

  /** All types by their cheapest available offering that the set accepts. */
  byPrice(set: SetID): PriceOrder {
    const known = this.#byPrice.get(set)
    if (known !== undefined) return known
    const prices = Float64Array.from(this.#priced, (offerings) =>
      offerings.reduce(
        (lowest, { set: offered, price }) =>
          price < lowest && this.#requirements.compatible(set, offered) ? price : lowest,
        Number.POSITIVE_INFINITY,
      ),
    )
    const order = [...prices.keys()].sort((a, b) => {
      const [x, y] = [prices[a] ?? 0, prices[b] ?? 0]
      return x < y ? -1 : x > y ? 1 : a - b
    })
    const sorted = { prices, order }
    this.#byPrice.set(set, sorted)
    return sorted
  }

  /** All slots by the capacity of a resource, largest first. */
  byCapacity(resource: string): readonly SlotCapacity[] {
    let sorted = this.#byCapacity.get(resource)
    if (sorted === undefined) {
      sorted = this.slots
        .map(({ type }, slot) => ({ slot, amount: type.capacity.get(resource) }))
        .toSorted((a, b) => compareAmounts(b.amount, a.amount) || a.slot - b.slot)
      this.#byCapacity.set(resource, sorted)
    }
    return sorted
  }

  /** How many distinct values the types behind the slots have for a label. */
  distinctValues(key: string, bits: Bits): number {
    let count = 0
    for (const slots of this.#slotsByValue(key)) if (!isEmptyBits(and(slots, bits))) count += 1
    return count
  }

  /** Values that the types behind the slots have for a label; undefined where one of them leaves it open. */
  possibleValues(key: string, bits: Bits): ReadonlySet<string> | undefined {
    const values = new Set<string>()
    for (const slot of bitIndexes(bits)) {
      const stated = this.slots[slot]?.type.requirements.get(key)
      if (stated === undefined || stated.complement) return undefined
      for (const value of stated.values) values.add(value)
    }
    return values
  }

  #slotsByValue(key: string): readonly Bits[] {
    const known = this.#valueSlots.get(key)
    if (known !== undefined) return known
    const byValue = new Map<string, Bits>()
    for (const [slot, { type }] of this.slots.entries()) {
      for (const value of type.requirements.get(key)?.values ?? []) {
        let bits = byValue.get(value)
        if (bits === undefined) {
          bits = emptyBits(this.slots.length)
          byValue.set(value, bits)
        }
        setBit(bits, slot)
      }
    }
    const found = [...byValue.values()]
    this.#valueSlots.set(key, found)
    return found
  }

  #agreeingWith(key: string, id: number): Bits {
    const known = this.#agreeing.get(id)
    if (known !== undefined) return known
    const wanted = this.#requirements.requirementByID(id)
    const bits = emptyBits(this.slots.length)
    // A pool may ask for what no label can hold, of a label that the types say nothing of.
    const verdicts = new Map([[-1, isPossible(wanted)]])
    for (const [slot, { typeIndex }] of this.slots.entries()) {
      const set = this.#typeSets[typeIndex]
      const offeredID = set === undefined ? -1 : this.#requirements.requirementIDIn(set, key)
      let verdict = verdicts.get(offeredID)
      if (verdict === undefined) {
        verdict = agree(this.#requirements.requirementByID(offeredID), wanted)
        verdicts.set(offeredID, verdict)
      }
      if (verdict) setBit(bits, slot)
    }
    this.#agreeing.set(id, bits)
    return bits
  }
}

function isReserved(offering: Offering): boolean {
  return offering.requirements.get(labelCapacityType)?.values.has(capacityTypeReserved) === true
}

function slotsOf(type: InstanceType, typeIndex: number): Slot[] {
  const groups = new Map<string, { offerings: Offering[]; first: Offering | undefined }>([
    ['', { offerings: [], first: undefined }],
  ])
  for (const offering of type.offerings) {
    const key =
      offering.capacityOverride === undefined && offering.overheadOverride === undefined
        ? ''
        : `${resourcesText(offering.capacityOverride)}/${resourcesText(offering.overheadOverride)}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { offerings: [offering], first: offering })
    else group.offerings.push(offering)
  }
  return [...groups.values()].map(({ offerings, first }) => ({
    type,
    typeIndex,
    offerings,
    allocatable: first === undefined ? plainAllocatable(type) : overridden(type, first),
  }))
}

/** What a type is stays the same object while what can be had of it changes. */
const plain = new WeakMap<Resources, { readonly overhead: InstanceType['overhead']; readonly allocatable: Resources }>()

export function plainAllocatable({ capacity, overhead }: InstanceType): Resources {
  const known = plain.get(capacity)
  if (known?.overhead === overhead) return known.allocatable
  const allocatable = allocatableOf(capacity, overhead)
  plain.set(capacity, { overhead, allocatable })
  return allocatable
}

function overridden(type: InstanceType, { capacityOverride, overheadOverride }: Offering): Resources {
  const capacity = new Map([...type.capacity, ...(capacityOverride ?? [])])
  const overhead =
    overheadOverride === undefined
      ? type.overhead
      : {
          kubeReserved: new Map([
            ...addResources(type.overhead.kubeReserved, type.overhead.systemReserved, type.overhead.evictionThreshold),
            ...overheadOverride,
          ]),
          systemReserved: new Map(),
          evictionThreshold: new Map(),
        }
  return allocatableOf(capacity, overhead)
}

/** Equal for equal amounts. */
export function resourcesText(resources: Resources | undefined): string {
  if (resources === undefined) return ''
  return [...resources]
    .map(([name, quantity]) => `${name}=${quantity.nano}`)
    .toSorted()
    .join(',')
}

function compareAmounts(a: Quantity | undefined, b: Quantity | undefined): number {
  const [x, y] = [a?.nano ?? 0n, b?.nano ?? 0n]
  return x < y ? -1 : x > y ? 1 : 0
}
