import { usEastPrices } from '../data/on-demand-prices.ts'
import { regionalPrices } from '../data/regional-prices.ts'

const smallSizes: Readonly<Record<string, number>> = {
  nano: 1 / 16,
  micro: 1 / 8,
  small: 1 / 4,
  medium: 1 / 2,
  large: 1,
  xlarge: 2,
}

/**
 * Price per hour of an on-demand Linux instance as published in 2026, in the region's currency; undefined for types without a known
 * price. Regions without a table of their own take that of us-east-1. `metal` costs what the family's largest other size does, hence `siblings`: names of all types on offer.
 */
export function staticOnDemandPrice(
  type: string,
  siblings: ReadonlySet<string>,
  region = 'us-east-1',
): number | undefined {
  const table = regionalPrices[region] ?? usEastPrices
  const own = table.types.get(type)
  if (own !== undefined) return own
  const [family = '', size = ''] = type.split('.')
  const value = table.families.get(family)
  const factor = sizeFactor(size) ?? (size === 'metal' ? largestFactor(family, siblings) : undefined)
  if (value === undefined || factor === undefined) return undefined
  return round(value * factor)
}

function sizeFactor(size: string): number | undefined {
  const small = smallSizes[size]
  if (small !== undefined) return small
  const times = /^(?:metal-)?(\d+)xl(?:arge)?$/.exec(size)?.[1]
  return times === undefined ? undefined : 2 * Number(times)
}

function largestFactor(family: string, siblings: ReadonlySet<string>): number | undefined {
  let largest: number | undefined
  for (const name of siblings) {
    if (!name.startsWith(`${family}.`)) continue
    const factor = sizeFactor(name.slice(family.length + 1))
    if (factor !== undefined && (largest === undefined || factor > largest)) largest = factor
  }
  return largest
}

/** Published prices have at most five decimals. */
function round(price: number): number {
  return Math.round(price * 1e5) / 1e5
}
