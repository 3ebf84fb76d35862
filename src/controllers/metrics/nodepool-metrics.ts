import type { NodePool } from '../../api/karpenter.ts'
import { type Caches, requeueUnless, type SingletonController } from '../../kube/controller.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import { readableResources } from '../../model/resources.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { resourceTypeLabel } from './node-metrics.ts'
import { type Series, SeriesKeeper } from './series-keeper.ts'

const everyMs = 10_000

/** Limits and usage of pools. */
export function nodePoolMetricsController(deps: {
  readonly caches: Caches
  readonly metrics: ControllerMetrics
}): SingletonController {
  const pools = deps.caches.of(nodePools)
  const keeper = new SeriesKeeper()
  return {
    name: 'metrics.nodepool',
    reconcile: () => {
      const all = pools.list()
      for (const pool of all) keeper.publish(pool.metadata.name, seriesOf(deps.metrics, pool))
      keeper.keepOnly(new Set(all.map((pool) => pool.metadata.name)))
      // The same list comes back until one of the pools has changed.
      return Promise.resolve(requeueUnless(() => pools.list() === all, everyMs))
    },
  }
}

function seriesOf(metrics: ControllerMetrics, pool: NodePool): Series[] {
  const families = [
    [metrics.nodePoolLimit, pool.spec.limits],
    [metrics.nodePoolUsage, pool.status?.resources],
  ] as const
  return families.flatMap(([gauge, list]) =>
    [...readableResources(list)].map(([name, amount]) => ({
      gauge,
      labels: { resource_type: resourceTypeLabel(name), nodepool: pool.metadata.name },
      value: amount.toNumber(),
    })),
  )
}
