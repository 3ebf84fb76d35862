import { labelCapacityType, labelInstanceType, labelZone } from '../api/labels.ts'
import { byIdentity } from '../model/by-identity.ts'
import type { InstanceType } from '../model/instance-type.ts'
import { compareText } from '../model/order.ts'
import { Quantity } from '../model/quantity.ts'
import { sortedValues } from '../model/requirement.ts'
import { type Resources, subtractResources } from '../model/resources.ts'
import { agree, type Requirements } from '../model/requirements.ts'
import { taintText } from '../model/taints.ts'
import { and, type Bits, bitIndexes, forEachBit, isEmptyBits } from './bitset.ts'
import type { Claim } from './claims.ts'
import type { Explainer } from './explain.ts'
import type { NearestMiss, RefusalReason } from './placement.ts'
import type { PodClass } from './pod-class.ts'
import type { SetID } from './requirement-space.ts'
import { settle, refused } from './settle.ts'
import { slotsWithRoom, type Template } from './template.ts'

/** The one change that would have helped, as far as it can be told: for people, who would otherwise have to guess. */
export function nearestMiss(
  template: Template,
  podClass: PodClass,
  reason: RefusalReason,
  by: Explainer,
): NearestMiss | undefined {
  switch (reason.kind) {
    case 'taints':
      return {
        kind: 'taint',
        text: `would be considered if it tolerated ${reason.taints.map(taintText).join(' and ')}`,
      }
    case 'requirements':
    case 'volumeRequirements':
    case 'topologyRequirements': {
      const [first] = reason.incompatibilities
      if (first === undefined || reason.incompatibilities.length > 1) return undefined
      const key = first.kind === 'undefinedLabel' ? first.key : first.incoming.key
      return first.kind === 'undefinedLabel'
        ? { kind: 'requirement', key, text: `nodepool ${template.name} does not define label ${key}` }
        : {
            kind: 'requirement',
            key,
            text: `nodepool ${template.name} allows ${key} ${valuesText(sortedValues(first.existing))} only`,
          }
    }
    case 'limits':
      return limitMiss(template, podClass, by)
    case 'instanceTypes':
      return typeMiss(template, podClass, by)
    case 'nodeLimit':
      return { kind: 'limit', resource: 'nodes', instanceType: '', text: 'would fit with 1 more under limits.nodes' }
    case 'devices':
      return deviceMiss(template, podClass, by)
    case 'topology':
    case 'minValues':
    case 'reserved':
      return undefined
  }
}

function deviceMiss(template: Template, podClass: PodClass, by: Explainer): NearestMiss | undefined {
  const draft = by.claims.draft(template)
  if (draft === undefined) return undefined
  const set = by.context.requirements.merge(template.set, podClass.full.set)
  const text = by.devices?.nearestMiss(podClass.example, { ...draft, target: by.claims.nextHost }, set)
  return text === undefined ? undefined : { kind: 'devices', text }
}

function finalSet(template: Template, podClass: PodClass, by: Explainer): SetID | undefined {
  for (const alternative of podClass.volumeAlternatives) {
    const set = settle(podClass, { set: template.set, hostname: by.claims.nextHostname, lenient: true }, alternative, {
      requirements: by.context.requirements,
      topology: by.topology,
    })
    if (set !== refused) return set
  }
  return undefined
}

/**
 * The type that would suit and asks least on top of what the limits leave. In the solve every planned node counts as the largest that it
 * could turn out to be; what is told here takes each for the cheapest, which is what will most likely be launched.
 */
function limitMiss(template: Template, podClass: PodClass, by: Explainer): NearestMiss | undefined {
  const set = finalSet(template, podClass, by)
  const limits = by.limits.get(template)
  const remaining = likelyRemaining(by).get(template)
  if (set === undefined || limits === undefined || remaining === undefined) return undefined
  const suitable = and(
    and(template.candidates, template.catalog.suitable(set)),
    slotsWithRoom(template, podClass.requests),
  )
  let best: { readonly type: string; readonly shortages: readonly Shortage[]; readonly share: number } | undefined
  for (const slot of bitIndexes(suitable)) {
    const type = template.catalog.slots[slot]?.type
    if (type === undefined) continue
    const shortages = shortagesOf(type.capacity, remaining)
    const share = shortages.reduce((sum, { short, of }) => sum + (of.isZero ? 1 : short.toNumber() / of.toNumber()), 0)
    if (best === undefined || share < best.share) best = { type: type.name, shortages, share }
  }
  if (best === undefined) return undefined
  const [first] = best.shortages
  if (first !== undefined) {
    const amounts = best.shortages.map(({ resource, short }) => `${short} more under limits.${resource}`)
    const text = `would fit with ${amounts.join(' and ')}`
    return { kind: 'limit', resource: first.resource, instanceType: best.type, text }
  }
  const [resource = ''] = [...limits.remaining.keys()].toSorted(compareText)
  const text = `may fit on ${best.type} once the nodes planned beside it are up: until then each counts as the largest it could become`
  return { kind: 'limit', resource, instanceType: best.type, text }
}

interface Shortage {
  readonly resource: string
  readonly short: Quantity
  /** All that the type has of it; none where the pool is beyond a limit of something else. */
  readonly of: Quantity
}

/** By the name of the resource. */
function shortagesOf(capacity: Resources, remaining: Resources): readonly Shortage[] {
  return [...remaining]
    .flatMap(([resource, left]) => {
      const of = capacity.get(resource) ?? Quantity.zero
      const short = of.sub(left)
      return short.isNegative || short.isZero ? [] : [{ resource, short, of }]
    })
    .toSorted((a, b) => compareText(a.resource, b.resource))
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

function typeMiss(template: Template, podClass: PodClass, by: Explainer): NearestMiss | undefined {
  const set = finalSet(template, podClass, by)
  if (set === undefined) return undefined
  const { catalog, candidates } = template
  const compatible = and(candidates, catalog.compatible(set))
  const roomy = and(candidates, slotsWithRoom(template, podClass.requests))
  const suitable = and(compatible, catalog.offered(set))
  const requirements = by.context.requirements.get(set)
  const excluded = by.limits.get(template)?.allowed()
  if (excluded !== undefined && !isEmptyBits(and(suitable, roomy))) return limitMiss(template, podClass, by)
  if (!isEmptyBits(suitable)) return resourceMiss(template, podClass, suitable, by)
  const onlyOffering = bitIndexes(and(compatible, roomy))
  const [slot] = onlyOffering
  const type = slot === undefined ? undefined : catalog.slots[slot]?.type
  if (type !== undefined) {
    return { kind: 'offering', instanceType: type.name, text: offeringText(type.offerings, type.name, requirements) }
  }
  return typeNameMiss(template, requirements) ?? requirementMiss(template, roomy, requirements)
}

/** A type by name that the pool does not have: that others would do if it asked for them helps nobody. */
function typeNameMiss({ catalog, candidates, name }: Template, requirements: Requirements): NearestMiss | undefined {
  const wanted = requirements.get(labelInstanceType)
  if (wanted === undefined || wanted.complement) return undefined
  const names = sortedValues(wanted)
  const known = bitIndexes(candidates).some((slot) => wanted.values.has(catalog.slots[slot]?.type.name ?? ''))
  if (known || names.length === 0) return undefined
  const text = `nodepool ${name} does not have instance type ${valuesText(names)}`
  return { kind: 'requirement', key: labelInstanceType, text }
}

/** The slot that lacks least, counted in parts of what is asked. */
function resourceMiss(
  template: Template,
  { requests, example }: PodClass,
  suitable: Bits,
  by: Explainer,
): NearestMiss | undefined {
  const { amounts } = by.context
  let best:
    | { readonly share: number; readonly slot: number; readonly resource: number; readonly short: number }
    | undefined
  next: for (const slot of bitIndexes(suitable)) {
    let lacking: typeof best
    for (const [position, resource] of requests.indexes.entries()) {
      const asked = requests.amounts[position] ?? 0
      const short = asked - template.fit.room(resource, slot)
      if (short <= 0) continue
      if (lacking !== undefined) continue next
      lacking = { share: short / asked, slot, resource, short }
    }
    if (lacking !== undefined && (best === undefined || lacking.share < best.share)) best = lacking
  }
  if (best === undefined) return undefined
  const resource = amounts.names[best.resource] ?? ''
  const instanceType = template.catalog.slots[best.slot]?.type.name ?? ''
  const room = new Quantity(
    amounts.toNano(best.resource, template.fit.room(best.resource, best.slot)),
    formatOf(resource),
  )
  // As the pod asks it: the units of the solve end at 2^53.
  const asked = example.requests.get(resource) ?? Quantity.zero
  return { kind: 'resource', resource, instanceType, text: shortageText(resource, instanceType, asked, room, template) }
}

/** Above so many cores somebody has most likely confused millions and thousandths; upstream warns there, too. */
const absurdCPU = Quantity.of(1_000_000)

function shortageText(
  resource: string,
  instanceType: string,
  asked: Quantity,
  room: Quantity,
  { name }: Template,
): string {
  if (room.isZero || room.isNegative) return `no instance type of nodepool ${name} that would suit has ${resource}`
  if (resource === 'cpu' && asked.compare(absurdCPU) >= 0) {
    return `${asked} cpu are ${asked.units} cores, while ${instanceType} has room for ${room}; thousandths are written with a small m`
  }
  const short = new Quantity(asked.nano - room.nano, room.format)
  return asked.compare(room.times(2)) > 0
    ? `the most room for ${resource} is ${room}, on ${instanceType}`
    : `would fit on ${instanceType} with ${short} less ${resource}`
}

function offeringText(
  offerings: Template['catalog']['slots'][number]['offerings'],
  type: string,
  requirements: Requirements,
): string {
  const available = offerings.filter(({ available }) => available)
  for (const [key, word] of [
    [labelZone, 'zone'],
    [labelCapacityType, 'capacity type'],
  ] as const) {
    const wanted = requirements.get(key)
    if (wanted === undefined || wanted.complement) continue
    const offered = available.some((offering) => {
      const value = offering.requirements.get(key)
      return value === undefined || agree(wanted, value)
    })
    if (!offered) return `${word} ${sortedValues(wanted).join(' or ')} is not offered for ${type}`
  }
  return `no offering of ${type} combines what is required`
}

/** The requirement that keeps out a type which would have room, if it is the only one. */
function requirementMiss(template: Template, roomy: Bits, requirements: Requirements): NearestMiss | undefined {
  const misses = bitIndexes(roomy).flatMap((slot) => {
    const type = template.catalog.slots[slot]?.type
    if (type === undefined) return []
    const keys = [...requirements.values()].filter(({ key, ...rest }) => {
      const offered = type.requirements.get(key)
      return offered !== undefined && !agree(offered, { key, ...rest })
    })
    const [only] = keys
    return only === undefined || keys.length > 1 ? [] : [{ type, key: only.key }]
  })
  const [first] = misses.toSorted((a, b) => compareText(a.key, b.key) || compareText(a.type.name, b.type.name))
  if (first === undefined) return undefined
  const offered = first.type.requirements.get(first.key)
  return {
    kind: 'requirement',
    key: first.key,
    text: `would fit on ${first.type.name}, which has ${first.key} ${valuesText(offered === undefined ? [] : sortedValues(offered))}`,
  }
}

function formatOf(resource: string): 'BinarySI' | 'DecimalSI' {
  return resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')
    ? 'BinarySI'
    : 'DecimalSI'
}

function valuesText(values: readonly string[]): string {
  return values.join(' or ')
}
