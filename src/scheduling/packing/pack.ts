import type { Sliced } from '../../model/sliced.ts'
import { Patterns } from './patterns.ts'
import { type Bin, dot, fitsInto, type PackingProblem, roomSlack } from './problem.ts'
import { maximiseTable } from './simplex.ts'
import { WorkMeter } from './work-meter.ts'

/** A column whose room costs so much more per worth than the best is not filled, unless it takes all that is left. */
const columnSlack = 1.12
/** Most nodes that are emptied and filled anew at once. */
const emptiedMax = 8
/** An attempt goes over all bins so many times, besides filling some of them. */
const passesPerAttempt = 20

/**
 * Few and cheap nodes for the pods: nodes are filled one after another, each time the one that costs least for what its pods are worth
 * by the dual prices of what is left, or are those of the cheapest mix of patterns; then some are emptied again and filled in other ways,
 * as long as `slices` lasts. Undefined when some pod fits nowhere. Yields about every millisecond; the same problem has the same answer.
 */
export function* packInSlices(problem: PackingProblem, slices: number): Sliced<readonly Bin[] | undefined> {
  const packer = new Packer(problem, new WorkMeter(slices))
  const counts = problem.items.map(({ count }) => count)
  let best: readonly Bin[] | undefined
  for (const style of firstStyles) {
    const bins = yield* packer.packing(counts, style, best !== undefined)
    if (bins !== undefined && (best === undefined || packer.priceOf(bins) < packer.priceOf(best))) best = bins
    if (packer.isSpent) return best
  }
  const least = packer.leastPrice(counts)
  if (best !== undefined && isMixable(problem, best) && packer.priceOf(best) > least * nearEnough) {
    const bins = yield* packer.mixed(counts, best)
    if (bins !== undefined && packer.priceOf(bins) < packer.priceOf(best)) best = bins
  }
  let failed = 0
  while (
    best !== undefined &&
    !packer.isSpent &&
    failed < attemptsWithout(best) &&
    packer.priceOf(best) > least * nearEnough
  ) {
    const kept = packer.emptied(best)
    const bins: readonly Bin[] | undefined = yield* packer.packing(
      packer.countsWithout(kept),
      packer.randomStyle(),
      true,
    )
    failed += 1
    if (bins === undefined || packer.priceOf(bins) + packer.priceOf(kept) >= packer.priceOf(best) - 1e-9) continue
    best = [...kept, ...bins]
    failed = 0
  }
  return best
}

/** Whether a mix of patterns may help: it uses about as many of them as there are kinds, so that rounding spoils it where nodes are fewer. */
function isMixable({ items }: PackingProblem, bins: readonly Bin[]): boolean {
  return items.length <= kindsMax && items.length <= bins.length
}

/** Attempts without success after which more of them are not worth their time. */
function attemptsWithout(bins: readonly Bin[]): number {
  return 30 + 10 * bins.length
}

/** Nobody can do better than the bound; a thousandth above it is as good. */
const nearEnough = 1.001

/** With more kinds of pods than this a mix of patterns takes longer to find than it is worth. */
const kindsMax = 40

/** How nodes are filled. */
interface Style {
  /** Multiplies the worth of each resource. */
  readonly tilt: readonly number[]
  /** Largest column, as a share of the largest there is in the first resource. */
  readonly sizeMax: number
  /** How many of an item that is chosen are put in at once, as a share of those that fit. */
  readonly gulp: number
}

const firstStyles: readonly Style[] = [
  { tilt: [], sizeMax: 1, gulp: 0.25 },
  { tilt: [], sizeMax: 0.34, gulp: 0.25 },
  { tilt: [], sizeMax: 0.17, gulp: 0.25 },
]
const sizes = [1, 1, 0.5, 0.34, 0.25, 0.17, 0.09]

/** Parts of the nodes of a mix that are kept when the rest is filled anew. */
const keptShares = [0.3, 0.5, 0.6, 0.7, 0.8, 0.9]

class Packer {
  readonly #problem: PackingProblem
  readonly #width: number
  readonly #largest: number
  /** Item after item. */
  readonly #needs: Float64Array
  /** Scratch of one filling: items that may have room, and how many more of each item may come. */
  readonly #open: Int32Array
  readonly #most: Float64Array
  /** Dual prices for all pods together. */
  readonly #worth: Float64Array
  readonly #waste = new WeakMap<Bin, number>()
  readonly #meter: WorkMeter
  #seed = 0x9e3779b9

  constructor(problem: PackingProblem, meter: WorkMeter) {
    this.#problem = problem
    this.#meter = meter
    this.#width = problem.columns[0]?.room.length ?? 0
    this.#needs = new Float64Array(problem.items.length * this.#width)
    for (const [item, { need }] of problem.items.entries())
      this.#needs.set(need.subarray(0, this.#width), item * this.#width)
    this.#open = new Int32Array(problem.items.length)
    this.#most = new Float64Array(problem.items.length)
    this.#worth = this.#worthOf(problem.items.map(({ count }) => count))
    this.#largest = problem.columns.reduce((most, { room }) => Math.max(most, room[0] ?? 0), 0)
  }

  get isSpent(): boolean {
    return this.#meter.isSpent
  }

  /** The linear bound on the price of so many pods. */
  leastPrice(counts: readonly number[]): number {
    return dot(this.#sum(counts), this.#worthOf(counts))
  }

  priceOf(bins: readonly Bin[]): number {
    let price = 0
    for (const { column } of bins) price += this.#problem.columns[column]?.price ?? 0
    return price
  }

  countsWithout(kept: readonly Bin[]): number[] {
    const counts = this.#problem.items.map(({ count }) => count)
    for (const bin of kept) for (const [item, count] of bin.counts) counts[item] = (counts[item] ?? 0) - count
    return counts
  }

  /** The bins that stay when some are emptied: a few at random, half of the times among those that waste most. */
  emptied(bins: readonly Bin[]): Bin[] {
    const few = 2 + this.#below(emptiedMax - 1)
    // A quarter of the times many: what fits better together may be spread over all nodes.
    const many = this.#below(4) === 0 ? this.#below(Math.ceil(bins.length / 4)) : 0
    const count = Math.min(bins.length, few + many)
    const pool = this.#below(2) === 0 ? this.#mostWasteful(bins).slice(0, count * 3) : [...bins.keys()]
    this.#meter.add(bins.length * passesPerAttempt)
    const gone = new Set<number>()
    while (gone.size < count) gone.add(pool[this.#below(pool.length)] ?? 0)
    return bins.filter((_, index) => !gone.has(index))
  }

  #mostWasteful(bins: readonly Bin[]): number[] {
    this.#meter.add(bins.length * passesPerAttempt)
    const waste = bins.map((bin) => this.#wasteOf(bin))
    return [...bins.keys()].sort((a, b) => (waste[b] ?? 0) - (waste[a] ?? 0) || a - b)
  }

  randomStyle(): Style {
    return {
      tilt: Array.from({ length: this.#width }, () => 0.7 + this.#below(600) / 1000),
      sizeMax: sizes[this.#below(sizes.length)] ?? 1,
      gulp: [0.1, 0.25, 0.5][this.#below(3)] ?? 0.25,
    }
  }

  /** Bins of the cheapest mix of patterns: all of them, or the first, which suffer least from rounding, and the rest filled anew. */
  *mixed(counts: readonly number[], known: readonly Bin[]): Sliced<readonly Bin[] | undefined> {
    const bins = yield* new Patterns(this.#problem, this.#worth, this.#meter).bins(counts, known)
    if (bins === undefined) return undefined
    let best: readonly Bin[] = bins
    for (const share of keptShares) {
      const kept = bins.slice(0, Math.floor(bins.length * share))
      for (const style of firstStyles) {
        const rest: readonly Bin[] | undefined = yield* this.packing(this.countsWithout(kept), style, true)
        if (rest !== undefined && this.priceOf(kept) + this.priceOf(rest) < this.priceOf(best))
          best = [...kept, ...rest]
      }
    }
    return best
  }

  /** All of `counts` in new bins; undefined when something fits nowhere, or the work is spent and an answer is there already. */
  *packing(counts: readonly number[], style: Style, mayEnd: boolean): Sliced<readonly Bin[] | undefined> {
    const bins: Bin[] = []
    const left = [...counts]
    while (left.some((count) => count > 0)) {
      if (mayEnd && this.isSpent) return undefined
      const worth = this.#worthOf(left)
      const found = (yield* this.#nextBin(left, worth, style)) ?? this.#anyBin(left)
      if (found === undefined) return undefined
      let times = Number.POSITIVE_INFINITY
      for (const [item, count] of found.counts) times = Math.min(times, Math.floor((left[item] ?? 0) / count))
      // Only half the possible repeats: the remaining mix changes, and with it the best next node.
      const repeat = Math.max(1, Math.ceil(times / 2))
      for (const [item, count] of found.counts) left[item] = (left[item] ?? 0) - count * repeat
      for (let i = 0; i < repeat; i += 1) bins.push(found)
      yield* this.#meter.pause()
    }
    return bins
  }

  *#nextBin(left: readonly number[], worth: Float64Array, style: Style): Sliced<Bin | undefined> {
    const { columns } = this.#problem
    const tilted = worth.map((each, r) => each * (style.tilt[r] ?? 1))
    const cap = this.#largest * style.sizeMax
    let cheapest = Number.POSITIVE_INFINITY
    const rates = columns.map(({ room, price }, index) => {
      this.#meter.add(1)
      const value = dot(room, worth)
      const rate = value > 0 && (room[0] ?? 0) <= cap && this.#hostsAny(index, left) ? price / value : Infinity
      if (rate < cheapest) cheapest = rate
      return rate
    })
    const total = this.#sum(left)
    let best: Bin | undefined
    let bestRate = Number.POSITIVE_INFINITY
    for (const [index, column] of columns.entries()) {
      const all = fitsInto(total, column.room)
      if ((rates[index] ?? Infinity) > cheapest * columnSlack && !all) continue
      if (all && (column.room[0] ?? 0) > cap) continue
      yield* this.#meter.pause()
      const filled = this.#fill(index, left, tilted, style.gulp)
      const value = this.#valueOf(filled, worth)
      if (value <= 0) continue
      const rate = column.price / value
      if (rate < bestRate - 1e-12) {
        bestRate = rate
        best = { column: index, counts: filled }
      }
    }
    return best
  }

  /** For pods that have no room on the columns that are good otherwise. */
  #anyBin(left: readonly number[]): Bin | undefined {
    const item = left.findIndex((count) => count > 0)
    const fits = this.#problem.items[item]?.fits
    let best = -1
    for (const [index, { price }] of this.#problem.columns.entries())
      if (fits?.[index] === 1 && (best < 0 || price < (this.#problem.columns[best]?.price ?? 0))) best = index
    if (best < 0) return undefined
    return { column: best, counts: [[item, 1]] }
  }

  #hostsAny(column: number, left: readonly number[]): boolean {
    for (const [item, { fits }] of this.#problem.items.entries())
      if ((left[item] ?? 0) > 0 && fits[column] === 1) return true
    return false
  }

  /**
   * Fills one node: of the items that fit, the one whose amounts are nearest to what room is left, weighed by worth. So large pods come
   * first, and those that use what others leave.
   */
  #fill(
    column: number,
    left: readonly number[],
    worth: Float64Array,
    gulp: number,
  ): (readonly [item: number, count: number])[] {
    const { items, columns } = this.#problem
    const width = this.#width
    const needs = this.#needs
    const free = Float64Array.from(columns[column]?.room ?? new Float64Array(width))
    const taken = new Map<number, number>()
    // Those that may still have room, in their order; of equals the last is taken.
    const open = this.#open
    let openCount = 0
    for (let item = 0; item < items.length; item += 1) {
      if (items[item]?.fits[column] === 1 && (left[item] ?? 0) > 0) {
        open[openCount] = item
        this.#most[item] = Math.min(left[item] ?? 0, items[item]?.perBin ?? 0)
        openCount += 1
      }
    }
    while (openCount > 0) {
      let best = -1
      let bestScore = Number.POSITIVE_INFINITY
      let kept = 0
      this.#meter.add(openCount)
      for (let position = 0; position < openCount; position += 1) {
        const item = open[position] ?? 0
        const start = item * width
        let score = 0
        let fits = (this.#most[item] ?? 0) >= 1
        for (let r = 0; fits && r < width; r += 1) {
          const rest = (free[r] ?? 0) - (needs[start + r] ?? 0)
          fits = rest >= -roomSlack * (needs[start + r] ?? 0)
          const gap = rest * (worth[r] ?? 0)
          score += gap * gap
        }
        if (!fits) continue
        open[kept] = item
        kept += 1
        if (score <= bestScore) {
          bestScore = score
          best = item
        }
      }
      openCount = kept
      if (best < 0) break
      const start = best * width
      let most = this.#most[best] ?? 0
      for (let r = 0; r < width; r += 1) {
        const each = needs[start + r] ?? 0
        if (each > 0) most = Math.min(most, Math.floor((free[r] ?? 0) / each + roomSlack))
      }
      const count = Math.max(1, Math.floor(most * gulp))
      taken.set(best, (taken.get(best) ?? 0) + count)
      this.#most[best] = (this.#most[best] ?? 0) - count
      for (let r = 0; r < width; r += 1) free[r] = (free[r] ?? 0) - (needs[start + r] ?? 0) * count
    }
    return [...taken].sort(([a], [b]) => a - b)
  }

  #sum(counts: readonly number[]): Float64Array {
    const sum = new Float64Array(this.#width)
    for (const [item, { need }] of this.#problem.items.entries())
      for (let r = 0; r < this.#width; r += 1) sum[r] = (sum[r] ?? 0) + (need[r] ?? 0) * (counts[item] ?? 0)
    return sum
  }

  /** Dual prices of the resources for so many pods. */
  #worthOf(counts: readonly number[]): Float64Array {
    const demand = this.#sum(counts)
    const wanted = [...demand.keys()].filter((r) => (demand[r] ?? 0) > 0)
    const { columns } = this.#problem
    const constraints = new Float64Array(columns.length * (wanted.length + 1))
    let next = 0
    for (const { room, price } of columns) {
      for (const r of wanted) {
        constraints[next] = Math.max(0, room[r] ?? 0) / (demand[r] ?? 1)
        next += 1
      }
      constraints[next] = price
      next += 1
    }
    const { values: prices } = maximiseTable(constraints, wanted.length)
    // Each pivot rewrites the whole table, and there are about as many as resources.
    this.#meter.add(columns.length * wanted.length * wanted.length * 4)
    const worth = new Float64Array(this.#width)
    for (const [i, r] of wanted.entries()) worth[r] = (prices[i] ?? 0) / (demand[r] ?? 1)
    return worth
  }

  #valueOf(counts: Bin['counts'], worth: Float64Array): number {
    let value = 0
    for (const [item, count] of counts) {
      const need = this.#problem.items[item]?.need
      if (need !== undefined) value += count * dot(need, worth)
    }
    return value
  }

  /** What a node costs beyond the worth of its pods. Bins are kept from attempt to attempt, so each is weighed once. */
  #wasteOf(bin: Bin): number {
    const known = this.#waste.get(bin)
    if (known !== undefined) return known
    const waste = (this.#problem.columns[bin.column]?.price ?? 0) - this.#valueOf(bin.counts, this.#worth)
    this.#waste.set(bin, waste)
    return waste
  }

  /** A seeded generator (mulberry32). */
  #below(limit: number): number {
    this.#seed = (this.#seed + 0x6d2b79f5) >>> 0
    let mixed = this.#seed
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}
