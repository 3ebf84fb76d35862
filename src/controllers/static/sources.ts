import { isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { labelNodePool } from '../../api/labels.ts'
import { isStatic } from '../../disruption/candidates.ts'
import type { Cache, Change } from '../../kube/controller.ts'
import { keyOf, type ObjectKey } from '../../kube/resource.ts'

/** A static pool came, or wants another number of nodes. */
export function replicasChanged(change: Change<NodePool>): boolean {
  if (change.kind === 'added') return isStatic(change.after)
  return (
    change.kind === 'updated' && isStatic(change.after) && change.before.spec.replicas !== change.after.spec.replicas
  )
}

export function becameReady(change: Change<NodePool>): boolean {
  return (
    change.kind === 'updated' &&
    isStatic(change.after) &&
    !isConditionTrue(change.before, 'Ready') &&
    isConditionTrue(change.after, 'Ready')
  )
}

/** The claim's pool, if that is static. */
export function staticPoolOf(claim: NodeClaim, pools: Cache<NodePool>): readonly ObjectKey[] {
  const pool = pools.get({ name: claim.metadata.labels?.[labelNodePool] ?? '' })
  return pool !== undefined && isStatic(pool) ? [keyOf(pool)] : []
}
