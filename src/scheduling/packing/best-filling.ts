import { dot, mostOf, type PackingProblem, roomSlack } from './problem.ts'
import { maximiseTable } from './simplex.ts'
import type { WorkMeter } from './work-meter.ts'

/** Fillings looked at in one search, of a tree whose branches are how many pods of a kind come first. */
const stepsMax = 120
/** What the other resources still weigh where one of them is to decide. */
const besidesOne = 1e-3
/** Pods that are worth less, in dollars per hour, are worth nothing. */
const worthLeast = 1e-12

/** How many pods of which kinds are on a node, and what they are worth together. */
export interface Filling {
  readonly counts: (readonly [item: number, count: number])[]
  readonly value: number
}

/** What a pod of each kind is worth, in dollars per hour, and how many there are of each. */
export interface Offer {
  readonly worth: Float64Array
  readonly counts: readonly number[]
}

/**
 * Fills single nodes with pods that are worth something: a knapsack of a few resources. Exact where few pods fit on a node, and close
 * where many do: then most of them are as when pods may be cut, and only the rest is searched.
 */
export class BestFilling {
  readonly #problem: PackingProblem
  readonly #meter: WorkMeter
  /** What a unit of each resource is worth. */
  readonly #resourceWorth: Float64Array

  constructor(problem: PackingProblem, resourceWorth: Float64Array, meter: WorkMeter) {
    this.#problem = problem
    this.#resourceWorth = resourceWorth
    this.#meter = meter
  }

  /** The filling of most worth that is found; undefined when none is worth more than `least`. */
  of(column: number, offer: Offer, least: number): Filling | undefined {
    const { items, columns } = this.#problem
    const room = columns[column]?.room ?? new Float64Array()
    const able = [...items.keys()].filter(
      (item) =>
        items[item]?.fits[column] === 1 && (offer.worth[item] ?? 0) > worthLeast && (offer.counts[item] ?? 0) > 0,
    )
    const cut = this.#cut(able, room, offer)
    let best: Filling | undefined
    for (const start of [able.map(() => 0), cut])
      for (const weights of this.#weightings(room))
        best = this.#search({ able, start, room, weights, offer, least: best?.value ?? least }) ?? best
    return best
  }

  /** How many pods of each kind fill a node best when pods may be cut, rounded down. */
  #cut(able: readonly number[], room: Float64Array, { worth, counts }: Offer): readonly number[] {
    const { items } = this.#problem
    const width = able.length
    const stride = width + 1
    // Variables are numbers of pods times worth. After the resources come the kinds, of which no more than fit whole.
    const table = new Float64Array((room.length + width) * stride)
    for (const [r, amount] of room.entries()) {
      for (const [at, item] of able.entries())
        table[r * stride + at] = (items[item]?.need[r] ?? 0) / (worth[item] ?? 1) / Math.max(amount, Number.MIN_VALUE)
      table[r * stride + width] = 1
    }
    for (const [at, item] of able.entries()) {
      const row = (room.length + at) * stride
      table[row + at] = 1
      table[row + width] = mostOf(items[item], room, counts[item] ?? 0) * (worth[item] ?? 0)
    }
    const { values, pivots } = maximiseTable(table, width)
    this.#meter.add(table.length * (pivots + 1))
    return able.map((item, at) => Math.floor((values[at] ?? 0) / (worth[item] ?? 1) + roomSlack))
  }

  /** Ways to measure how much of a node a pod takes: by what resources are worth, and by each that is worth something. */
  *#weightings(room: Float64Array): Generator<Float64Array> {
    const worth = this.#resourceWorth
    yield worth
    for (const [r, each] of worth.entries()) {
      const amount = room[r] ?? 0
      if (each > 0 && amount > 0) yield worth.map((other, index) => (index === r ? 1 / amount : other * besidesOne))
    }
  }

  /** Depth first: kinds of most worth for what they take before others, most pods of a kind before fewer. */
  #search(given: {
    readonly able: readonly number[]
    /** Pods that are on the node in any case. */
    readonly start: readonly number[]
    readonly room: Float64Array
    readonly weights: Float64Array
    readonly offer: Offer
    readonly least: number
  }): Filling | undefined {
    const { items } = this.#problem
    const { start, weights, offer } = given
    const free = Float64Array.from(given.room)
    const kinds = given.able.map((item, at) => {
      const need = items[item]?.need ?? free
      const weight = Math.max(dot(need, weights), Number.MIN_VALUE)
      const worth = offer.worth[item] ?? 0
      return { item, need, weight, worth, rate: worth / weight, base: start[at] ?? 0 }
    })
    kinds.sort((a, b) => b.rate - a.rate || a.item - b.item)
    let value = 0
    for (const { need, worth, base } of kinds) {
      value += worth * base
      take(free, need, base)
    }
    const chosen = new Int32Array(kinds.length)
    let best: Int32Array | undefined
    let most = given.least
    let steps = 0
    const descend = (at: number, reached: number, weightLeft: number): void => {
      steps += 1
      if (reached > most) {
        most = reached
        best = chosen.slice()
      }
      const kind = kinds[at]
      // What comes has no better rate, so even if all room were used this could not do better.
      if (kind === undefined || steps > stepsMax || reached + weightLeft * kind.rate <= most) return
      const { item, need, weight, worth, base } = kind
      const count = mostOf(items[item], free, (offer.counts[item] ?? 0) - base, base)
      for (let taking = count; taking >= 0 && steps <= stepsMax; taking -= 1) {
        chosen[at] = taking
        take(free, need, taking)
        descend(at + 1, reached + taking * worth, weightLeft - taking * weight)
        take(free, need, -taking)
      }
      chosen[at] = 0
    }
    descend(0, value, dot(free, weights))
    this.#meter.add((steps + kinds.length) * 4)
    if (best === undefined) return undefined
    const found = best
    const counts = kinds.map(({ item, base }, at) => [item, base + (found[at] ?? 0)] as const)
    return { counts: counts.filter(([, count]) => count > 0).sort(([a], [b]) => a - b), value: most }
  }
}

function take(free: Float64Array, need: Float64Array, count: number): void {
  for (let r = 0; r < free.length; r += 1) free[r] = (free[r] ?? 0) - (need[r] ?? 0) * count
}
