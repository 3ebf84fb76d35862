import type { RolloutOrder } from '../../api/karpenter.ts'
import { labelOf } from '../../model/label-selector.ts'
import { compareText } from '../../model/order.ts'
import type { NodeFacts, PoolFacts } from './input.ts'

type Grouping = Exclude<RolloutOrder['by'], 'LeastDisruption'>
type KeyOf = (node: NodeFacts, pool: PoolFacts, label: string) => string

const keysBy: ReadonlyMap<string, KeyOf> = new Map(
  Object.entries({
    // Padded, so that text compares as numbers do.
    Age: ({ createdAt }) => String(createdAt).padStart(16, '0'),
    Zone: ({ zone }) => zone,
    NodePool: (_node, { name }) => name,
    Label: ({ labels }, _pool, label) => labelOf(labels, label) ?? '',
  } satisfies Record<Grouping, KeyOf>),
)

/** A later definition lets orders through that this version does not know. */
export function isKnownOrder({ by }: RolloutOrder): boolean {
  return by === 'LeastDisruption' || keysBy.has(by)
}

/** By claim: the lower goes first; equal ones in the usual order. Undefined when the usual order is wanted, or one that is not known. */
export function rankNodes(
  order: RolloutOrder | undefined,
  pools: readonly PoolFacts[],
): ReadonlyMap<string, number> | undefined {
  const keyOf = order === undefined ? undefined : keysBy.get(order.by)
  if (order === undefined || keyOf === undefined) return undefined
  const { label = '', first = [] } = order
  const keyed = pools.flatMap((pool) => pool.nodes.map((node) => ({ name: node.name, key: keyOf(node, pool, label) })))
  const named = new Set(first)
  const others = [...new Set(keyed.map(({ key }) => key))].filter((key) => !named.has(key)).toSorted(compareText)
  const ranks = new Map([...first, ...others].map((key, rank) => [key, rank]))
  return new Map(keyed.map(({ name, key }) => [name, ranks.get(key) ?? ranks.size]))
}
