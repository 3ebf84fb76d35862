import type { Sliced } from '../../model/sliced.ts'
import { BestFilling } from './best-filling.ts'
import { type Bin, fitsInto, mostOf, type PackingProblem } from './problem.ts'
import { maximiseTable } from './simplex.ts'
import type { WorkMeter } from './work-meter.ts'

const roundsMax = 60
/** Of the work that is left, at most so much goes into finding patterns. */
const searchPart = 0.35
/** Patterns that are taken up in one round: those that are worth most for their price. */
const newPerRound = 12
/** By how much pods have to be worth more than their node costs. */
const gainLeast = 1e-6
/** Sums of fractions may miss a whole number by a hair. */
const wholeSlack = 1e-9

/** How often each known pattern is used in the cheapest mix of them, in fractions of nodes, and what a pod of each item is worth in it. */
interface Mix {
  readonly uses: Float64Array
  readonly worth: Float64Array
}

/**
 * Patterns are ways to fill a node, among which a linear program chooses (column generation): it covers all pods at least price, which
 * gives pods a worth each, and a node that can be filled with more worth than it costs is one more pattern. Rounded to whole nodes the
 * mix has nodes that change by change would not be found, as where few kinds of large pods have to be matched, or GPUs.
 */
export class Patterns {
  readonly #problem: PackingProblem
  readonly #meter: WorkMeter
  readonly #filling: BestFilling
  readonly #known: Bin[] = []
  readonly #keys = new Set<string>()

  /** `resourceWorth` is in dollars per hour, by resource. */
  constructor(problem: PackingProblem, resourceWorth: Float64Array, meter: WorkMeter) {
    this.#problem = problem
    this.#meter = meter
    this.#filling = new BestFilling(problem, resourceWorth, meter)
  }

  /** Bins for all pods that `counts` tells, those of patterns that are used whole before others. Each pod fits on some column. */
  *bins(counts: readonly number[], known: readonly Bin[]): Sliced<Bin[] | undefined> {
    for (const bin of known) this.#add(bin)
    for (const item of counts.keys()) this.#addAlone(item)
    const kept = this.#meter.left * (1 - searchPart)
    for (let round = 0; round < roundsMax && this.#meter.left > kept; round += 1) {
      const found = yield* this.#better(counts)
      let added = 0
      for (const { bin } of found) if (added < newPerRound && this.#add(bin)) added += 1
      if (added === 0) break
    }
    return yield* this.#rounded(counts)
  }

  /** Patterns that would make the mix cheaper, the best first. */
  *#better(counts: readonly number[]): Sliced<readonly { readonly bin: Bin; readonly rate: number }[]> {
    const { worth } = this.#mix(counts)
    const found: { readonly bin: Bin; readonly rate: number }[] = []
    for (const [column, { price }] of this.#problem.columns.entries()) {
      yield* this.#meter.pause()
      const filling = this.#filling.of(column, { worth, counts }, price * (1 + gainLeast))
      if (filling !== undefined) found.push({ bin: { column, counts: filling.counts }, rate: filling.value / price })
    }
    return found.sort((a, b) => b.rate - a.rate || a.bin.column - b.bin.column)
  }

  /** Whole nodes, and when there is none in the mix for what is left, one of the pattern that is used most. */
  *#rounded(counts: readonly number[]): Sliced<Bin[] | undefined> {
    const left = [...counts]
    const bins: Bin[] = []
    while (left.some((count) => count > 0)) {
      const { uses } = this.#mix(left)
      yield* this.#meter.pause()
      let mostUsed = 0
      const before = bins.length
      for (const [index, use] of uses.entries()) {
        if (use > (uses[mostUsed] ?? 0)) mostUsed = index
        for (let times = Math.floor(use + wholeSlack); times > 0; times -= 1) this.#take(index, left, bins)
      }
      if (bins.length === before) this.#take(mostUsed, left, bins)
      if (bins.length === before) return undefined
    }
    return bins
  }

  /** Takes a node with those pods of the pattern that are left, of the cheapest column that has room for them, if there are any. */
  #take(index: number, left: number[], bins: Bin[]): void {
    const pattern = this.#known[index]
    const counts = (pattern?.counts ?? [])
      .map(([item, count]) => [item, Math.min(count, left[item] ?? 0)] as const)
      .filter(([, count]) => count > 0)
    if (pattern === undefined || counts.length === 0) return
    for (const [item, count] of counts) left[item] = (left[item] ?? 0) - count
    bins.push({ column: this.#cheapest(counts, pattern.column), counts })
  }

  #cheapest(counts: Bin['counts'], first: number): number {
    const { items, columns } = this.#problem
    const need = new Float64Array(columns[0]?.room.length ?? 0)
    for (const [item, count] of counts)
      for (const [r, each] of (items[item]?.need ?? need).entries()) need[r] = (need[r] ?? 0) + count * each
    this.#meter.add(columns.length)
    let best = first
    for (const [index, { room, price }] of columns.entries()) {
      if (price >= (columns[best]?.price ?? 0)) continue
      if (counts.some(([item]) => items[item]?.fits[index] !== 1)) continue
      if (fitsInto(need, room)) best = index
    }
    return best
  }

  #add(bin: Bin): boolean {
    const key = `${bin.column}:${bin.counts.join(';')}`
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
    this.#known.push(bin)
    return true
  }

  /** The node on which a pod of the kind costs least when there is nothing else, so that every mix covers all pods. */
  #addAlone(item: number): void {
    const { items, columns } = this.#problem
    let best: Bin | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [column, { room, price }] of columns.entries()) {
      if (items[item]?.fits[column] !== 1) continue
      const count = Math.max(1, mostOf(items[item], room, items[item]?.count ?? 0))
      if (price / count >= least) continue
      least = price / count
      best = { column, counts: [[item, count]] }
    }
    if (best !== undefined) this.#add(best)
  }

  /** The linear program over the known patterns. Variables are worth times count, so that the goal is their plain sum. */
  #mix(counts: readonly number[]): Mix {
    const kinds = [...counts.keys()].filter((item) => (counts[item] ?? 0) > 0)
    const place = new Map(kinds.map((item, index) => [item, index]))
    const stride = kinds.length + 1
    const table = new Float64Array(this.#known.length * stride)
    for (const [row, bin] of this.#known.entries()) {
      for (const [item, count] of bin.counts) {
        const at = place.get(item)
        if (at !== undefined) table[row * stride + at] = count / (counts[item] ?? 1)
      }
      table[row * stride + kinds.length] = this.#problem.columns[bin.column]?.price ?? 0
    }
    const { values, shadows, pivots } = maximiseTable(table, kinds.length)
    this.#meter.add(table.length * (pivots + 1))
    const worth = new Float64Array(counts.length)
    for (const [index, item] of kinds.entries()) worth[item] = (values[index] ?? 0) / (counts[item] ?? 1)
    return { uses: shadows, worth }
  }
}
