import type { SpotPrice } from '@aws-sdk/client-ec2'

/** Names of attributes and units as the price list spells them. */
export type Currency = 'USD' | 'CNY'

/** On-demand prices by instance type from the price list's JSON documents; what cannot be read or is free is left out. */
export function parseOnDemandPrices(documents: readonly string[], currency: Currency): Map<string, number> {
  const prices = new Map<string, number>()
  for (const document of documents) {
    const parsed = parseDocument(document, currency)
    if (parsed !== undefined) prices.set(parsed.instanceType, parsed.price)
  }
  return prices
}

/** Spot prices by type, then zone. Where the history has several for a pool, from while its pages were read, the newest wins; of equals the last. */
export function parseSpotPrices(history: readonly SpotPrice[]): Map<string, Map<string, number>> {
  const prices = new Map<string, Map<string, number>>()
  const oldestFirst = history.toSorted((a, b) => (a.Timestamp?.getTime() ?? 0) - (b.Timestamp?.getTime() ?? 0))
  for (const record of oldestFirst) {
    const { InstanceType: type, AvailabilityZone: zone, SpotPrice: text, Timestamp } = record
    const price = Number(text)
    if (type === undefined || zone === undefined || Timestamp === undefined || !text || !Number.isFinite(price))
      continue
    const zones = prices.get(type) ?? new Map<string, number>()
    zones.set(zone, price)
    prices.set(type, zones)
  }
  return prices
}

function parseDocument(
  document: string,
  currency: Currency,
): { readonly instanceType: string; readonly price: number } | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(document)
  } catch {
    return undefined
  }
  const instanceType = at(parsed, 'product', 'attributes', 'instanceType')
  if (typeof instanceType !== 'string') return undefined
  for (const offer of membersOf(at(parsed, 'terms', 'OnDemand'))) {
    for (const dimension of membersOf(at(offer, 'priceDimensions'))) {
      const price = Number(at(dimension, 'pricePerUnit', currency))
      if (Number.isFinite(price) && price !== 0) return { instanceType, price }
    }
  }
  return undefined
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value
  for (const name of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined
    current = Reflect.get(current, name)
  }
  return current
}

function membersOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : []
}
