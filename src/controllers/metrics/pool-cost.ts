import type { InstanceTypeSource, PoolCostTracker } from '../../cluster/index.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { requeueUnless, type SingletonController } from '../../kube/controller.ts'
import type { Clock } from '../../model/clock.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { SeriesKeeper } from './series-keeper.ts'

const publishEveryMs = 10_000
/** Prices are read again every hour; those of a pool not seen before at once. */
const refreshEveryMs = 3_600_000

/** Keeps the prices of the cost tracker fresh and publishes what each pool costs. */
export function poolCostController(deps: {
  readonly pools: () => readonly NodePool[]
  readonly instanceTypes: InstanceTypeSource
  readonly tracker: PoolCostTracker
  readonly clock: Clock
  readonly metrics: ControllerMetrics
}): SingletonController {
  const keeper = new SeriesKeeper()
  const refreshedAt = new Map<string, number>()
  return {
    name: 'state.pricing',
    async reconcile() {
      const now = deps.clock.monotonicMs()
      const pools = deps.pools()
      deps.tracker.forgetAllBut(pools)
      const due = pools.filter(({ metadata: { name } }) => {
        const at = refreshedAt.get(name)
        return at === undefined || !deps.tracker.knows(name) || now - at >= refreshEveryMs
      })
      const lists = await Promise.all(due.map(deps.instanceTypes))
      for (const [index, pool] of due.entries()) {
        const list = lists[index]
        if (list?.kind !== 'resolved') continue
        deps.tracker.setPrices(pool.metadata.name, list.types)
        refreshedAt.set(pool.metadata.name, now)
      }
      const costs = deps.tracker.costs()
      for (const [nodepool, { cost, unknown }] of costs) {
        keeper.publish(nodepool, [{ gauge: deps.metrics.nodePoolCost, labels: { nodepool }, value: cost }])
        if (unknown > 0) deps.metrics.nodePoolCostTrackerErrors.increment({ nodepool }, unknown)
      }
      keeper.keepOnly(new Set(costs.keys()))
      const isKnown = [...costs.values()].every(({ unknown }) => unknown === 0)
      const refreshAt = Math.min(...pools.map(({ metadata: { name } }) => refreshedAt.get(name) ?? 0)) + refreshEveryMs
      return requeueUnless(
        () =>
          isKnown &&
          deps.clock.monotonicMs() < refreshAt &&
          deps.pools() === pools &&
          pools.every(({ metadata: { name } }) => deps.tracker.knows(name)) &&
          deps.tracker.costs() === costs,
        publishEveryMs,
      )
    },
  }
}
