import { byIdentity } from '../model/by-identity.ts'
import type { InstanceType } from '../model/instance-type.ts'
import { compareText } from '../model/order.ts'
import { Quantity } from '../model/quantity.ts'
import { type Resources, subtractResources } from '../model/resources.ts'
import { type Bits, bitIndexes, emptyBits, forEachBit, setBit } from './bitset.ts'
import type { Claim } from './claims.ts'
import type { Explainer, Suiting } from './explain.ts'
import type { NearestMiss } from './placement.ts'
import type { Template } from './template.ts'

/**
 * How much more the limits would have to leave for the type that asks least of what they lack. In the solve every planned node counts as the
 * largest that it could turn out to be; what is told here takes each for the cheapest, which is what will most likely be launched.
 */
export function limitMiss(template: Template, suiting: Suiting, by: Explainer): NearestMiss | undefined {
  const limits = by.limits.get(template)
  const remaining = likelyRemaining(by).get(template)
  if (limits === undefined || remaining === undefined) return undefined
  const short = fewestEnough(shortTypes(template, suiting.slots, remaining), template, suiting, by)
  const [best] = short
  if (best === undefined) return undefined
  const shortages = mostOf(short)
  const [first] = shortages
  if (first !== undefined) {
    const amounts = shortages.map(({ resource, short: amount }) => `${amount} more under limits.${resource}`)
    const text = `would fit with ${amounts.join(' and ')}`
    return { kind: 'limit', resource: first.resource, instanceType: best.name, text }
  }
  const [resource = ''] = [...limits.remaining.keys()].toSorted(compareText)
  const text = `may fit on ${best.name} once the nodes planned beside it are up: until then each counts as the largest it could become`
  return { kind: 'limit', resource, instanceType: best.name, text }
}

interface ShortType {
  readonly name: string
  readonly slot: number
  readonly shortages: readonly Shortage[]
  /** Sum of the shortages, each in parts of the most that any of the types has. */
  readonly share: number
}

interface Shortage {
  readonly resource: string
  readonly short: Quantity
  /** All that the type has of it; none where the pool is beyond a limit of something else. */
  readonly of: Quantity
}

/**
 * What each slot lacks under the limits, the least first. Amounts of different resources are added in parts of the largest type's, the same
 * for all: in parts of its own the largest would seem to lack least where the pool is beyond its limits already.
 */
function shortTypes({ catalog }: Template, slots: Bits, remaining: Resources): readonly ShortType[] {
  const types = bitIndexes(slots).flatMap((slot) => {
    const type = catalog.slots[slot]?.type
    return type === undefined ? [] : [{ name: type.name, slot, shortages: shortagesOf(type.capacity, remaining) }]
  })
  const largest = new Map<string, number>()
  for (const { resource, of } of types.flatMap(({ shortages }) => shortages)) {
    largest.set(resource, Math.max(largest.get(resource) ?? 0, of.toNumber()))
  }
  const partOf = ({ resource, short }: Shortage): number => {
    const whole = largest.get(resource) ?? 0
    return whole === 0 ? 1 : short.toNumber() / whole
  }
  return types
    .map((type) => ({ ...type, share: type.shortages.reduce((sum, shortage) => sum + partOf(shortage), 0) }))
    .toSorted((a, b) => a.share - b.share || a.slot - b.slot)
}

/** The first of them, or as many as minValues ask for: a limit that lets one type through would be no help then. */
function fewestEnough(
  short: readonly ShortType[],
  { catalog }: Template,
  { set }: Suiting,
  { claims, context }: Explainer,
): readonly ShortType[] {
  const wanted = context.settings.minValuesPolicy === 'Strict' ? claims.minValuesOf(set) : []
  const isEnough = (count: number): boolean => {
    const slots = emptyBits(catalog.size)
    for (const { slot } of short.slice(0, count)) setBit(slots, slot)
    return wanted.every(({ key, least }) => catalog.distinctValues(key, slots) >= least)
  }
  let [few, enough] = [0, short.length]
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2)
    if (isEnough(middle)) enough = middle
    else few = middle
  }
  return short.slice(0, enough)
}

/** By the name of the resource, what lets every one of the types through. */
function mostOf(types: readonly ShortType[]): readonly Shortage[] {
  const most = new Map<string, Shortage>()
  for (const shortage of types.flatMap(({ shortages }) => shortages)) {
    const known = most.get(shortage.resource)
    if (known === undefined || shortage.short.compare(known.short) > 0) most.set(shortage.resource, shortage)
  }
  return [...most.values()].toSorted((a, b) => compareText(a.resource, b.resource))
}

const oneNode = Quantity.of(1)

function shortagesOf(capacity: Resources, remaining: Resources): readonly Shortage[] {
  return [...remaining].flatMap(([resource, left]) => {
    // No type has a capacity of nodes, yet each takes one.
    const of = resource === 'nodes' ? oneNode : (capacity.get(resource) ?? Quantity.zero)
    const short = of.sub(left)
    return short.isNegative || short.isZero ? [] : [{ resource, short, of }]
  })
}

/** The same for all pods of a solve. */
const likelyRemaining = byIdentity(
  ({ limits, claims }: Explainer): ReadonlyMap<Template, Resources> =>
    new Map(
      [...limits].map(([template, { beforehand }]) => {
        const planned = claims.all.filter((claim) => claim.template === template)
        const capacities = planned.flatMap((claim) => cheapestType(claim)?.capacity ?? [])
        return [template, capacities.reduce(subtractResources, beforehand)]
      }),
    ),
)

function cheapestType({ template: { catalog }, set, slots }: Claim): InstanceType | undefined {
  const { prices } = catalog.byPrice(set)
  let cheapest: InstanceType | undefined
  let least = Number.POSITIVE_INFINITY
  forEachBit(slots, (slot) => {
    const { type, typeIndex = -1 } = catalog.slots[slot] ?? {}
    const price = prices[typeIndex] ?? Number.POSITIVE_INFINITY
    if (cheapest !== undefined && price >= least) return
    cheapest = type
    least = price
  })
  return cheapest
}
