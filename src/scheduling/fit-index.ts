import type { Resources } from '../model/resources.ts'
import type { AmountSpace } from './amounts.ts'
import { type Bits, emptyBits, setBit } from './bitset.ts'

/**
 * For each resource the slots by how much room pods have there, daemons already deducted: "which slots have at least this much" is
 * a binary search and one precomputed bitset.
 */
export class FitIndex {
  /** Slots where nothing fits, whatever is asked: some amount is negative. */
  readonly roomy: Bits
  /** Room by resource and slot; resources that no slot has are missing. */
  readonly #room: Float64Array[] = []
  readonly #thresholds: Float64Array[] = []
  readonly #atLeast: Bits[][] = []
  readonly #none: Bits

  /** `room` is what pods may use, per slot. */
  constructor(room: readonly Resources[], amounts: AmountSpace) {
    this.roomy = emptyBits(room.length)
    this.#none = emptyBits(room.length)
    const rows = room.map((resources) => {
      const row = new Map<number, number>()
      for (const [name, quantity] of resources) {
        const index = amounts.indexOf(name)
        row.set(index, amounts.available(index, quantity))
      }
      return row
    })
    for (const [slot, row] of rows.entries())
      if ([...row.values()].every((value) => value >= 0)) setBit(this.roomy, slot)
    const resources = new Set(rows.flatMap((row) => [...row.keys()]))
    for (const resource of resources) {
      const values = Float64Array.from(rows, (row) => row.get(resource) ?? 0)
      this.#room[resource] = values
      const thresholds = Float64Array.from(new Set(values)).sort()
      this.#thresholds[resource] = thresholds
      this.#atLeast[resource] = suffixSets(values, thresholds)
    }
  }

  /** Slots with at least so much; undefined when there is none. */
  atLeast(resource: number, amount: number): Bits | undefined {
    const thresholds = this.#thresholds[resource]
    if (thresholds === undefined) return amount <= 0 ? this.roomy : undefined
    return this.#atLeast[resource]?.[lowerBound(thresholds, amount)]
  }

  /** The smallest amount that some slot has and that is not below `amount`; Infinity when none has so much. */
  nextThreshold(resource: number, amount: number): number {
    const thresholds = this.#thresholds[resource]
    if (thresholds === undefined) return amount <= 0 ? 0 : Number.POSITIVE_INFINITY
    return thresholds[lowerBound(thresholds, amount)] ?? Number.POSITIVE_INFINITY
  }

  /** What pods may use of a slot; negative where daemons want more than there is. */
  room(resource: number, slot: number): number {
    return this.#room[resource]?.[slot] ?? 0
  }

  get none(): Bits {
    return this.#none
  }
}

function suffixSets(values: Float64Array, thresholds: Float64Array): Bits[] {
  const bySlot = Array.from(values, (value, slot) => ({ value, slot })).sort(
    (a, b) => b.value - a.value || a.slot - b.slot,
  )
  const sets: Bits[] = new Array(thresholds.length)
  const current = emptyBits(values.length)
  let next = 0
  for (let i = thresholds.length - 1; i >= 0; i -= 1) {
    const threshold = thresholds[i] ?? 0
    for (let entry = bySlot[next]; entry !== undefined && entry.value >= threshold; entry = bySlot[next]) {
      setBit(current, entry.slot)
      next += 1
    }
    sets[i] = current.slice()
  }
  return sets
}

/** Index of the first threshold that is not below the amount. */
function lowerBound(sorted: Float64Array, amount: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < amount) low = middle + 1
    else high = middle
  }
  return low
}
