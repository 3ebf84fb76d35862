import { nodeDisruptionCost } from '../../cluster/node-disruption-cost.ts'
import { PoolCostTracker } from '../../cluster/pool-cost.ts'
import { poolTotals, type PoolTotals } from '../../disruption/balanced.ts'
import type { Candidate } from '../../disruption/candidates.ts'
import { evictionCost } from '../../disruption/disruption-cost.ts'
import type { Snapshot } from '../../model/snapshot.ts'

/** What the Balanced policy weighs a move against, as the operator tracks it: nodes that may not be disrupted are part of their pool. */
export function totalsIn(snapshot: Snapshot, candidates: readonly Candidate[]): ReadonlyMap<string, PoolTotals> {
  const { nodes, instanceTypes } = snapshot
  const tracker = new PoolCostTracker({ list: () => nodes.flatMap(({ nodeClaim }) => nodeClaim ?? []) })
  for (const [pool, list] of instanceTypes) if (list.kind === 'resolved') tracker.setPrices(pool, list.types)
  return poolTotals({
    snapshot,
    candidates,
    trackedCost: new Map([...tracker.costs()].map(([pool, { cost }]) => [pool, cost])),
    trackedDisruptionCost: new Map(nodes.map(({ key, pods }) => [key, nodeDisruptionCost(pods, evictionCost)])),
  })
}
