import { isSpecChange } from '../../kube/changes.ts'
import { type Controller, done, requeueAfter, requeueUnless, source } from '../../kube/controller.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { isNotFound } from '../../kube/errors.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import { keyOf } from '../../kube/resource.ts'
import { type Resources, toResourceList } from '../../model/resources.ts'
import { type CountedCluster, type NodePoolDeps, poolController } from './deps.ts'

const countEveryMs = 5_000
/** Not after a change of the status: two processes may count differently for a moment. */
const counted = source(nodePools, (change) =>
  change.after !== undefined && isSpecChange(change) ? [keyOf(change.after)] : [],
)
/** Looks again sooner while cluster state catches up. */
const unsyncedRetryMs = 1_000

/** Publishes what the pool's nodes hold. No other controller writes these fields, so the patch needs no lock. */
export function nodePoolCounterController(deps: NodePoolDeps, cluster: CountedCluster): Controller {
  /** What each pool was last found to agree with: both are the same objects until something changed. */
  const agreed = new WeakMap<NodePool, Resources>()
  const pools = deps.caches.of(nodePools)
  return poolController(deps, 'nodepool.counter', [counted], async (pool) => {
    if (!cluster.synced()) return requeueAfter(unsyncedRetryMs)
    const { name } = pool.metadata
    const held = cluster.nodePoolResources(name)
    const isStill = (): boolean =>
      pools.get({ name }) === pool &&
      cluster.synced() &&
      agreed.get(pool) === held &&
      cluster.nodePoolResources(name) === held
    if (agreed.get(pool) === held) return requeueUnless(isStill, countEveryMs)
    const resources = toResourceList(held)
    const after = { ...pool.status, resources, nodes: Number(held.get('nodes')?.units ?? 0n) }
    const status = mergePatchBetween(pool.status ?? {}, after)
    if (status === undefined) {
      agreed.set(pool, held)
      return requeueUnless(isStill, countEveryMs)
    }
    try {
      await deps.kube.patch(nodePools, { name }, { kind: 'merge', body: { status } }, { subresource: 'status' })
    } catch (error) {
      if (isNotFound(error)) return done
      throw error
    }
    return requeueAfter(countEveryMs)
  })
}
