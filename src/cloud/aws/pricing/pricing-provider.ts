import type { Filter } from '@aws-sdk/client-pricing'
import type { Logger } from '../../../kube/logger.ts'
import type { Clock } from '../../../model/clock.ts'
import { combineErrors } from '../../../model/combine-errors.ts'
import type { AWSClients } from '../clients.ts'
import { readPages } from '../paginate.ts'
import { type Currency, parseOnDemandPrices, parseSpotPrices } from './parse.ts'
import { staticOnDemandPrice } from './static-prices.ts'

export interface PricingOptions {
  readonly clients: Pick<AWSClients, 'region' | 'ec2' | 'pricing'>
  readonly clock: Clock
  readonly isolatedVPC: boolean
  readonly log: Logger
  /** Names of all types on offer; a static price may depend on them. */
  typeNames(): ReadonlySet<string>
}

/** Prices are read twice a day; a page of history is a megabyte. */
const freshMs = 600_000

class PricingError extends Error {
  readonly code = 'Pricing'
  override readonly name = 'PricingError'
}

/** What instances cost, as last learnt. Prices are merged over earlier ones and never forgotten. */
export class PricingProvider {
  readonly #options: PricingOptions
  readonly #onDemand = new Map<string, number>()
  readonly #spot = new Map<string, Map<string, number>>()
  readonly #staticPrices = new Map<string, number | undefined>()
  #staticNames: ReadonlySet<string> = new Set()
  readonly #learntAt: { onDemand?: number; spot?: number } = {}
  #spotKnown = false
  #version = 0

  constructor(options: PricingOptions) {
    this.#options = options
  }

  /** Changes with every update that taught something. */
  get version(): number {
    return this.#version
  }

  onDemandPrice(type: string): number | undefined {
    return this.#onDemand.get(type) ?? this.#staticPrice(type)
  }

  /** The static on-demand price until EC2 has told spot prices once; from then on only what it told. */
  spotPrice(type: string, zone: string): number | undefined {
    if (!this.#spotKnown) return this.#staticPrice(type)
    return this.#spot.get(type)?.get(zone)
  }

  /**
   * Both kinds of prices, but for what this taught just before: who is refused one kind tries again within milliseconds, at first.
   * @throws what either update threw; the other's result is kept
   */
  async update(): Promise<void> {
    const results = await Promise.allSettled([
      this.#unlessFresh('onDemand', () => this.updateOnDemand()),
      this.#unlessFresh('spot', () => this.updateSpot()),
    ])
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    if (errors.length > 0) throw combineErrors(errors)
  }

  async #unlessFresh(kind: 'onDemand' | 'spot', update: () => Promise<void>): Promise<void> {
    const now = this.#options.clock.monotonicMs()
    const learntAt = this.#learntAt[kind]
    if (learntAt !== undefined && now - learntAt < freshMs) return
    await update()
    this.#learntAt[kind] = now
  }

  async updateOnDemand(): Promise<void> {
    const { clients, isolatedVPC, log } = this.#options
    if (isolatedVPC || clients.region.startsWith('us-gov')) {
      log.debug(
        { region: clients.region },
        'not updating on-demand prices, the Pricing API cannot be reached from here',
      )
      return
    }
    const [virtual, metal] = await Promise.all([
      this.#products([match('tenancy', 'Shared'), match('productFamily', 'Compute Instance')]),
      this.#products([match('tenancy', 'Dedicated'), match('productFamily', 'Compute Instance (bare metal)')]),
    ])
    if (virtual.size === 0 || (metal.size === 0 && this.#mayHaveMetal())) {
      throw new PricingError('no on-demand pricing found')
    }
    let isMoved = false
    for (const [type, price] of [...virtual, ...metal]) {
      isMoved ||= this.#onDemand.get(type) !== price
      this.#onDemand.set(type, price)
    }
    if (isMoved) this.#version += 1
    log.debug({ 'instance-type-count': this.#onDemand.size }, 'updated on-demand pricing')
  }

  /** Not every region has any. */
  #mayHaveMetal(): boolean {
    const names = this.#options.typeNames()
    return names.size === 0 || names.values().some((name) => name.includes('.metal'))
  }

  async updateSpot(): Promise<void> {
    const { clients, clock, log } = this.#options
    const startTime = new Date(clock.now())
    const history = await readPages(
      (token) =>
        clients.ec2.describeSpotPriceHistory({
          ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
          StartTime: startTime,
          MaxResults: 2_000,
          ...token,
        }),
      (page) => page.SpotPriceHistory,
    )
    const prices = parseSpotPrices(history)
    if (prices.size === 0) throw new PricingError('no spot pricing found')
    let isMoved = !this.#spotKnown
    for (const [type, zones] of prices) {
      const known = this.#spot.get(type) ?? new Map<string, number>()
      for (const [zone, price] of zones) {
        isMoved ||= known.get(zone) !== price
        known.set(zone, price)
      }
      this.#spot.set(type, known)
    }
    this.#spotKnown = true
    if (isMoved) this.#version += 1
    log.debug({ 'instance-type-count': this.#spot.size }, 'updated spot pricing with instance types and offerings')
  }

  /** Asked for every type and zone of a refresh, so answers are kept for as long as the catalogue stays the same. */
  #staticPrice(type: string): number | undefined {
    const names = this.#options.typeNames()
    if (names !== this.#staticNames) {
      this.#staticNames = names
      this.#staticPrices.clear()
    }
    if (this.#staticPrices.has(type)) return this.#staticPrices.get(type)
    const price = staticOnDemandPrice(type, names, this.#options.clients.region)
    this.#staticPrices.set(type, price)
    return price
  }

  async #products(filters: readonly Filter[]): Promise<Map<string, number>> {
    const { clients } = this.#options
    const documents = await readPages(
      (token) =>
        clients.pricing.getProducts({
          ServiceCode: 'AmazonEC2',
          MaxResults: 100,
          Filters: [
            match('regionCode', clients.region),
            match('serviceCode', 'AmazonEC2'),
            match('preInstalledSw', 'NA'),
            match('operatingSystem', 'Linux'),
            match('capacitystatus', 'Used'),
            match('marketoption', 'OnDemand'),
            ...filters,
          ],
          ...token,
        }),
      (page) => toTexts(page.PriceList),
    )
    return parseOnDemandPrices(documents, currencyOf(clients.region))
  }
}

/** The SDK hands each document over as an object that prints as JSON. */
function toTexts(list: readonly unknown[] | undefined): string[] {
  return (list ?? []).map(String)
}

/** The Pricing API is served from four regions only. */
export function pricingRegion(region: string): string {
  if (region.startsWith('ap-')) return 'ap-south-1'
  if (region.startsWith('cn-')) return 'cn-northwest-1'
  return region.startsWith('eu-') ? 'eu-central-1' : 'us-east-1'
}

function currencyOf(region: string): Currency {
  return region.startsWith('cn-') ? 'CNY' : 'USD'
}

function match(Field: string, Value: string): Filter {
  return { Type: 'TERM_MATCH', Field, Value }
}
