import type { NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { selects } from '../../model/label-selector.ts'
import { compareText } from '../../model/order.ts'

/** Which policy governs each pool, and which ones would like to. */
export interface Governance {
  /** By pool name; the oldest of those that select it. */
  readonly governing: ReadonlyMap<string, RolloutPolicy>
  /** By pool name: all that select it, oldest first. */
  readonly selecting: ReadonlyMap<string, readonly RolloutPolicy[]>
}

/** A policy that is being deleted governs nothing. */
export function govern(policies: readonly RolloutPolicy[], pools: readonly NodePool[]): Governance {
  const present = policies.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted(olderFirst)
  const selecting = new Map(
    pools.map((pool) => [pool.metadata.name, present.filter((policy) => selectsPool(policy, pool))]),
  )
  const governing = new Map(
    [...selecting].flatMap(([pool, [first]]) => (first === undefined ? [] : [[pool, first] as const])),
  )
  return { governing, selecting }
}

/** Whether a rollout counts the pool's nodes: no more from its deletion on, which may last until the last of them is gone. */
export function takesPart({ metadata }: NodePool): boolean {
  return metadata.deletionTimestamp === undefined
}

function selectsPool({ spec: { nodePoolSelector } }: RolloutPolicy, { metadata }: NodePool): boolean {
  const { names, matchLabels, matchExpressions } = nodePoolSelector
  if (names !== undefined) return names.includes(metadata.name)
  return selects(
    {
      ...(matchLabels === undefined ? {} : { matchLabels }),
      ...(matchExpressions === undefined ? {} : { matchExpressions }),
    },
    metadata.labels ?? {},
  )
}

function olderFirst(a: RolloutPolicy, b: RolloutPolicy): number {
  // One that only a plan knows has no time yet, and would be the youngest.
  const [first, second] = [a, b].map(
    ({ metadata }) => parseTimestamp(metadata.creationTimestamp) ?? Number.POSITIVE_INFINITY,
  )
  if (first === undefined || second === undefined || first === second)
    return compareText(a.metadata.name, b.metadata.name)
  return first < second ? -1 : 1
}
