import { done, type SingletonController } from '../../kube/controller.ts'
import type { GaugeReading, MetricLabels } from '../../kube/metrics.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import { isOwnedByDaemonSet, type PodInfo } from '../../model/pod.ts'
import type { Quantity } from '../../model/quantity.ts'
import { type Resources, subtractResources, sumResources } from '../../model/resources.ts'
import type { StateNode } from '../../model/snapshot.ts'
import { nodeMetricLabelValues } from '../metric-labels.ts'
import type { ControllerMetrics } from '../metric-table.ts'

interface NodeMetricsDeps {
  readonly cluster: { nodes(): readonly StateNode[] }
  readonly clock: Clock
  readonly metrics: ControllerMetrics
}

/** What nodes hold and what runs on them, read from cluster state whenever somebody looks. */
export function nodeMetricsController({ cluster, clock, metrics }: NodeMetricsDeps): SingletonController {
  const nodes = (): readonly StateNode[] => cluster.nodes().filter((node) => node.node !== undefined)
  const amountsOf = (amounts: (node: StateNode) => Resources) =>
    function* readings(): Generator<GaugeReading> {
      for (const node of nodes()) yield* resourceReadings(node, amounts(node))
    }
  metrics.nodeAllocatable.readFrom(amountsOf((node) => node.allocatable))
  metrics.nodeTotalPodRequests.readFrom(amountsOf((node) => total(withoutDaemons(node), 'requests')))
  metrics.nodeTotalPodLimits.readFrom(amountsOf((node) => total(withoutDaemons(node), 'limits')))
  metrics.nodeTotalDaemonRequests.readFrom(amountsOf((node) => total(daemonsOf(node), 'requests')))
  metrics.nodeTotalDaemonLimits.readFrom(amountsOf((node) => total(daemonsOf(node), 'limits')))
  metrics.nodeSystemOverhead.readFrom(
    amountsOf((node) => withoutNodes(subtractResources(node.capacity, node.allocatable))),
  )
  metrics.nodeCurrentLifetime.readFrom(() => nodes().map((node) => lifetimeReading(node, clock.now())))
  metrics.clusterUtilization.readFrom(() => utilizationReadings(nodes()))
  return { name: 'metrics.node', reconcile: () => Promise.resolve(done) }
}

function resourceReadings(node: StateNode, amounts: Resources): readonly GaugeReading[] {
  const labels = labelsOf(node)
  return [...amounts].map(([name, amount]) => ({
    labels: { ...labels, resource_type: resourceTypeLabel(name) },
    value: amount.toNumber(),
  }))
}

function lifetimeReading(node: StateNode, now: number): GaugeReading {
  const createdAt = parseTimestamp(node.node?.metadata.creationTimestamp) ?? now
  return { labels: labelsOf(node), value: Math.max(0, (now - createdAt) / 1000) }
}

function utilizationReadings(nodes: readonly StateNode[]): readonly GaugeReading[] {
  const allocatable = sumResources(nodes.map((node) => node.allocatable))
  const requested = sumResources(nodes.map((node) => sumResources(node.pods.map((pod) => pod.requests))))
  return [...allocatable]
    .filter(([, amount]) => !amount.isZero)
    .map(([name, amount]) => ({
      labels: { resource_type: resourceTypeLabel(name) },
      value: percentOf(requested.get(name), amount),
    }))
}

function percentOf(part: Quantity | undefined, whole: Quantity): number {
  return part === undefined ? 0 : (100 * part.toNumber()) / whole.toNumber()
}

function labelsOf(node: StateNode): MetricLabels {
  return {
    ...nodeMetricLabelValues(node.labels),
    node_name: node.node?.metadata.name ?? '',
    phase: node.node?.status?.phase ?? '',
    managed: String(node.managed),
  }
}

function daemonsOf(node: StateNode): readonly PodInfo[] {
  return node.pods.filter(isOwnedByDaemonSet)
}

function withoutDaemons(node: StateNode): readonly PodInfo[] {
  return node.pods.filter((pod) => !isOwnedByDaemonSet(pod))
}

/** Karpenter counts the pods themselves among the limits, too. */
function total(pods: readonly PodInfo[], which: 'requests' | 'limits'): Resources {
  const amounts = sumResources(pods.map((pod) => pod[which]))
  const count = sumResources(pods.map((pod) => pod.requests)).get('pods')
  return count === undefined ? amounts : new Map([...amounts, ['pods', count]])
}

function withoutNodes(amounts: Resources): Resources {
  return new Map([...amounts].filter(([name]) => name !== 'nodes'))
}

export function resourceTypeLabel(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}
