/** So much of a meter (a device, a shared counter, a capacity that several claims consume) out of the limit that there is. */
export interface Draw {
  readonly meter: string
  /** In 10⁻⁹ units; a device that one claim has to itself is one. */
  readonly amount: bigint
  readonly limit: bigint
}

/** What a machine may still become: an instance type's position in its catalogue, or −1 for a node that is there. */
export type Variant = number

/**
 * Who has drawn how much of what in one solve. A planned node draws for each type that it may become, since each has its own answer;
 * others reckon with the dearest of them until all but one are ruled out.
 */
export class Ledger {
  readonly #taken: ReadonlyMap<string, bigint>
  readonly #drawn = new Map<string, Map<number, Map<Variant, bigint>>>()

  /** `taken`: by claims that are allocated already. */
  constructor(taken: ReadonlyMap<string, bigint>) {
    this.#taken = taken
  }

  /** What is left of the draw's meter for a target that would be of the variant. */
  left({ meter, limit }: Draw, target: number, variant: Variant): bigint {
    let left = limit - (this.#taken.get(meter) ?? 0n)
    for (const [by, variants] of this.#drawn.get(meter) ?? []) {
      if (by === target) left -= variants.get(variant) ?? 0n
      else left -= largest(variants.values())
    }
    return left
  }

  /** Whether any of the meter is taken, or drawn by the target that would be of the variant. */
  isDrawn(meter: string, target: number, variant: Variant): boolean {
    return this.#taken.has(meter) || (this.#drawn.get(meter)?.get(target)?.get(variant) ?? 0n) > 0n
  }

  draw({ meter, amount }: Draw, target: number, variant: Variant): void {
    const targets = this.#drawn.get(meter) ?? new Map<number, Map<Variant, bigint>>()
    this.#drawn.set(meter, targets)
    const variants = targets.get(target) ?? new Map<Variant, bigint>()
    targets.set(target, variants)
    variants.set(variant, (variants.get(variant) ?? 0n) + amount)
  }

  /** Gives back what the target drew as the variant. */
  release(draws: readonly Draw[], target: number, variant: Variant): void {
    for (const { meter } of draws) this.#drawn.get(meter)?.get(target)?.delete(variant)
  }
}

function largest(amounts: Iterable<bigint>): bigint {
  let most = 0n
  for (const amount of amounts) if (amount > most) most = amount
  return most
}
