import type { Quantity } from '../model/quantity.ts'
import type { Resources } from '../model/resources.ts'

/** Amounts asked for, by resource index: parallel arrays without the resources that are not asked for. */
export interface RequestVector {
  /** Equal requests have equal ids. */
  readonly id: number
  readonly indexes: readonly number[]
  readonly amounts: readonly number[]
}

/**
 * Quantities as integers in doubles. Each resource gets the coarsest unit that divides every amount seen, so sums and comparisons
 * are exact as long as amounts stay below 2^53 units. Only when no unit does both (8 PiB of memory next to a fraction of a byte)
 * is something rounded: requests up, capacity down, so that nothing is ever overfilled.
 */
export class AmountSpace {
  readonly names: string[] = []
  /** Equal in spaces that have observed the same resources, in the same order, and scale them alike. Set when that has ended. */
  scale = ''
  readonly #index = new Map<string, number>()
  readonly #units: bigint[] = []
  readonly #scaled: Map<Quantity, number>[] = []
  readonly #vectors = new Map<string, RequestVector>()

  readonly #largest: bigint[] = []
  readonly #seen: Set<Quantity>[] = []

  /** Tells of amounts that will be compared. All must be told before the first is scaled; later ones are rounded to the units. */
  observe(list: Iterable<readonly [string, Quantity]>): void {
    for (const [name, quantity] of list) {
      const index = this.indexOf(name)
      const known = (this.#seen[index] ??= new Set())
      if (known.has(quantity)) continue
      known.add(quantity)
      const { nano } = quantity
      const magnitude = nano < 0n ? -nano : nano
      if (magnitude > (this.#largest[index] ?? 0n)) this.#largest[index] = magnitude
      let unit = this.#units[index] ?? coarsest
      while (unit > 1n && nano % unit !== 0n) unit /= 1000n
      this.#units[index] = unit
    }
  }

  /** Takes over what another space has observed, as if it had been told here. */
  observeAll(other: AmountSpace): void {
    for (const [from, name] of other.names.entries()) {
      const index = this.indexOf(name)
      const unit = other.#units[from] ?? coarsest
      const largest = other.#largest[from] ?? 0n
      if (unit < (this.#units[index] ?? coarsest)) this.#units[index] = unit
      if (largest > (this.#largest[index] ?? 0n)) this.#largest[index] = largest
    }
  }

  /** The same in two spaces that scale amounts of these resources alike and keep them in the same places. */
  scaleOf(names: Iterable<string>): string {
    let text = ''
    for (const name of names) {
      const index = this.#index.get(name) ?? -1
      text += `${name}@${index}=${this.#units[index] ?? 0n};`
    }
    return text
  }

  /** Ends the observation. */
  settle(): void {
    for (const [index, magnitude] of this.#largest.entries()) {
      let unit = this.#units[index] ?? coarsest
      while ((magnitude ?? 0n) / unit > exactMax && unit < coarsest) unit *= 1000n
      this.#units[index] = unit
    }
    this.#seen.length = 0
    this.scale = this.scaleOf(this.names)
  }

  get size(): number {
    return this.names.length
  }

  indexOf(name: string): number {
    const known = this.#index.get(name)
    if (known !== undefined) return known
    const index = this.names.length
    this.names.push(name)
    this.#index.set(name, index)
    this.#units.push(coarsest)
    this.#scaled.push(new Map())
    return index
  }

  /** Units of what somebody asks for. */
  asked(index: number, quantity: Quantity): number {
    const memo = this.#scaled[index]
    const known = memo?.get(quantity)
    if (known !== undefined) return known
    const unit = this.#units[index] ?? coarsest
    const scaled = clamp(ceilDivide(quantity.nano, unit))
    memo?.set(quantity, scaled)
    return scaled
  }

  /** Units of what there is. */
  available(index: number, quantity: Quantity): number {
    const unit = this.#units[index] ?? coarsest
    return clamp(-ceilDivide(-quantity.nano, unit))
  }

  /** The amounts behind so many units. */
  toNano(index: number, units: number): bigint {
    return BigInt(units) * (this.#units[index] ?? coarsest)
  }

  /** Zero amounts are left out: asking for nothing of an unknown resource is fine. */
  vector(requests: Resources): RequestVector {
    const indexes: number[] = []
    const amounts: number[] = []
    let text = ''
    for (const [name, quantity] of requests) {
      const index = this.indexOf(name)
      const amount = this.asked(index, quantity)
      if (amount === 0) continue
      indexes.push(index)
      amounts.push(amount)
      text += `${index}=${amount},`
    }
    if (!indexes.every((index, position) => position === 0 || (indexes[position - 1] ?? 0) < index)) {
      const order = indexes.map((_, position) => position).toSorted((a, b) => (indexes[a] ?? 0) - (indexes[b] ?? 0))
      text = order.map((position) => `${indexes[position]}=${amounts[position]},`).join('')
    }
    const known = this.#vectors.get(text)
    if (known !== undefined) return known
    const vector: RequestVector = { id: this.#vectors.size, indexes, amounts }
    this.#vectors.set(text, vector)
    return vector
  }
}

/** Whole units: most amounts are some. */
const coarsest = 1_000_000_000n
const exactMax = BigInt(Number.MAX_SAFE_INTEGER)

function ceilDivide(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  return numerator > 0n && quotient * denominator !== numerator ? quotient + 1n : quotient
}

/** Beyond exact integers only "more than anything" is left to say. */
function clamp(units: bigint): number {
  return units > exactMax ? Number.MAX_SAFE_INTEGER : units < -exactMax ? -Number.MAX_SAFE_INTEGER : Number(units)
}
