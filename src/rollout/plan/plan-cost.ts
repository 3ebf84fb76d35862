import { labelCapacityType, labelInstanceType, labelZone } from '../../api/labels.ts'
import { nodePrice } from '../../disruption/candidates.ts'
import { type InstanceType, sumPrices } from '../../model/instance-type.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import type { PlanCost } from './plan.ts'

/** US dollars per hour of a node where it is; 0 when its type or offering is not known. */
export function priceList(types: Snapshot['instanceTypes']): (node: StateNode) => number {
  const index = new Map<string, ReadonlyMap<string, InstanceType>>()
  for (const [pool, list] of types) {
    if (list.kind === 'resolved') index.set(pool, new Map(list.types.map((type) => [type.name, type])))
  }
  return ({ nodePool, labels }) =>
    nodePrice(
      index.get(nodePool)?.get(labels[labelInstanceType] ?? ''),
      labels[labelCapacityType] ?? '',
      labels[labelZone] ?? '',
    )
}

/** A change of what the fleet costs, in US dollars per hour. */
export interface CostChange {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly amount: number
}

export function costOf(before: number, changes: readonly CostChange[]): PlanCost {
  let sum = before
  let highest = before
  // A node starts because another is gone, so at one moment what goes is counted first.
  const sorted = changes.toSorted((a, b) => a.at - b.at || a.amount - b.amount)
  for (const { amount } of sorted) {
    sum = sumPrices([sum, amount])
    highest = Math.max(highest, sum)
  }
  return { before: rounded(before), during: rounded(highest), after: rounded(sum) }
}

/** To a millionth of a dollar: nobody is told more of a price. */
function rounded(amount: number): number {
  return Math.round(amount * 1e6) / 1e6 + 0
}
