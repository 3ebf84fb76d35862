import type { NodePool } from '../../api/karpenter.ts'
import { type Caches, requeueAfter, type SingletonController } from '../../kube/controller.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import { toResources } from '../../model/resources.ts'
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
      for (const pool of pools.list()) keeper.publish(pool.metadata.name, seriesOf(deps.metrics, pool))
      keeper.keepOnly(new Set(pools.list().map((pool) => pool.metadata.name)))
      return Promise.resolve(requeueAfter(everyMs))
    },
  }
}

function seriesOf(metrics: ControllerMetrics, pool: NodePool): Series[] {
  const families = [
    [metrics.nodePoolLimit, pool.spec.limits],
    [metrics.nodePoolUsage, pool.status?.resources],
  ] as const
  return families.flatMap(([gauge, list]) =>
    [...toResources(list)].map(([name, amount]) => ({
      gauge,
      labels: { resource_type: resourceTypeLabel(name), nodepool: pool.metadata.name },
      value: amount.toNumber(),
    })),
  )
}
