import type { RolloutOrder } from '../../api/karpenter.ts'
import { labelOf } from '../../model/label-selector.ts'
import { compareText } from '../../model/order.ts'
import type { PoolFacts } from './input.ts'

/** By claim: the lower goes first; equal ones in the usual order. Undefined when the usual order is wanted. */
export function rankNodes(
  order: RolloutOrder | undefined,
  pools: readonly PoolFacts[],
): ReadonlyMap<string, number> | undefined {
  if (order === undefined || order.by === 'LeastDisruption') return undefined
  const { by, label = '', first = [] } = order
  const keyed = pools.flatMap((pool) =>
    pool.nodes.map(({ name, createdAt, zone, labels }) => {
      switch (by) {
        case 'Age':
          // Padded, so that text compares as numbers do.
          return { name, key: String(createdAt).padStart(16, '0') }
        case 'Zone':
          return { name, key: zone }
        case 'NodePool':
          return { name, key: pool.name }
        case 'Label':
          return { name, key: labelOf(labels, label) ?? '' }
      }
    }),
  )
  const named = new Set(first)
  const others = [...new Set(keyed.map(({ key }) => key))].filter((key) => !named.has(key)).toSorted(compareText)
  const ranks = new Map([...first, ...others].map((key, rank) => [key, rank]))
  return new Map(keyed.map(({ name, key }) => [name, ranks.get(key) ?? ranks.size]))
}
