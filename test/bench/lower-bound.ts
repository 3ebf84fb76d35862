import type { InstanceType } from '../../src/model/instance-type.ts'
import { allocatableOf } from '../../src/model/instance-type.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import { addResources } from '../../src/model/resources.ts'

/**
 * What nodes for these pods must cost per hour at least: the LP min Σ price·n over Σ allocatable·n ≥ total requests, which drops
 * every constraint but the amounts. Solved through its dual, max demand·y over allocatable·y ≤ price, by the simplex method.
 */
export function resourceLowerBound(types: readonly InstanceType[], pods: readonly PodInfo[]): number {
  const demand = addResources(...pods.map(({ requests }) => requests))
  const names = [...demand.keys()]
  const wanted = names.map((name) => demand.get(name)?.toNumber() ?? 0)
  const offers = types.flatMap((type) => {
    const prices = type.offerings.filter(({ available }) => available).map(({ price }) => price)
    if (prices.length === 0) return []
    const allocatable = allocatableOf(type.capacity, type.overhead)
    return [{ price: Math.min(...prices), amounts: names.map((name) => allocatable.get(name)?.toNumber() ?? 0) }]
  })
  // Amounts differ by many orders of magnitude: each resource is measured in parts of what is wanted.
  const scaled = offers.map(({ price, amounts }) => ({
    price,
    amounts: amounts.map((amount, index) => amount / (wanted[index] || 1)),
  }))
  return maximise(
    names.map((_, index) => ((wanted[index] ?? 0) > 0 ? 1 : 0)),
    scaled.map(({ amounts }) => amounts),
    scaled.map(({ price }) => price),
  )
}

/** Largest c·y over A·y ≤ b, y ≥ 0, for b ≥ 0. Bland's rule keeps it from cycling. */
function maximise(c: readonly number[], a: readonly (readonly number[])[], b: readonly number[]): number {
  const rows = a.map((row, index) => [...row, b[index] ?? 0])
  const objective = [...c, 0]
  const columns = c.length
  const cell = (row: readonly number[] | undefined, column: number): number => row?.[column] ?? 0
  for (let step = 0; step < 10_000; step += 1) {
    const column = objective.findIndex((value, index) => index < columns && value > 1e-12)
    if (column === -1) break
    let pivot = -1
    let least = Number.POSITIVE_INFINITY
    for (const [index, row] of rows.entries()) {
      if (cell(row, column) <= 1e-15) continue
      const ratio = cell(row, columns) / cell(row, column)
      if (ratio < least) {
        least = ratio
        pivot = index
      }
    }
    const pivotRow = rows[pivot]
    if (pivotRow === undefined) return Number.POSITIVE_INFINITY
    const factor = cell(pivotRow, column)
    // The slack of the pivot row takes the column's place, in the condensed tableau.
    const replaced = pivotRow.map((value, index) => (index === column ? 1 / factor : value / factor))
    for (const row of [...rows, objective]) {
      if (row === pivotRow) continue
      const multiple = cell(row, column)
      if (multiple === 0) continue
      for (let index = 0; index <= columns; index += 1) {
        row[index] = index === column ? -multiple / factor : cell(row, index) - multiple * cell(replaced, index)
      }
    }
    rows[pivot] = replaced
  }
  return -cell(objective, columns)
}
