import type { NodeOverlay, NodePool } from '../api/karpenter.ts'
import type { InstanceType, Offering } from '../model/instance-type.ts'
import { compareText } from '../model/order.ts'
import { oneValue, sortedValues } from '../model/requirement.ts'
import {
  isCompatible,
  type LabelAliases,
  labelRequirements,
  mergeRequirements,
  type Requirements,
  requirementsOf,
  toRequirements,
} from '../model/requirements.ts'
import { type Resources, toResources } from '../model/resources.ts'
import { templateLabels } from './node-pools.ts'
import { labelNodePool } from '../api/labels.ts'

export interface OverlayInput {
  /** In any order; those that failed validation must be left out. */
  readonly overlays: readonly NodeOverlay[]
  readonly pools: readonly { readonly pool: NodePool; readonly types: readonly InstanceType[] }[]
  readonly aliases: LabelAliases
  readonly wellKnownLabels: ReadonlySet<string>
}

export interface OverlayEvaluation {
  /** Names of overlays refused as a whole, because another of the same weight already decided something they would decide. */
  readonly conflicting: ReadonlySet<string>
  /** By pool; a pool that is not in here has not been evaluated. */
  readonly updates: ReadonlyMap<string, PoolUpdates>
}

/** What overlays change about a pool's instance types, by type name. */
export type PoolUpdates = ReadonlyMap<string, TypeUpdate>

interface TypeUpdate {
  /** By offering, see `offeringKey`. */
  readonly prices: ReadonlyMap<string, PriceChange>
  readonly capacity: Resources
}

/** `10%` more, `0.1` dollars less, or just `0.5` dollars. */
export type PriceChange =
  | { readonly kind: 'price'; readonly price: number }
  | { readonly kind: 'add'; readonly amount: number }
  | { readonly kind: 'percent'; readonly percent: number }

/** Heavier overlays first; among equals the later name. */
export function evaluateOverlays(input: OverlayInput): OverlayEvaluation {
  const books = input.pools.map(({ pool, types }) => ({
    pool,
    types: types.map((type) => new TypeBook(type, baseRequirements(pool, type, input.aliases))),
  }))
  const conflicting = new Set<string>()
  const ordered = input.overlays.toSorted(
    (a, b) => weightOf(b) - weightOf(a) || compareText(b.metadata.name, a.metadata.name),
  )
  for (const overlay of ordered) {
    const wanted = toRequirements(overlay.spec.requirements, input.aliases)
    const hits = books
      .flatMap(({ types }) => types)
      .flatMap((book) => {
        const offerings = book.select(wanted, input.wellKnownLabels)
        return offerings.length === 0 ? [] : [{ book, offerings }]
      })
    if (hits.some(({ book, offerings }) => book.conflicts(overlay, offerings))) {
      conflicting.add(overlay.metadata.name)
      continue
    }
    for (const { book, offerings } of hits) book.apply(overlay, offerings)
  }
  return {
    conflicting,
    updates: new Map(
      books.map(({ pool, types }) => [
        pool.metadata.name,
        new Map(types.filter((book) => book.changed).map((book) => [book.type.name, book.update()])),
      ]),
    ),
  }
}

/** The types with what the overlays change; untouched ones are the very same objects. Changed ones lose their device templates, as in Karpenter. */
export function applyOverlays(types: readonly InstanceType[], updates: PoolUpdates): readonly InstanceType[] {
  return types.map((type) => {
    const update = updates.get(type.name)
    if (update === undefined) return type
    const { deviceTemplates: _templates, ...kept } = type
    const offerings = type.offerings.map((offering) => {
      const change = update.prices.get(offeringKey(offering))
      return change === undefined ? offering : withPrice(offering, change)
    })
    return update.capacity.size === 0
      ? { ...kept, offerings }
      : { ...kept, offerings, capacity: new Map([...type.capacity, ...update.capacity]), capacityOverlaid: true }
  })
}

/** @returns undefined for text that is no adjustment; admission refuses such overlays. */
export function parsePriceChange(overlay: NodeOverlay['spec']): PriceChange | undefined {
  if (overlay.price !== undefined) {
    const price = Number(overlay.price)
    return Number.isFinite(price) ? { kind: 'price', price } : undefined
  }
  const text = overlay.priceAdjustment
  if (text === undefined) return undefined
  const percent = text.endsWith('%')
  const amount = Number(percent ? text.slice(0, -1) : text)
  if (!Number.isFinite(amount)) return undefined
  return percent ? { kind: 'percent', percent: amount } : { kind: 'add', amount }
}

export function changedPrice(price: number, change: PriceChange): number {
  switch (change.kind) {
    case 'price':
      return change.price
    case 'add':
      return Math.max(0, price + change.amount)
    case 'percent':
      return Math.max(0, price * (1 + change.percent / 100))
  }
}

/** What the overlays of one evaluation have decided about one type of one pool so far. */
class TypeBook {
  readonly type: InstanceType
  readonly #base: Requirements
  readonly #prices = new Map<string, PriceChange>()
  /** Weight of the last overlay that had a say in an offering's price, whether or not it was the one that counted. */
  readonly #priceWeights = new Map<string, number>()
  #capacity: Resources = new Map()
  #lastCapacity: { readonly weight: number; readonly names: ReadonlySet<string> } | undefined

  constructor(type: InstanceType, base: Requirements) {
    this.type = type
    this.#base = base
  }

  get changed(): boolean {
    return this.#prices.size > 0 || this.#capacity.size > 0
  }

  /** Keys of the offerings the overlay is about; none when it is not about this type. */
  select(wanted: Requirements, wellKnownLabels: ReadonlySet<string>): readonly string[] {
    if (!isCompatible(this.#base, wanted)) return []
    return this.type.offerings
      .filter((offering) => isCompatible(wanted, offering.requirements, wellKnownLabels))
      .map(offeringKey)
  }

  conflicts(overlay: NodeOverlay, offerings: readonly string[]): boolean {
    const weight = weightOf(overlay)
    if (parsePriceChange(overlay.spec) !== undefined) {
      if (offerings.some((key) => this.#priceWeights.get(key) === weight)) return true
    }
    const last = this.#lastCapacity
    return last?.weight === weight && Object.keys(overlay.spec.capacity ?? {}).some((name) => last.names.has(name))
  }

  apply(overlay: NodeOverlay, offerings: readonly string[]): void {
    const weight = weightOf(overlay)
    const change = parsePriceChange(overlay.spec)
    if (change !== undefined) {
      for (const key of offerings) {
        this.#priceWeights.set(key, weight)
        if (!this.#prices.has(key)) this.#prices.set(key, change)
      }
    }
    const capacity = toResources(overlay.spec.capacity)
    if (capacity.size === 0) return
    this.#lastCapacity = { weight, names: new Set(capacity.keys()) }
    this.#capacity = new Map([...capacity, ...this.#capacity])
  }

  update(): TypeUpdate {
    return { prices: this.#prices, capacity: this.#capacity }
  }
}

/** Pool requirements are not part of it: an overlay names labels that nodes will have, not what a pool admits. */
function baseRequirements(pool: NodePool, type: InstanceType, aliases: LabelAliases): Requirements {
  return mergeRequirements(
    requirementsOf(oneValue(labelNodePool, pool.metadata.name)),
    labelRequirements(templateLabels(pool), aliases),
    type.requirements,
  )
}

/** Overridden amounts of an offering do not survive a change of its price, as in Karpenter. */
function withPrice(offering: Offering, change: PriceChange): Offering {
  const { capacityOverride: _capacity, overheadOverride: _overhead, ...kept } = offering
  return { ...kept, price: changedPrice(offering.price, change), priceOverlaid: true }
}

function offeringKey(offering: Offering): string {
  return [...offering.requirements.values()]
    .map(
      (requirement) => `${requirement.key}${requirement.complement ? '!' : '='}${sortedValues(requirement).join(',')}`,
    )
    .toSorted(compareText)
    .join(';')
}

function weightOf(overlay: NodeOverlay): number {
  return overlay.spec.weight ?? 0
}
