import type { NodeClaim, NodePool } from '../api/karpenter.ts'
import { labelCapacityType, labelInstanceType, labelNodePool, labelZone } from '../api/labels.ts'
import type { Cache } from '../kube/controller.ts'
import { type InstanceType, sumPrices } from '../model/instance-type.ts'
import { offeringCapacityType, offeringZone } from '../model/offering-price.ts'
import { compareText } from '../model/order.ts'

export interface PoolCost {
  /** US dollars per hour of all claims whose price is known. */
  readonly cost: number
  /** Claims whose offering the pool's types do not have. */
  readonly unknown: number
}

/** What the claims of each pool cost, by prices that are read now and then: they move more slowly than claims come and go. */
export class PoolCostTracker {
  readonly #claims: Pick<Cache<NodeClaim>, 'list'>
  readonly #prices = new Map<string, ReadonlyMap<string, number>>()
  #known: { readonly claims: readonly NodeClaim[]; readonly costs: ReadonlyMap<string, PoolCost> } | undefined

  constructor(claims: Pick<Cache<NodeClaim>, 'list'>) {
    this.#claims = claims
  }

  /** Prices are known for these pools. */
  knows(pool: string): boolean {
    return this.#prices.has(pool)
  }

  setPrices(pool: string, types: readonly InstanceType[]): void {
    const prices = new Map<string, number>()
    for (const type of types) {
      for (const offering of type.offerings) {
        const key = offeringKey(type.name, offeringZone(offering), offeringCapacityType(offering))
        if (!prices.has(key)) prices.set(key, offering.price)
      }
    }
    this.#prices.set(pool, prices)
    this.#known = undefined
  }

  forgetAllBut(pools: readonly NodePool[]): void {
    const kept = new Set(pools.map((pool) => pool.metadata.name))
    for (const pool of this.#prices.keys()) if (!kept.has(pool) && this.#prices.delete(pool)) this.#known = undefined
  }

  /** By pool name; only pools whose prices were read. */
  costs(): ReadonlyMap<string, PoolCost> {
    const claims = this.#claims.list()
    if (this.#known?.claims !== claims) this.#known = { claims, costs: this.#costsOf(claims) }
    return this.#known.costs
  }

  #costsOf(claims: readonly NodeClaim[]): ReadonlyMap<string, PoolCost> {
    const found = new Map<string, { prices: number[]; unknown: number }>()
    for (const pool of [...this.#prices.keys()].toSorted(compareText)) found.set(pool, { prices: [], unknown: 0 })
    for (const claim of claims) {
      const labels = claim.metadata.labels ?? {}
      const pool = labels[labelNodePool] ?? ''
      const type = labels[labelInstanceType]
      const entry = found.get(pool)
      if (entry === undefined || type === undefined) continue
      const key = offeringKey(type, labels[labelZone] ?? '', labels[labelCapacityType] ?? '')
      const price = this.#prices.get(pool)?.get(key)
      if (price === undefined) entry.unknown++
      else entry.prices.push(price)
    }
    return new Map([...found].map(([pool, { prices, unknown }]) => [pool, { cost: sumPrices(prices), unknown }]))
  }
}

function offeringKey(type: string, zone: string, capacityType: string): string {
  return `${type}|${zone}|${capacityType}`
}
