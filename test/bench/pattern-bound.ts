import { maximise } from '../../src/scheduling/packing/simplex.ts'
import type { PackingColumn, PackingItem, PackingProblem } from '../../src/scheduling/packing/pack.ts'

const rounds = 40

export interface PatternBound {
  /** No nodes for these pods cost less. */
  readonly price: number
  /** What fractions of the nodes that were tried cost: the best that can still come out as the bound. Above `price` by the bound's own gap. */
  readonly reached: number
}

/**
 * The bound for pods that are large against nodes (LB3), approached from below: worths of pods from a linear program over patterns of
 * nodes, and what a node could hold at most of them when pods may be cut, but no more of one kind than fit whole. Any worths give a valid
 * bound (Farley); the best of all rounds is taken.
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
      const shares = fractional(items, index, column, worth)
      const value = shares.reduce((sum, share, k) => sum + share * (worth[k] ?? 0), 0)
      if (value > 0) scale = Math.min(scale, column.price / value)
      add(rounded(items, column, shares), column.price)
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
