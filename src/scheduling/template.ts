import type { NodePool } from '../api/karpenter.ts'
import type { Taint } from '../api/kubernetes.ts'
import type { InstanceType } from '../model/instance-type.ts'
import { isSameList } from '../model/same-list.ts'
import { maxResources, type Resources, subtractResources } from '../model/resources.ts'
import type { AmountSpace, RequestVector } from './amounts.ts'
import { and, type Bits, emptyBits, isEmptyBits, setBit } from './bitset.ts'
import { type CatalogIndex, resourcesText } from './catalog-index.ts'
import type { DaemonGroup } from './daemons.ts'
import { FitIndex } from './fit-index.ts'
import type { SetID } from './requirement-space.ts'

/** A pool as a source of new nodes. */
export interface Template {
  readonly index: number
  readonly pool: NodePool
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly taintsID: number
  /** Hostname apart. */
  readonly set: SetID
  readonly catalog: CatalogIndex
  readonly groups: readonly DaemonGroup[]
  /** Daemon group of each slot. */
  readonly groupOf: readonly number[]
  /** Slots of each daemon group. */
  readonly groupSlots: readonly Bits[]
  readonly fit: FitIndex
  /** Slots that an empty node could be. */
  readonly candidates: Bits
  /** Whether a minValues gives way to a pod that leaves too few values. */
  readonly lowersMinValues: boolean
}

/** Room for pods per slot: allocatable without what daemons of the slot's group take. */
export function fitIndexOf(
  catalog: CatalogIndex,
  groups: readonly DaemonGroup[],
  groupOf: readonly number[],
  amounts: AmountSpace,
): FitIndex {
  const overheads = groups.map(({ overhead }) => overhead)
  const names = new Set([...catalog.amounts.names, ...overheads.flatMap((overhead) => [...overhead.keys()])])
  const key = `${amounts.scaleOf(names)}/${overheads.map(resourcesText).join('/')}`
  const known = fits.get(catalog) ?? []
  const same = known.find((fit) => fit.key === key && isSameList(fit.groupOf, groupOf))
  if (same !== undefined) return same.index
  const room = catalog.slots.map(({ allocatable }, slot) => {
    const overhead = overheads[groupOf[slot] ?? 0]
    return overhead === undefined ? allocatable : roomOf(allocatable, overhead)
  })
  const index = new FitIndex(room, amounts)
  fits.set(catalog, [{ key, groupOf, index }, ...known.slice(0, fitsPerCatalogMax - 1)])
  return index
}

interface KnownFit {
  readonly key: string
  readonly groupOf: readonly number[]
  readonly index: FitIndex
}

/** Pools of one class share its catalogue but not always its daemons; each index is some hundred kilobytes. */
const fitsPerCatalogMax = 8
/** Nearly every snapshot has the types and daemons of the one before. */
const fits = new WeakMap<CatalogIndex, readonly KnownFit[]>()

export function groupSlotsOf(size: number, groups: number, groupOf: readonly number[]): Bits[] {
  const slots = Array.from({ length: groups }, () => emptyBits(size))
  for (const [slot, group] of groupOf.entries()) {
    const bits = slots[group]
    if (bits !== undefined) setBit(bits, slot)
  }
  return slots
}

/** Slots that suit the set and have no negative allocatable; daemons are not asked. */
export function templateCandidates(catalog: CatalogIndex, set: SetID): Bits {
  return and(catalog.suitable(set), catalog.sound)
}

/** Slots with room for a pod that has the node to itself, daemons apart. */
export function slotsWithRoom({ fit }: Template, { indexes, amounts }: RequestVector): Bits {
  let bits = fit.roomy
  for (const [position, resource] of indexes.entries()) {
    const enough = fit.atLeast(resource, amounts[position] ?? 0)
    if (enough === undefined) return fit.none
    bits = and(bits, enough)
  }
  return bits
}

/** Types behind the slots: by daemon group, then in list order. */
export function typesOf(template: Template, bits: Bits): InstanceType[] {
  const types: InstanceType[] = []
  for (const slots of template.groupSlots) {
    const kept = and(slots, bits)
    if (isEmptyBits(kept)) continue
    let last = -1
    for (const [slot, { type, typeIndex }] of template.catalog.slots.entries()) {
      if (typeIndex !== last && ((kept[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0) {
        types.push(type)
        last = typeIndex
      }
    }
  }
  return types
}

/** Amounts that daemons want and the type lacks are negative. */
function roomOf(allocatable: Resources, overhead: Resources): Resources {
  const wanted = new Map([...overhead].filter(([name]) => !allocatable.has(name)))
  const zero = new Map([...wanted].map(([name, quantity]) => [name, quantity.sub(quantity)]))
  return subtractResources(maxResources(allocatable, zero), overhead)
}
