import { maximise } from '../../src/scheduling/packing/simplex.ts'
import type { PackingColumn, PackingItem, PackingProblem } from '../../src/scheduling/packing/problem.ts'

const rounds = 40

export interface PatternBound {
  /** No nodes for these pods cost less. */
  readonly price: number
  /** What fractions of the nodes that were tried cost: the best that can still come out as the bound. Above `price` by the bound's own gap. */
  readonly reached: number
}

/**
 * The bound for pods that are large against nodes (LB3), approached from below: worths of pods from a linear program over patterns of
 * nodes, and what a node could hold at most of them: whole pods, where all ways to fill it can be gone through, or when pods may be cut,
 * but no more of one kind than fit whole. Any worths give a valid bound (Farley); the best of all rounds is taken.
 */
export function patternLowerBound({ items, columns }: PackingProblem): PatternBound {
  const patterns = new Map<string, { readonly counts: readonly number[]; readonly price: number }>()
  const add = (counts: readonly number[], price: number): void => {
    const key = counts.join()
    const known = patterns.get(key)
    if (known === undefined || known.price > price) patterns.set(key, { counts, price })
  }
  for (const [index, column] of columns.entries()) {
    for (const [k, item] of items.entries()) {
      if (item.fits[index] !== 1) continue
      add(
        items.map((_, other) => (other === k ? mostOf(item, column) : 0)),
        column.price,
      )
    }
  }
  let best = 0
  let reached = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) {
    const rows = [...patterns.values()]
    // Variables are worth times count, so that the goal is their plain sum.
    const found = maximise(
      items.length,
      rows.map(({ counts, price }) => ({
        row: counts.map((count, k) => count / (items[k]?.count ?? 1)),
        limit: price,
      })),
    )
    const worth = items.map(({ count }, k) => (found[k] ?? 0) / count)
    const total = found.reduce((sum, value) => sum + value, 0)
    reached = Math.min(reached, total)
    let scale = Number.POSITIVE_INFINITY
    for (const [index, column] of columns.entries()) {
      const exact = whole(items, index, column, worth)
      const counts = exact ?? fractional(items, index, column, worth)
      const value = counts.reduce((sum, count, k) => sum + count * (worth[k] ?? 0), 0)
      if (value > 0) scale = Math.min(scale, column.price / value)
      add(exact ?? rounded(items, column, counts), column.price)
    }
    best = Math.max(best, total * Math.min(1, scale))
  }
  return { price: best, reached: Math.max(best, reached) }
}

function mostOf({ need, count }: PackingItem, { room }: PackingColumn): number {
  let most = count
  for (const [r, each] of need.entries()) if (each > 0) most = Math.min(most, Math.floor((room[r] ?? 0) / each))
  return most
}

/** Ways to fill a node that are looked at before it is left to fractions. */
const waysMax = 20_000

/** How many of each item make one node worth most; undefined when there are too many ways to fill it. */
function whole(
  items: readonly PackingItem[],
  index: number,
  column: PackingColumn,
  worth: readonly number[],
): number[] | undefined {
  const able = items.flatMap((item, k) => (item.fits[index] === 1 && (worth[k] ?? 0) > 1e-12 ? [k] : []))
  const rate = (k: number, r: number): number => (worth[k] ?? 0) / (items[k]?.need[r] ?? 0)
  const shareOf = (k: number): number => Math.max(...column.room.map((room, r) => (items[k]?.need[r] ?? 0) / room))
  const order = able.toSorted((a, b) => (worth[b] ?? 0) / shareOf(b) - (worth[a] ?? 0) / shareOf(a) || a - b)
  // What a unit of each resource can still be worth, from each place in the order on.
  const best = [...column.room.keys()].map((r) =>
    order.reduceRight<number[]>((rates, k) => [Math.max(rate(k, r), rates[0] ?? 0), ...rates], []),
  )
  const free = Float64Array.from(column.room)
  const counts = items.map(() => 0)
  let found = counts
  let most = -1
  let ways = 0
  const descend = (at: number, value: number): void => {
    ways += 1
    if (ways > waysMax) return
    if (value > most) {
      most = value
      found = [...counts]
    }
    const k = order[at]
    const item = k === undefined ? undefined : items[k]
    if (k === undefined || item === undefined) return
    if (best.every((rates, r) => value + (free[r] ?? 0) * (rates[at] ?? 0) > most)) {
      for (let count = mostOf(item, { ...column, room: free }); count >= 0 && ways <= waysMax; count -= 1) {
        counts[k] = count
        for (const [r, each] of item.need.entries()) free[r] = (free[r] ?? 0) - each * count
        descend(at + 1, value + count * (worth[k] ?? 0))
        for (const [r, each] of item.need.entries()) free[r] = (free[r] ?? 0) + each * count
      }
      counts[k] = 0
    }
  }
  descend(0, 0)
  return ways > waysMax ? undefined : found
}

/** How much of each item makes one node worth most, in fractions of pods. */
function fractional(
  items: readonly PackingItem[],
  index: number,
  column: PackingColumn,
  worth: readonly number[],
): number[] {
  const able = items.flatMap((item, k) => (item.fits[index] === 1 && (worth[k] ?? 0) > 1e-12 ? [k] : []))
  const most = able.map((k) => mostOf(items[k] as PackingItem, column))
  const values = maximise(able.length, [
    ...[...column.room.keys()].map((r) => ({
      row: able.map((k) => (items[k]?.need[r] ?? 0) / (worth[k] ?? 1) / (column.room[r] || 1)),
      limit: 1,
    })),
    ...able.map((k, position) => ({
      row: able.map((_, other) => (other === position ? 1 : 0)),
      limit: (worth[k] ?? 0) * (most[position] ?? 0),
    })),
  ])
  const shares = items.map(() => 0)
  for (const [position, k] of able.entries()) shares[k] = (values[position] ?? 0) / (worth[k] ?? 1)
  return shares
}

/** Whole pods only, and then what else has room. */
function rounded(items: readonly PackingItem[], column: PackingColumn, shares: readonly number[]): number[] {
  const free = Float64Array.from(column.room)
  const counts = shares.map((share, k) => {
    const count = Math.floor(share + 1e-9)
    for (const [r, each] of (items[k]?.need ?? []).entries()) free[r] = (free[r] ?? 0) - each * count
    return count
  })
  const order = shares.map((share, k) => [share - Math.floor(share), k] as const).sort(([a], [b]) => b - a)
  for (const [, k] of order) {
    const item = items[k]
    if (item === undefined) continue
    let more = item.count - (counts[k] ?? 0)
    for (const [r, each] of item.need.entries()) if (each > 0) more = Math.min(more, Math.floor((free[r] ?? 0) / each))
    if (more < 1) continue
    counts[k] = (counts[k] ?? 0) + more
    for (const [r, each] of item.need.entries()) free[r] = (free[r] ?? 0) - each * more
  }
  return counts
}
