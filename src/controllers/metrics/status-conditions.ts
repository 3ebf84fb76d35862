import type { Condition, KubeObject } from '../../api/kubernetes.ts'
import { type Caches, type Change, done, type SingletonController } from '../../kube/controller.ts'
import type { Counter, Gauge, GaugeValue, Histogram, MetricLabels, Metrics } from '../../kube/metrics.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import type { Resource } from '../../kube/resource.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import { type MeasuredKind, statusMetricRows, toMetricLabel } from '../status-metric-table.ts'
import { type Series, SeriesKeeper } from './series-keeper.ts'

export type ConditionedObject = KubeObject & {
  readonly status?: { readonly conditions?: readonly Partial<Condition>[] }
}

export interface StatusConditionDeps {
  readonly caches: Caches
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly metrics: Metrics
}

/**
 * Measures the conditions of one kind and tells of their transitions, and of finalizers that are done, in events. All of it happens
 * when an object changes: ages are read when somebody looks at them.
 */
export function statusConditionController(
  deps: StatusConditionDeps,
  resource: Resource<ConditionedObject>,
  kind: MeasuredKind,
): SingletonController {
  const observer = new ConditionObserver(deps, kind)
  const cache = deps.caches.of(resource)
  for (const object of cache.list()) observer.observe({ kind: 'added', after: object })
  cache.subscribe((change) => observer.observe(change))
  return {
    name: `${kind.kind.toLowerCase()}.status`,
    reconcile: () => Promise.resolve(done),
  }
}

interface Families {
  readonly extra: (object: KubeObject) => MetricLabels
  readonly count: Gauge
  readonly currentStatusSeconds: Gauge
  readonly transitions: Counter
  readonly transitionSeconds: Histogram
  readonly terminationCurrentSeconds: Gauge
  readonly terminationSeconds: Histogram
}

class ConditionObserver {
  readonly #deps: StatusConditionDeps
  readonly #families: readonly Families[]
  readonly #keeper = new SeriesKeeper()

  constructor(deps: StatusConditionDeps, kind: MeasuredKind) {
    this.#deps = deps
    this.#families = [
      define(deps.metrics, kind, (object) =>
        Object.fromEntries(kind.extraLabels.map((key) => [toMetricLabel(key), object.metadata.labels?.[key] ?? ''])),
      ),
      ...(kind.deprecatedFamilies
        ? [define(deps.metrics, 'deprecated', () => ({ group: kind.group, kind: kind.kind }))]
        : []),
    ]
  }

  observe(change: Change<ConditionedObject>): void {
    const { before, after } = change
    if (after !== undefined) {
      this.#observeTransitions(before, after)
      this.#publish(after)
    }
    if (before?.metadata.deletionTimestamp !== undefined) this.#observeFinalizers(before, after)
    if (after !== undefined || before === undefined) return
    this.#keeper.remove(before.metadata.uid)
    const deletedAt = parseTimestamp(before.metadata.deletionTimestamp)
    if (deletedAt === undefined) return
    const seconds = Math.max(0, (this.#deps.clock.now() - deletedAt) / 1000)
    for (const family of this.#families) family.terminationSeconds.observe(family.extra(before), seconds)
  }

  #publish(object: ConditionedObject): void {
    const { clock } = this.#deps
    const now = clock.now()
    const age =
      (since: number): GaugeValue =>
      () =>
        Math.max(0, (clock.now() - since) / 1000)
    const { name, namespace = '', uid, deletionTimestamp } = object.metadata
    const series = this.#families.flatMap((family): Series[] => {
      const labels = { namespace, name, ...family.extra(object) }
      const conditions = conditionsOf(object).flatMap((condition): Series[] => {
        const { type, status, reason } = condition
        const own = { ...labels, type, status, reason }
        return [
          { gauge: family.count, labels: own, value: 1 },
          { gauge: family.currentStatusSeconds, labels: own, value: age(condition.since ?? now) },
        ]
      })
      const deletedAt = parseTimestamp(deletionTimestamp)
      if (deletedAt === undefined) return conditions
      return [...conditions, { gauge: family.terminationCurrentSeconds, labels, value: age(deletedAt) }]
    })
    this.#keeper.publish(uid, series)
  }

  /** What is seen for the first time counts as a transition, but nobody needs an event about it. */
  #observeTransitions(before: ConditionedObject | undefined, after: ConditionedObject): void {
    const known = new Map(
      before === undefined ? [] : conditionsOf(before).map((condition) => [condition.type, condition]),
    )
    for (const condition of conditionsOf(after)) {
      const { type, status, reason, message } = condition
      const previous = known.get(type)
      if (previous?.status === status) continue
      for (const family of this.#families) {
        const extra = family.extra(after)
        family.transitions.increment({ ...extra, type, status, reason })
        if (previous === undefined || previous.since === undefined || condition.since === undefined) continue
        const seconds = Math.max(0, (condition.since - previous.since) / 1000)
        family.transitionSeconds.observe({ ...extra, type, status: previous.status }, seconds)
      }
      if (previous === undefined) continue
      const detail = message === '' ? '' : `, Message: ${message}`
      this.#deps.recorder.publish({
        object: after,
        type: 'Normal',
        reason: type,
        message: `Status condition transitioned, Type: ${type}, Status: ${previous.status} -> ${status}, Reason: ${reason}${detail}`,
      })
    }
  }

  #observeFinalizers(before: ConditionedObject, after: ConditionedObject | undefined): void {
    const left = after?.metadata.finalizers ?? []
    for (const finalizer of before.metadata.finalizers ?? []) {
      if (left.includes(finalizer)) continue
      this.#deps.recorder.publish({
        object: before,
        type: 'Normal',
        reason: 'Finalized',
        message: `Finalized ${finalizer}`,
      })
    }
  }
}

interface ObservedCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly since: number | undefined
}

function conditionsOf(object: ConditionedObject): readonly ObservedCondition[] {
  return (object.status?.conditions ?? []).map(({ type = '', status = '', reason = '', message = '', ...rest }) => ({
    type,
    status,
    reason,
    message,
    since: parseTimestamp(rest.lastTransitionTime),
  }))
}

function define(
  metrics: Metrics,
  kind: MeasuredKind | 'deprecated',
  extra: (object: KubeObject) => MetricLabels,
): Families {
  const rows = statusMetricRows(kind)
  return {
    extra,
    count: metrics.gauge(rows.count),
    currentStatusSeconds: metrics.gauge(rows.currentStatusSeconds),
    transitions: metrics.counter(rows.transitions),
    transitionSeconds: metrics.histogram(rows.transitionSeconds),
    terminationCurrentSeconds: metrics.gauge(rows.terminationCurrentSeconds),
    terminationSeconds: metrics.histogram(rows.terminationSeconds),
  }
}
