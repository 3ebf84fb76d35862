import { labelCapacityType, labelInstanceType, labelZone } from '../api/labels.ts'
import { compareText } from '../model/order.ts'
import { Quantity } from '../model/quantity.ts'
import { sortedValues } from '../model/requirement.ts'
import { agree, type Requirements } from '../model/requirements.ts'
import { taintText } from '../model/taints.ts'
import { and, type Bits, bitIndexes, emptyBits, isEmptyBits, setBit } from './bitset.ts'
import type { LimitsHeeded } from './claims.ts'
import type { Attempt, BesidesLimits, Explainer } from './explain.ts'
import { clashText, valuesText } from './clash-text.ts'
import { limitMiss } from './limit-miss.ts'
import type { NearestMiss, RefusalReason } from './placement.ts'
import type { PodClass } from './pod-class.ts'
import type { SetID } from './requirement-space.ts'
import { portMiss } from './port-miss.ts'
import { settle, refused } from './settle.ts'
import { slotsWithRoom, type Template } from './template.ts'

/** The one change that would have helped, as far as it can be told: for people, who would otherwise have to guess. */
export function nearestMiss(
  attempt: Attempt,
  reason: RefusalReason,
  /** What the other checks say with the limits out of the way. */
  besidesLimits: () => BesidesLimits,
): NearestMiss | undefined {
  if (reason.kind === 'limits' || reason.kind === 'nodeLimit') {
    const besides = besidesLimits()
    if (besides.kind === 'suits') return limitMiss(attempt.template, besides, attempt.by)
    const { because } = besides
    const rest = missBesidesLimits(attempt, because.reason, 'lifted')?.text ?? because.text
    return { kind: 'besidesLimits', text: `more under its limits alone would not do: ${rest}` }
  }
  // Limits that leave some types may have left out those that would have done.
  if (reason.kind === 'instanceTypes' && attempt.by.limits.get(attempt.template)?.allowed() !== undefined) {
    const besides = besidesLimits()
    if (besides.kind === 'suits') return limitMiss(attempt.template, besides, attempt.by)
  }
  return missBesidesLimits(attempt, reason, 'kept')
}

function missBesidesLimits(attempt: Attempt, reason: RefusalReason, limits: LimitsHeeded): NearestMiss | undefined {
  const { template, podClass, by } = attempt
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
      const text =
        first.kind === 'undefinedLabel'
          ? `nodepool ${template.name} does not define label ${key}`
          : clashText(first, template, reason.kind, by)
      return text === undefined ? undefined : { kind: 'requirement', key, text }
    }
    case 'instanceTypes':
      return typeMiss(attempt, limits)
    case 'devices':
      return deviceMiss(template, podClass, by, limits)
    case 'exclusiveVolumes':
    case 'limits':
    case 'nodeLimit':
    case 'topology':
    case 'minValues':
    case 'reserved':
      return undefined
  }
}

function deviceMiss(
  template: Template,
  podClass: PodClass,
  by: Explainer,
  limits: LimitsHeeded,
): NearestMiss | undefined {
  const draft = by.claims.draft(template, limits)
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

function typeMiss({ template, podClass, pod, by }: Attempt, limits: LimitsHeeded): NearestMiss | undefined {
  const set = finalSet(template, podClass, by)
  if (set === undefined) return undefined
  const allowed = limits === 'lifted' ? undefined : by.limits.get(template)?.allowed()
  const within = allowed === undefined ? template.candidates : and(template.candidates, allowed)
  const free = by.claims.portFreeSlots(podClass, pod, { template, ports: [] })
  const candidates = free === undefined ? within : and(within, free)
  if (!isEmptyBits(candidates)) return slotMiss(template, podClass, { candidates, set }, by)
  const suiting = and(within, and(template.catalog.suitable(set), slotsWithRoom(template, podClass.requests)))
  const isAll = !isEmptyBits(suiting) && reachesMinValues(suiting, template, set, by)
  return portMiss(template, pod, isAll ? 'all' : slotMiss(template, podClass, { candidates: within, set }, by))
}

/** What keeps the pod from the candidates, host ports apart. */
function slotMiss(
  template: Template,
  podClass: PodClass,
  { candidates, set }: { readonly candidates: Bits; readonly set: SetID },
  by: Explainer,
): NearestMiss | undefined {
  const { catalog } = template
  const compatible = and(candidates, catalog.compatible(set))
  const roomy = and(candidates, slotsWithRoom(template, podClass.requests))
  const suitable = and(compatible, catalog.offered(set))
  const requirements = by.context.requirements.get(set)
  if (!isEmptyBits(suitable)) return resourceMiss(template, podClass, suitable, set, by)
  const onlyOffering = bitIndexes(and(compatible, roomy))
  const [slot] = onlyOffering
  const type = slot === undefined ? undefined : catalog.slots[slot]?.type
  if (type !== undefined) {
    return { kind: 'offering', instanceType: type.name, text: offeringText(type.offerings, type.name, requirements) }
  }
  return typeNameMiss(template, requirements) ?? requirementMiss(template, roomy, set, by)
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

interface Lacking {
  readonly slot: number
  readonly resource: number
  readonly short: number
  /** In parts of what is asked. */
  readonly share: number
}

/** The slot that lacks least, or that is the last of those that minValues want to have room. */
function resourceMiss(
  template: Template,
  { requests, example }: PodClass,
  suitable: Bits,
  set: SetID,
  by: Explainer,
): NearestMiss | undefined {
  const { amounts } = by.context
  const lacking = bitIndexes(suitable).flatMap((slot): Lacking[] => {
    const short = requests.indexes.flatMap((resource, position): Lacking[] => {
      const asked = requests.amounts[position] ?? 0
      const missing = asked - template.fit.room(resource, slot)
      return missing > 0 ? [{ slot, resource, short: missing, share: missing / asked }] : []
    })
    return short.length === 1 ? short : []
  })
  const [best] = [...Map.groupBy(lacking, ({ resource }) => resource).values()]
    .flatMap((alike) => lastOfEnough(alike, template, set, by) ?? [])
    .toSorted((a, b) => a.share - b.share || a.slot - b.slot)
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

function lastOfEnough(lacking: readonly Lacking[], template: Template, set: SetID, by: Explainer): Lacking | undefined {
  const slots = emptyBits(template.catalog.size)
  return lacking
    .toSorted((x, y) => x.share - y.share || x.slot - y.slot)
    .find(({ slot }) => {
      setBit(slots, slot)
      return reachesMinValues(slots, template, set, by)
    })
}

/** Where minValues may be lowered, they keep no pod from a new node. */
function reachesMinValues(slots: Bits, { catalog }: Template, set: SetID, { claims, context }: Explainer): boolean {
  if (context.settings.minValuesPolicy !== 'Strict') return true
  return claims.minValuesOf(set).every(({ key, least }) => catalog.distinctValues(key, slots) >= least)
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

/** The requirement of the pod that keeps out types which would have room, if it is the only one. */
function requirementMiss(template: Template, roomy: Bits, set: SetID, by: Explainer): NearestMiss | undefined {
  const { catalog } = template
  const { requirements } = by.context
  for (const key of requirements.get(set).keys()) {
    const own = requirements.requirement(template.set, key)
    const without = requirements.replace(set, key, own)
    const slots = without === set ? emptyBits(catalog.size) : and(roomy, catalog.suitable(without))
    if (isEmptyBits(slots) || !reachesMinValues(slots, template, without, by)) continue
    const [type] = bitIndexes(slots)
      .flatMap((slot) => catalog.slots[slot]?.type ?? [])
      .toSorted((a, b) => compareText(a.name, b.name))
    const values = type === undefined ? [] : valuesOf(type.requirements, key)
    const what = values.length === 0 ? `lacks label ${key}` : `has ${key} ${valuesText(values)}`
    return { kind: 'requirement', key, text: `would fit on ${type?.name ?? ''}, which ${what}` }
  }
  return undefined
}

function valuesOf(requirements: Requirements, key: string): readonly string[] {
  const requirement = requirements.get(key)
  return requirement === undefined || requirement.complement ? [] : sortedValues(requirement)
}

function formatOf(resource: string): 'BinarySI' | 'DecimalSI' {
  return resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')
    ? 'BinarySI'
    : 'DecimalSI'
}
