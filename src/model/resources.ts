import type { ResourceListText } from '../api/kubernetes.ts'
import { compareText } from './order.ts'
import { parseQuantity, Quantity, type QuantityFormat, tryParseQuantity } from './quantity.ts'

/** Amounts by resource name (`cpu`, `memory`, `pods`, `nvidia.com/gpu` …). */
export type Resources = ReadonlyMap<string, Quantity>

export const noResources: Resources = new Map()

/** @throws QuantityError naming the first text that is not a quantity. */
export function toResources(list: ResourceListText | undefined): Resources {
  if (list === undefined) return noResources
  return new Map(Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]))
}

/**
 * Limits as written. The API's pattern admits text that is no quantity (`1e1.5`); such a limit counts as zero, so reading one never
 * throws.
 */
export function toLimits(list: ResourceListText | undefined): Resources {
  if (list === undefined) return noResources
  return new Map(Object.entries(list).map(([name, text]) => [name, tryParseQuantity(text) ?? Quantity.zero]))
}

/** The entries that are quantities. */
export function readableResources(list: ResourceListText | undefined): Resources {
  if (list === undefined) return noResources
  return new Map(
    Object.entries(list).flatMap(([name, text]) => {
      const quantity = tryParseQuantity(text)
      return quantity === undefined ? [] : [[name, quantity] as const]
    }),
  )
}

/** Canonical texts with names in byte order. */
export function toResourceList(resources: Resources): Record<string, string> {
  return Object.fromEntries(
    [...resources].toSorted(([a], [b]) => compareText(a, b)).map(([name, quantity]) => [name, quantity.toString()]),
  )
}

/** Union of the names; a missing amount counts as zero. */
export function addResources(...lists: readonly Resources[]): Resources {
  return sumResources(lists)
}

/** The same, for lists as long as the fleet: so many arguments no call takes. */
export function sumResources(lists: Iterable<Resources>): Resources {
  const sum = new Map<string, Quantity>()
  // Of what several lists name: as `Quantity.add` has it, without a quantity for every step on the way.
  const totals = new Map<string, { nano: bigint; format: QuantityFormat }>()
  for (const list of lists) {
    for (const [name, quantity] of list) {
      const first = sum.get(name)
      if (first === undefined) {
        sum.set(name, quantity)
        continue
      }
      const total = totals.get(name)
      if (total === undefined) {
        totals.set(name, {
          nano: first.nano + quantity.nano,
          format: first.nano === 0n ? quantity.format : first.format,
        })
        continue
      }
      if (total.nano === 0n) total.format = quantity.format
      total.nano += quantity.nano
    }
  }
  for (const [name, { nano, format }] of totals) sum.set(name, new Quantity(nano, format))
  return sum
}

/** `from − minus` over the names of `from` only. */
export function subtractResources(from: Resources, minus: Resources): Resources {
  return new Map([...from].map(([name, quantity]) => [name, quantity.sub(minus.get(name) ?? Quantity.zero)]))
}

/** Element-wise larger amount over the union of the names. */
export function maxResources(...lists: readonly Resources[]): Resources {
  const largest = new Map<string, Quantity>()
  for (const list of lists) {
    for (const [name, quantity] of list) {
      const known = largest.get(name)
      if (known === undefined || quantity.compare(known) > 0) largest.set(name, quantity)
    }
  }
  return largest
}

/** Every wanted amount is there (a missing one is zero), and nothing that is available is negative. */
export function fits(wanted: Resources, available: Resources): boolean {
  for (const quantity of available.values()) if (quantity.isNegative) return false
  for (const [name, quantity] of wanted) {
    if (quantity.compare(available.get(name) ?? Quantity.zero) > 0) return false
  }
  return true
}
