import { requeueAfter, type SingletonController } from '../../kube/controller.ts'
import type { Clock } from '../../model/clock.ts'
import { isOwnedByDaemonSet, type PodInfo } from '../../model/pod.ts'
import type { Quantity } from '../../model/quantity.ts'
import { addResources, type Resources, subtractResources } from '../../model/resources.ts'
import type { StateNode } from '../../model/snapshot.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { nodeMetricLabelValues } from '../metric-labels.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { type Series, SeriesKeeper } from './series-keeper.ts'

const everyMs = 5_000

/** What nodes hold and what runs on them, from cluster state, every five seconds. */
export function nodeMetricsController(deps: {
  readonly cluster: { nodes(): readonly StateNode[] }
  readonly clock: Clock
  readonly metrics: ControllerMetrics
}): SingletonController {
  const keeper = new SeriesKeeper()
  const published = new Map<string, StateNode>()
  const cluster = 'cluster'
  let seen: readonly StateNode[] | undefined
  return {
    name: 'metrics.node',
    reconcile: () => {
      // State shares what has not changed: the whole list, or a node and all that runs on it.
      const all = deps.cluster.nodes()
      if (all === seen) return Promise.resolve(requeueAfter(everyMs))
      seen = all
      const nodes = all.filter((node) => node.node !== undefined)
      for (const node of nodes) {
        if (published.get(node.key) === node) continue
        keeper.publish(node.key, [
          ...resourceSeries(deps.metrics, node),
          lifetimeSeries(deps.metrics, node, deps.clock),
        ])
        published.set(node.key, node)
      }
      const alive = new Set(nodes.map((node) => node.key))
      for (const key of published.keys()) if (!alive.has(key)) published.delete(key)
      keeper.publish(cluster, utilizationSeries(deps.metrics, nodes))
      keeper.keepOnly(new Set([...alive, cluster]))
      return Promise.resolve(requeueAfter(everyMs))
    },
  }
}

function resourceSeries(metrics: ControllerMetrics, node: StateNode): Series[] {
  const labels = labelsOf(node)
  const daemons = node.pods.filter(isOwnedByDaemonSet)
  const others = node.pods.filter((pod) => !isOwnedByDaemonSet(pod))
  const families: readonly (readonly [Series['gauge'], Resources])[] = [
    [metrics.nodeAllocatable, node.allocatable],
    [metrics.nodeTotalPodRequests, total(others, 'requests')],
    [metrics.nodeTotalPodLimits, total(others, 'limits')],
    [metrics.nodeTotalDaemonRequests, total(daemons, 'requests')],
    [metrics.nodeTotalDaemonLimits, total(daemons, 'limits')],
    [metrics.nodeSystemOverhead, withoutNodes(subtractResources(node.capacity, node.allocatable))],
  ]
  return families.flatMap(([gauge, amounts]) =>
    [...amounts].map(([name, amount]) => ({
      gauge,
      labels: { ...labels, resource_type: resourceTypeLabel(name) },
      value: amount.toNumber(),
    })),
  )
}

function lifetimeSeries(metrics: ControllerMetrics, node: StateNode, clock: Clock): Series {
  const createdAt = parseTimestamp(node.node?.metadata.creationTimestamp) ?? clock.now()
  const age = (): number => Math.max(0, (clock.now() - createdAt) / 1000)
  return { gauge: metrics.nodeCurrentLifetime, labels: labelsOf(node), value: age }
}

function utilizationSeries(metrics: ControllerMetrics, nodes: readonly StateNode[]): Series[] {
  const allocatable = addResources(...nodes.map((node) => node.allocatable))
  const requested = addResources(...nodes.flatMap((node) => node.pods.map((pod) => pod.requests)))
  return [...allocatable].flatMap(([name, amount]) =>
    amount.isZero
      ? []
      : [
          {
            gauge: metrics.clusterUtilization,
            labels: { resource_type: resourceTypeLabel(name) },
            value: percentOf(requested.get(name), amount),
          },
        ],
  )
}

function percentOf(part: Quantity | undefined, whole: Quantity): number {
  return part === undefined ? 0 : (100 * part.toNumber()) / whole.toNumber()
}

function labelsOf(node: StateNode): Record<string, string> {
  return {
    ...nodeMetricLabelValues(node.labels),
    node_name: node.node?.metadata.name ?? '',
    phase: node.node?.status?.phase ?? '',
    managed: String(node.managed),
  }
}

function total(pods: readonly PodInfo[], which: 'requests' | 'limits'): Resources {
  return addResources(...pods.map((pod) => pod[which]))
}

function withoutNodes(amounts: Resources): Resources {
  return new Map([...amounts].filter(([name]) => name !== 'nodes'))
}

export function resourceTypeLabel(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}
