import type { Pod } from '../../api/kubernetes.ts'
import type { PodTimes } from '../../cluster/index.ts'
import { type Caches, type Change, requeueAfter, type SingletonController } from '../../kube/controller.ts'
import { pods } from '../../kube/kinds.ts'
import { keyOf, keyText } from '../../kube/resource.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import { isTerminal } from '../../model/pod.ts'
import type { StateNode } from '../../model/snapshot.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { type Series, SeriesKeeper } from './series-keeper.ts'

const everyMs = 30_000

export interface PodMetricsDeps {
  readonly caches: Caches
  readonly clock: Clock
  readonly metrics: ControllerMetrics
  readonly cluster: {
    byNodeName(name: string): StateNode | undefined
    readonly podTimes: { get(key: string): PodTimes }
  }
}

/** Where pods are and how long they take to get there. Durations are measured only of pods that were seen before they arrived. */
export function podMetricsController(deps: PodMetricsDeps): SingletonController {
  const recorder = new PodMetrics(deps)
  const cache = deps.caches.of(pods)
  for (const pod of cache.list()) recorder.observe({ kind: 'added', after: pod })
  cache.subscribe((change) => recorder.observe(change))
  return {
    name: 'metrics.pod',
    reconcile: () => {
      recorder.refresh()
      return Promise.resolve(requeueAfter(everyMs))
    },
  }
}

class PodMetrics {
  readonly #deps: PodMetricsDeps
  readonly #keeper = new SeriesKeeper()
  /** Pods that were seen before they were bound, and before they were ready. */
  readonly #unbound = new Map<string, Pod>()
  readonly #unready = new Map<string, Pod>()

  constructor(deps: PodMetricsDeps) {
    this.#deps = deps
  }

  observe(change: Change<Pod>): void {
    const pod = change.after
    if (pod === undefined) {
      this.#forget(keyText(keyOf(change.before)))
      return
    }
    const key = keyText(keyOf(pod))
    if (change.before !== undefined && change.before.metadata.uid !== pod.metadata.uid) this.#forget(key)
    const times = this.#deps.cluster.podTimes.get(key)
    this.#observeBinding(key, pod, times)
    this.#observeReadiness(key, pod, times)
    this.#keeper.publish(key, [this.#stateSeries(pod)])
  }

  /** Ages grow without events. */
  refresh(): void {
    const waiting = new Map([...this.#unready, ...this.#unbound])
    for (const [key, pod] of waiting) this.#keeper.publish(`${key} times`, this.#timeSeries(key, pod))
  }

  #observeBinding(key: string, pod: Pod, times: PodTimes): void {
    const { metrics } = this.#deps
    const bound = (pod.spec.nodeName ?? '') !== ''
    if (!bound) {
      if (!isTerminal({ phase: pod.status?.phase ?? 'Pending' })) this.#unbound.set(key, pod)
      return
    }
    if (!this.#unbound.delete(key)) return
    const at = transitionOf(pod, 'PodScheduled') ?? this.#deps.clock.now()
    metrics.podBoundDuration.observe({}, secondsBetween(createdAt(pod), at))
    if (times.schedulableAt !== undefined) {
      metrics.podProvisioningBoundDuration.observe({}, secondsBetween(times.schedulableAt, at))
    }
    this.#keeper.publish(`${key} times`, this.#timeSeries(key, pod))
  }

  #observeReadiness(key: string, pod: Pod, times: PodTimes): void {
    const { metrics } = this.#deps
    const over = isTerminal({ phase: pod.status?.phase ?? 'Pending' })
    if (conditionStatus(pod, 'Ready') !== 'True') {
      if (over) this.#unready.delete(key)
      else this.#unready.set(key, pod)
      if (over) this.#keeper.remove(`${key} times`)
      return
    }
    if (!this.#unready.delete(key)) return
    const at = transitionOf(pod, 'Ready') ?? this.#deps.clock.now()
    metrics.podStartupDuration.observe({}, secondsBetween(createdAt(pod), at))
    if (times.schedulableAt !== undefined) {
      metrics.podProvisioningStartupDuration.observe({}, secondsBetween(times.schedulableAt, at))
    }
    this.#keeper.remove(`${key} times`)
  }

  #forget(key: string): void {
    this.#unbound.delete(key)
    this.#unready.delete(key)
    this.#keeper.remove(key)
    this.#keeper.remove(`${key} times`)
  }

  #timeSeries(key: string, pod: Pod): Series[] {
    const { metrics, clock, cluster } = this.#deps
    const now = clock.now()
    const labels = { name: pod.metadata.name, namespace: pod.metadata.namespace ?? '' }
    const { acknowledgedAt, decidedAt, schedulableAt } = cluster.podTimes.get(key)
    const series: Series[] = []
    const since = (gauge: Series['gauge'], at: number | undefined): void => {
      if (at !== undefined) series.push({ gauge, labels, value: secondsBetween(at, now) })
    }
    if (this.#unready.has(key)) {
      since(metrics.podUnstartedTime, createdAt(pod))
      since(metrics.podProvisioningUnstartedTime, schedulableAt)
    }
    if (this.#unbound.has(key)) {
      since(metrics.podUnboundTime, createdAt(pod))
      since(metrics.podProvisioningUnboundTime, schedulableAt)
      if (decidedAt === undefined) since(metrics.podSchedulingUndecidedTime, acknowledgedAt)
    }
    return series
  }

  #stateSeries(pod: Pod): Series {
    const nodeName = pod.spec.nodeName ?? ''
    const node = nodeName === '' ? undefined : this.#deps.cluster.byNodeName(nodeName)
    const labels = node?.labels ?? {}
    return {
      gauge: this.#deps.metrics.podState,
      value: 1,
      labels: {
        name: pod.metadata.name,
        namespace: pod.metadata.namespace ?? '',
        owner: ownerPath(pod),
        node: nodeName,
        scheduled: String(nodeName !== ''),
        nodepool: labels['karpenter.sh/nodepool'] ?? '',
        zone: labels['topology.kubernetes.io/zone'] ?? '',
        arch: labels['kubernetes.io/arch'] ?? '',
        capacity_type: labels['karpenter.sh/capacity-type'] ?? '',
        instance_type: labels['node.kubernetes.io/instance-type'] ?? '',
        phase: pod.status?.phase ?? '',
        ready: conditionStatus(pod, 'Ready') ?? '',
        managed: String(node?.managed ?? false),
      },
    }
  }
}

function ownerPath(pod: Pod): string {
  const owner = pod.metadata.ownerReferences?.[0]
  if (owner === undefined) return ''
  const { apiVersion, kind, name } = owner
  return `/apis/${apiVersion}/namespaces/${pod.metadata.namespace ?? ''}/${kind.toLowerCase()}s/${name}`
}

function conditionStatus(pod: Pod, type: string): string | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type)?.status
}

/** When the condition became True. */
function transitionOf(pod: Pod, type: string): number | undefined {
  const condition = pod.status?.conditions?.find((found) => found.type === type && found.status === 'True')
  return parseTimestamp(condition?.lastTransitionTime)
}

function createdAt(pod: Pod): number {
  return parseTimestamp(pod.metadata.creationTimestamp) ?? 0
}

function secondsBetween(from: number, to: number): number {
  return Math.max(0, (to - from) / 1000)
}
