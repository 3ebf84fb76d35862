/** Pods that may share nodes without any condition but room, and the nodes there are. Amounts are in any unit, the same for both. */
export interface PackingProblem {
  readonly items: readonly PackingItem[]
  readonly columns: readonly PackingColumn[]
}

/** So many pods of equal size. */
export interface PackingItem {
  readonly need: Float64Array
  readonly count: number
  /** Most of them on one node. */
  readonly perBin: number
  /** Whether one of them has a node of each column to itself: by column, 1 for yes. */
  readonly fits: Uint8Array
}

export interface PackingColumn {
  readonly room: Float64Array
  readonly price: number
}

/** A node: its column, and how many pods of each item are on it. */
export interface Bin {
  readonly column: number
  readonly counts: readonly (readonly [item: number, count: number])[]
}

/** Sums of fractions may miss what fits exactly by a hair: so much of one pod. */
export const roomSlack = 1e-9

/** How many more pods of a kind have room, of `left`, when so many are there already. */
export function mostOf(item: PackingItem | undefined, free: Float64Array, left: number, already = 0): number {
  if (item === undefined) return 0
  const { need, perBin } = item
  let most = Math.min(left, perBin - already)
  for (let r = 0; r < need.length; r += 1) {
    const each = need[r] ?? 0
    if (each > 0) most = Math.min(most, Math.floor((free[r] ?? 0) / each + roomSlack))
  }
  return Math.max(0, most)
}

/** Whether all of it has room. */
export function fitsInto(need: Float64Array, room: Float64Array): boolean {
  for (let r = 0; r < need.length; r += 1) if ((need[r] ?? 0) > (room[r] ?? 0)) return false
  return true
}

/** What amounts are worth by the worth of a unit of each. */
export function dot(amounts: Float64Array, worth: Float64Array): number {
  let sum = 0
  for (let r = 0; r < amounts.length; r += 1) sum += Math.max(0, amounts[r] ?? 0) * (worth[r] ?? 0)
  return sum
}
