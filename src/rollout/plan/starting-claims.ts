import { hashesDiffer, nodePoolHashAnnotations } from '../../api/hash/index.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import { labelNodePool } from '../../api/labels.ts'
import { compareText } from '../../model/order.ts'
import type { Stamped } from './hash-stamps.ts'

/**
 * By pool: how many nodes that have no machine yet differ from what the pool asks for. Their claims are made of its template; what the class
 * says they are given with the machine.
 */
export function outdatedAtStart(starting: readonly NodeClaim[], stamped: Stamped): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { metadata } of starting) {
    const name = metadata.labels?.[labelNodePool] ?? ''
    const [pool, claim] = [stamped.nodePools.get(name), stamped.claims.get(metadata.name)]
    if (pool === undefined || claim === undefined || !hashesDiffer(pool, claim, nodePoolHashAnnotations)) continue
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return new Map([...counts].toSorted(([a], [b]) => compareText(a, b)))
}
