import type { PodInfo } from '../../model/pod.ts'
import { forEachBit } from '../bitset.ts'
import type { SolveContext } from '../context.ts'
import type { Template } from '../template.ts'
import { maximise } from './simplex.ts'

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
    wanted.length,
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
