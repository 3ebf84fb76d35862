import type { NodePool } from '../../api/karpenter.ts'
import { toLimits } from '../../model/resources.ts'
import type { StateNode } from '../../model/snapshot.ts'
import { type Placement } from '../../scheduling/index.ts'
import { heldBy, remainingLimits } from '../../scheduling/limits.ts'
import type { LimitHit } from './plan.ts'

/** Limits that kept pods of a placement from a new node. */
export function limitHits({ failures }: Placement): readonly LimitHit[] {
  // Pods of one kind fail for one cause, told once for all of them.
  return [...new Set(failures.map(({ because }) => because))].flatMap((because) =>
    because.kind === 'pools'
      ? because.pools.flatMap(({ nodePool, reason, nearestMiss, text }) => {
          if (reason.kind !== 'limits' && reason.kind !== 'nodeLimit') return []
          return [{ nodePool, message: nearestMiss?.kind === 'limit' ? `pods ${nearestMiss.text}` : text }]
        })
      : [],
  )
}

/** Limits that the pool's present nodes already exceed: no replacement can start before some of them are gone. */
export function exceededLimits(pools: readonly NodePool[], nodes: readonly StateNode[]): readonly LimitHit[] {
  return pools.flatMap((pool) => {
    const remaining = remainingLimits(pool, (name) => heldBy(name, nodes))
    if (remaining === undefined) return []
    const limits = toLimits(pool.spec.limits)
    return [...remaining].flatMap(([resource, left]) => {
      const limit = limits.get(resource)
      if (!left.isNegative || limit === undefined) return []
      const used = limit.sub(left)
      const message = `limit of ${resource} is ${limit.toString()}, nodes hold ${used.toString()}`
      return [{ nodePool: pool.metadata.name, message }]
    })
  })
}
