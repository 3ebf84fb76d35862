import { isConditionTrue } from '../../api/conditions.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { nodeLimitOf } from '../../disruption/static-capacity.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { LimitHit } from './plan.ts'

/** A static pool that has fewer nodes than it wants once the change is applied. */
export interface MissingReplicas {
  readonly pool: NodePool
  /** That are made for it: no pod has to wait for them. */
  readonly nodes: number
  /** What keeps it from all of them for good. */
  readonly limit: LimitHit | undefined
}

/** Pools that are not ready make none. */
export function missingReplicas({
  nodePools,
  nodes,
}: Pick<Snapshot, 'nodePools' | 'nodes'>): readonly MissingReplicas[] {
  return nodePools.flatMap((pool) => {
    const { name, deletionTimestamp } = pool.metadata
    const { replicas } = pool.spec
    if (replicas === undefined || deletionTimestamp !== undefined || !isConditionTrue(pool, 'Ready')) return []
    const own = nodes.filter(({ nodePool, nodeClaim }) => nodePool === name && nodeClaim !== undefined)
    const lacking = replicas - own.filter(({ markedForDeletion }) => !markedForDeletion).length
    if (lacking <= 0) return []
    const most = nodeLimitOf(pool)
    const message = `limit of nodes is ${most}, replicas ask for ${replicas}`
    const limit = most < replicas ? { nodePool: name, message } : undefined
    return [{ pool, nodes: Math.max(0, Math.min(lacking, most - own.length)), limit }]
  })
}
