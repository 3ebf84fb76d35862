import { isConditionTrue } from '../../../api/conditions.ts'
import type { NodeOverlay } from '../../../api/karpenter.ts'
import type { Clock } from '../../../model/clock.ts'
import { compareText } from '../../../model/order.ts'
import { instanceTypeKey } from '../keys.ts'

const refreshMs = 5 * 60_000

/** Prices that NodeOverlays give to types by name, for types of which EC2 tells none. */
export class OverlayPrices {
  readonly #clock: Clock
  readonly #overlays: () => readonly NodeOverlay[]
  #prices: ReadonlyMap<string, number> = new Map()
  #readIn = -1

  constructor(clock: Clock, overlays: () => readonly NodeOverlay[]) {
    this.#clock = clock
    this.#overlays = overlays
  }

  /**
   * Prices are constant within a period. Caches include the period in their keys, so the next one recomputes them from freshly read prices.
   */
  get period(): number {
    return Math.floor(this.#clock.monotonicMs() / refreshMs)
  }

  get(instanceType: string): number | undefined {
    const { period } = this
    if (period !== this.#readIn) {
      this.#prices = pricesOf(this.#overlays())
      this.#readIn = period
    }
    return this.#prices.get(instanceType)
  }
}

/** Of several overlays for one type the heaviest counts, of equal ones the last by name, as when overlays are applied. */
function pricesOf(overlays: readonly NodeOverlay[]): ReadonlyMap<string, number> {
  const prices = new Map<string, number>()
  const lightestFirst = overlays.toSorted(
    (a, b) => (a.spec.weight ?? 0) - (b.spec.weight ?? 0) || compareText(a.metadata.name, b.metadata.name),
  )
  for (const overlay of lightestFirst) {
    const { spec } = overlay
    const [only, ...more] = spec.requirements
    if (!isConditionTrue(overlay, 'ValidationSucceeded') || spec.price === undefined) continue
    if (only === undefined || more.length > 0) continue
    if (only.key !== instanceTypeKey || only.operator !== 'In') continue
    for (const name of only.values ?? []) prices.set(name, Number(spec.price))
  }
  return prices
}
