import { conditionOf } from '../../api/conditions.ts'
import type { Pod } from '../../api/kubernetes.ts'
import { labelArch, labelCapacityType, labelInstanceType, labelNodePool, labelZone } from '../../api/labels.ts'
import type { PodTimes } from '../../cluster/index.ts'
import { type Caches, type Change, done, type SingletonController } from '../../kube/controller.ts'
import { pods } from '../../kube/kinds.ts'
import type { GaugeReading, MetricLabels } from '../../kube/metrics.ts'
import { keyOf, keyText } from '../../kube/resource.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import { isTerminal, type PodInfo } from '../../model/pod.ts'
import type { StateNode } from '../../model/snapshot.ts'
import type { ControllerMetrics } from '../metric-table.ts'

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
  deps.metrics.podState.readFrom(function* readings() {
    for (const pod of cache.list()) yield stateReading(pod, deps.cluster)
  })
  return { name: 'metrics.pod', reconcile: () => Promise.resolve(done) }
}

class PodMetrics {
  readonly #deps: PodMetricsDeps
  /** Pods that were seen before they were bound, and before they were ready for the first time. */
  readonly #unbound = new Map<string, Pod>()
  readonly #unstarted = new Map<string, Pod>()

  constructor(deps: PodMetricsDeps) {
    this.#deps = deps
    const { metrics, cluster } = deps
    metrics.podUnstartedTime.readFrom(() => this.#ages(this.#unstarted, (_key, pod) => createdAt(pod)))
    metrics.podUnboundTime.readFrom(() => this.#ages(this.#unbound, (_key, pod) => createdAt(pod)))
    const schedulableAt = (key: string): number | undefined => cluster.podTimes.get(key).schedulableAt
    metrics.podProvisioningUnstartedTime.readFrom(() => this.#ages(this.#unstarted, schedulableAt))
    metrics.podProvisioningUnboundTime.readFrom(() => this.#ages(this.#unbound, schedulableAt))
    metrics.podSchedulingUndecidedTime.readFrom(() =>
      this.#ages(this.#unbound, (key) => {
        const { acknowledgedAt, decidedAt } = cluster.podTimes.get(key)
        return decidedAt === undefined ? acknowledgedAt : undefined
      }),
    )
  }

  observe(change: Change<Pod>): void {
    const pod = change.after
    if (pod === undefined) {
      this.#forget(keyText(keyOf(change.before)))
      return
    }
    const key = keyText(keyOf(pod))
    const isNew = change.before?.metadata.uid !== pod.metadata.uid
    if (isNew) this.#forget(key)
    const times = this.#deps.cluster.podTimes.get(key)
    this.#observeBinding(key, pod, times)
    // Of a pod that ran when it was first seen nobody knows whether it has been ready before.
    if (isNew && phaseOf(pod) === 'Pending') this.#unstarted.set(key, pod)
    this.#observeReadiness(key, pod, times)
  }

  #observeBinding(key: string, pod: Pod, times: PodTimes): void {
    const { metrics } = this.#deps
    const bound = (pod.spec.nodeName ?? '') !== ''
    if (!bound) {
      if (isTerminal({ phase: phaseOf(pod) })) this.#unbound.delete(key)
      else this.#unbound.set(key, pod)
      return
    }
    if (!this.#unbound.delete(key)) return
    const at = transitionOf(pod, 'PodScheduled') ?? this.#deps.clock.now()
    metrics.podBoundDuration.observe({}, secondsBetween(createdAt(pod), at))
    if (times.schedulableAt !== undefined) {
      metrics.podProvisioningBoundDuration.observe({}, secondsBetween(times.schedulableAt, at))
    }
  }

  #observeReadiness(key: string, pod: Pod, times: PodTimes): void {
    const { metrics } = this.#deps
    if (conditionStatus(pod, 'Ready') !== 'True') {
      if (isTerminal({ phase: phaseOf(pod) })) this.#unstarted.delete(key)
      return
    }
    if (!this.#unstarted.delete(key)) return
    const at = transitionOf(pod, 'Ready') ?? this.#deps.clock.now()
    metrics.podStartupDuration.observe({}, secondsBetween(createdAt(pod), at))
    if (times.schedulableAt !== undefined) {
      metrics.podProvisioningStartupDuration.observe({}, secondsBetween(times.schedulableAt, at))
    }
  }

  #forget(key: string): void {
    this.#unbound.delete(key)
    this.#unstarted.delete(key)
  }

  /** How long each pod has waited, of those of which it is known since when. */
  #ages(waiting: ReadonlyMap<string, Pod>, since: (key: string, pod: Pod) => number | undefined): GaugeReading[] {
    const now = this.#deps.clock.now()
    return [...waiting].flatMap(([key, pod]) => {
      const at = since(key, pod)
      return at === undefined ? [] : [{ labels: nameLabels(pod), value: secondsBetween(at, now) }]
    })
  }
}

function stateReading(pod: Pod, cluster: Pick<PodMetricsDeps['cluster'], 'byNodeName'>): GaugeReading {
  const nodeName = pod.spec.nodeName ?? ''
  const node = nodeName === '' ? undefined : cluster.byNodeName(nodeName)
  const labels = node?.labels ?? {}
  return {
    value: 1,
    labels: {
      ...nameLabels(pod),
      owner: ownerPath(pod),
      node: nodeName,
      scheduled: String(nodeName !== ''),
      nodepool: labels[labelNodePool] ?? '',
      zone: labels[labelZone] ?? '',
      arch: labels[labelArch] ?? '',
      capacity_type: labels[labelCapacityType] ?? '',
      instance_type: labels[labelInstanceType] ?? '',
      phase: pod.status?.phase ?? '',
      ready: conditionStatus(pod, 'Ready') ?? '',
      managed: String(node?.managed ?? false),
    },
  }
}

function nameLabels({ metadata: { name, namespace = '' } }: Pod): MetricLabels {
  return { name, namespace }
}

function ownerPath(pod: Pod): string {
  const owner = pod.metadata.ownerReferences?.[0]
  if (owner === undefined) return ''
  const { apiVersion, kind, name } = owner
  return `/apis/${apiVersion}/namespaces/${pod.metadata.namespace ?? ''}/${kind.toLowerCase()}s/${name}`
}

function phaseOf(pod: Pod): PodInfo['phase'] {
  return pod.status?.phase ?? 'Pending'
}

function conditionStatus(pod: Pod, type: string): string | undefined {
  return conditionOf(pod, type)?.status
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
