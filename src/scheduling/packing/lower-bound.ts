import type { PodInfo } from '../../model/pod.ts'
import { forEachBit } from '../bitset.ts'
import type { SolveContext } from '../context.ts'
import type { Template } from '../template.ts'

/** What new nodes for some pods cost at least, and what a unit of each resource is worth in that bound. */
export interface LowerBound {
  /** US dollars per hour. */
  readonly price: number
  /** By resource index of the context's amounts; zero for resources that are not scarce. */
  readonly worth: Float64Array
}

/** Room for pods on one kind of node, and its price in US dollars per hour. */
export interface Column {
  readonly template: Template
  readonly slot: number
  readonly room: Float64Array
  readonly price: number
}

/**
 * The price of a fractional number of nodes with as much of every resource in total as the pods ask for. All constraints are
 * dropped, so no valid placement of these pods on new nodes costs less.
 */
export function lowerBound(context: SolveContext, pods: readonly PodInfo[]): LowerBound {
  const demand = new Float64Array(context.amounts.size)
  for (const pod of pods) {
    const { indexes, amounts } = context.classes.classOf(pod).requests
    for (const [i, resource] of indexes.entries()) demand[resource] = (demand[resource] ?? 0) + (amounts[i] ?? 0)
  }
  const columns = columnsOf(context)
  const wanted = [...demand.keys()].filter((resource) => (demand[resource] ?? 0) > 0)
  const worth = new Float64Array(demand.length)
  const prices = maximise(
    wanted.map((resource) => demand[resource] ?? 0),
    columns.map(({ room, price }) => ({
      row: wanted.map((resource) => Math.max(0, room[resource] ?? 0) / (demand[resource] ?? 1)),
      limit: price,
    })),
  )
  for (const [i, resource] of wanted.entries()) worth[resource] = (prices[i] ?? 0) / (demand[resource] ?? 1)
  // Rounding may leave the worth of some node a hair above its price: scaled back, the bound stays valid.
  let excess = 1
  for (const column of columns) {
    const value = valueOf(column, worth)
    if (value > column.price * excess) excess = column.price === 0 ? Number.POSITIVE_INFINITY : value / column.price
  }
  let price = 0
  for (const resource of wanted) {
    worth[resource] = Number.isFinite(excess) ? (worth[resource] ?? 0) / excess : 0
    price += (worth[resource] ?? 0) * (demand[resource] ?? 0)
  }
  return { price, worth }
}

/** Worth of a node that is full in every resource; at most its price. */
export function valueOf({ room }: Pick<Column, 'room'>, worth: Float64Array): number {
  let value = 0
  for (let i = 0; i < worth.length; i += 1) {
    const each = worth[i] ?? 0
    if (each > 0) value += each * Math.max(0, room[i] ?? 0)
  }
  return value
}

/** Every kind of node that some template could open. */
export function columnsOf({ templates, amounts }: SolveContext): Column[] {
  const columns: Column[] = []
  for (const template of templates) {
    const { prices } = template.catalog.byPrice(template.set)
    forEachBit(template.candidates, (slot) => {
      const found = template.catalog.slots[slot]
      const price = prices[found?.typeIndex ?? -1] ?? Number.POSITIVE_INFINITY
      if (found === undefined || !Number.isFinite(price)) return
      const room = new Float64Array(amounts.size)
      for (let resource = 0; resource < room.length; resource += 1) room[resource] = template.fit.room(resource, slot)
      columns.push({ template, slot, room, price })
    })
  }
  return columns
}

/** More pivots than a handful of resources ever needs; what is reached by then is feasible, so still a bound. */
const pivotsMax = 2_000

/** max Σ y with Σ row·y ≤ limit and y ≥ 0, by the simplex method; variables are demands times worths. */
export function maximise(
  demand: readonly number[],
  constraints: readonly { readonly row: readonly number[]; readonly limit: number }[],
): Float64Array {
  const width = demand.length
  const table = new Float64Array(constraints.length * (width + 1))
  for (const [i, { row, limit }] of constraints.entries()) {
    table.set(row, i * (width + 1))
    table[i * (width + 1) + width] = limit
  }
  return maximiseTable(table, width)
}

/** The same for constraints that stand one after another, each `width` coefficients and its limit. */
export function maximiseTable(constraints: Float64Array, width: number): Float64Array {
  const stride = width + 1
  const height = constraints.length / stride
  // The goal is the last row.
  const goal = constraints.length
  const table = new Float64Array(goal + stride)
  table.set(constraints)
  table.fill(1, goal, goal + width)
  const columnIs = Int32Array.from({ length: width }, (_, i) => i)
  const rowIs = new Int32Array(height)
  for (let i = 0; i < height; i += 1) rowIs[i] = width + i
  for (let pivots = 0; pivots < pivotsMax; pivots += 1) {
    let enter = -1
    let most = 1e-9
    for (let j = 0; j < width; j += 1) {
      const gain = table[goal + j] ?? 0
      if (gain > most) {
        enter = j
        most = gain
      }
    }
    if (enter < 0) break
    const leave = leavingRow(table, { width, height, enter })
    if (leave < 0) return new Float64Array(width)
    pivotOn(table, { stride, leave, enter })
    const swapped = columnIs[enter] ?? 0
    columnIs[enter] = rowIs[leave] ?? 0
    rowIs[leave] = swapped
  }
  const result = new Float64Array(width)
  for (let i = 0; i < height; i += 1) {
    const variable = rowIs[i] ?? width
    if (variable < width) result[variable] = Math.max(0, table[i * stride + width] ?? 0)
  }
  return result
}

/** The constraint that stops the entering variable first; -1 when none does. */
function leavingRow(
  table: Float64Array,
  { width, height, enter }: { readonly width: number; readonly height: number; readonly enter: number },
): number {
  let leave = -1
  let least = Number.POSITIVE_INFINITY
  for (let i = 0, start = 0; i < height; i += 1, start += width + 1) {
    const at = table[start + enter] ?? 0
    if (at <= 1e-12) continue
    const ratio = (table[start + width] ?? 0) / at
    if (ratio < least) {
      leave = i
      least = ratio
    }
  }
  return leave
}

function pivotOn(
  table: Float64Array,
  { stride, leave, enter }: { readonly stride: number; readonly leave: number; readonly enter: number },
): void {
  const pivotRow = leave * stride
  const pivot = table[pivotRow + enter] ?? 1
  table[pivotRow + enter] = 1
  for (let j = 0; j < stride; j += 1) table[pivotRow + j] = (table[pivotRow + j] ?? 0) / pivot
  for (let row = 0; row < table.length; row += stride) {
    const factor = table[row + enter] ?? 0
    if (row === pivotRow || factor === 0) continue
    table[row + enter] = 0
    for (let j = 0; j < stride; j += 1) table[row + j] = (table[row + j] ?? 0) - factor * (table[pivotRow + j] ?? 0)
  }
}
