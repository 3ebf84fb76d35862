import type { CounterSet, Device } from '../api/kubernetes.ts'
import { byIdentity } from './by-identity.ts'
import { addResources, type Resources, subtractResources } from './resources.ts'
import { Quantity } from './quantity.ts'
import type { Requirements } from './requirements.ts'

/** What is held back from pods on a node, by cause. */
export interface Overhead {
  readonly kubeReserved: Resources
  readonly systemReserved: Resources
  readonly evictionThreshold: Resources
}

export interface InstanceType {
  readonly name: string
  /** What its nodes' labels may be: name, arch, os, zones, capacity types, and the provider's attributes. */
  readonly requirements: Requirements
  readonly capacity: Resources
  readonly overhead: Overhead
  /** Zone × capacity type (× reservation, × partition), available or not. */
  readonly offerings: readonly Offering[]
  /** Whether a NodeOverlay changed its capacity. */
  readonly capacityOverlaid?: boolean
  /** That the node class has no image for it, so that no launch can make a node of it; left out where it has, or nobody knows. */
  readonly lacksImage?: true
  /** What DRA drivers will publish on its nodes. */
  readonly deviceTemplates?: readonly DeviceTemplate[]
}

/** What tells whether a pool may launch a type at all, whatever it costs and whether it is to be had just now. */
export interface TypeOutline extends Pick<InstanceType, 'name' | 'requirements' | 'capacity'> {
  readonly offerings: readonly Pick<Offering, 'requirements'>[]
}

/** A pool of devices that a node of the type will have, before there is a node. */
export interface DeviceTemplate {
  readonly driver: string
  readonly devices: readonly TemplateDevice[]
  readonly sharedCounters?: readonly CounterSet[]
}

/** `bindings`: attributes whose values are known at launch only, by a name that devices with the same value share. */
export type TemplateDevice = Device & { readonly bindings?: Readonly<Record<string, string>> }

export interface Offering {
  /** Capacity type, zone, and what else tells it from the others. */
  readonly requirements: Requirements
  /** US dollars per hour. Sum prices with `sumPrices`, so that the order does not matter. */
  readonly price: number
  readonly available: boolean
  /** Instances left in the reservation; only for capacity type `reserved`. */
  readonly reservationCapacity?: number
  /** Merged over the type's own amounts: such offerings form an allocatable group of their own. */
  readonly capacityOverride?: Resources
  readonly overheadOverride?: Resources
  /** Whether a NodeOverlay changed its price. */
  readonly priceOverlaid?: boolean
}

/** Of equal names the last. Lists are immutable and come back until something in them changed. */
export const typesByName = byIdentity(
  (types: readonly InstanceType[]): ReadonlyMap<string, InstanceType> =>
    new Map(types.map((type) => [type.name, type])),
)

/** Capacity minus overhead, over the names of capacity; memory also loses what huge pages take. */
export function allocatableOf(capacity: Resources, overhead: Overhead): Resources {
  const reserved = addResources(overhead.kubeReserved, overhead.systemReserved, overhead.evictionThreshold)
  const allocatable = new Map(subtractResources(capacity, reserved))
  let memory = allocatable.get('memory')
  if (memory !== undefined) {
    for (const [name, amount] of capacity) {
      if (name.startsWith('hugepages-')) memory = memory.sub(amount)
    }
    if (memory !== allocatable.get('memory') && memory.isNegative) memory = new Quantity(0n, memory.format)
    allocatable.set('memory', memory)
  }
  return allocatable
}

/** Exact for prices down to 10⁻¹² dollars, whatever the order. What is no finite number, as the price of what cannot be had, counts as none. */
export function sumPrices(prices: Iterable<number>): number {
  let pico = 0n
  for (const price of prices) if (Number.isFinite(price)) pico += BigInt(Math.round(price * 1e12))
  return Number(pico) / 1e12
}

/** As sums of prices are: what is compared with one must not differ from it by the last digit of a binary fraction. */
export function roundedPrice(price: number): number {
  return Number.isFinite(price) ? Math.round(price * 1e12) / 1e12 : price
}
