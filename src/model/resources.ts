import type { ResourceListText } from '../api/kubernetes.ts'
import { compareText } from './order.ts'
import { parseQuantity, Quantity } from './quantity.ts'

/** Amounts by resource name (`cpu`, `memory`, `pods`, `nvidia.com/gpu` …). */
export type Resources = ReadonlyMap<string, Quantity>

export const noResources: Resources = new Map()

/** @throws QuantityError naming the first text that is not a quantity. */
export function toResources(list: ResourceListText | undefined): Resources {
  if (list === undefined) return noResources
  return new Map(Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]))
}

/** Canonical texts with names in byte order. */
export function toResourceList(resources: Resources): Record<string, string> {
  return Object.fromEntries(
    [...resources].toSorted(([a], [b]) => compareText(a, b)).map(([name, quantity]) => [name, quantity.toString()]),
  )
}

/** Union of the names; a missing amount counts as zero. */
export function addResources(...lists: readonly Resources[]): Resources {
  const sum = new Map<string, Quantity>()
  for (const list of lists) {
    for (const [name, quantity] of list) sum.set(name, sum.get(name)?.add(quantity) ?? quantity)
  }
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
