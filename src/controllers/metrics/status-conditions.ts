import {
  type ConditionTypes,
  messageAwaitingReconciliation,
  reasonAwaitingReconciliation,
} from '../../api/conditions.ts'
import type { Condition, KubeObject } from '../../api/kubernetes.ts'
import { type Caches, type Change, done, type SingletonController } from '../../kube/controller.ts'
import type { Counter, Gauge, GaugeReading, Histogram, MetricLabels, Metrics } from '../../kube/metrics.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import type { Resource } from '../../kube/resource.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import { type MeasuredKind, statusMetricRows, toMetricLabel } from '../status-metric-table.ts'

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
 * when an object changes; what conditions it has and since when is read from the cache when somebody looks. Those of `opened` are
 * unknown since the object was created as long as nobody has written them, as Karpenter sees them.
 */
export function statusConditionController(
  deps: StatusConditionDeps,
  resource: Resource<ConditionedObject>,
  kind: MeasuredKind,
  opened?: ConditionTypes,
): SingletonController {
  const observer = new ConditionObserver(deps, kind, opened)
  const cache = deps.caches.of(resource)
  observer.show(() => cache.list())
  for (const object of cache.list()) observer.observe({ kind: 'added', after: object })
  cache.subscribe((change) => observer.observe(change))
  return {
    name: `operatorpkg.${kind.kind.toLowerCase()}.status`,
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
  readonly #opened: readonly string[]

  constructor(deps: StatusConditionDeps, kind: MeasuredKind, opened: ConditionTypes | undefined) {
    this.#deps = deps
    this.#opened = opened === undefined ? [] : [...opened.dependents, opened.root]
    this.#families = [
      define(deps.metrics, kind, (object) =>
        Object.fromEntries(kind.extraLabels.map((key) => [toMetricLabel(key), object.metadata.labels?.[key] ?? ''])),
      ),
      ...(kind.deprecatedFamilies
        ? [define(deps.metrics, 'deprecated', () => ({ group: kind.group, kind: kind.kind }))]
        : []),
    ]
  }

  show(objects: () => readonly ConditionedObject[]): void {
    const { clock } = this.#deps
    for (const family of this.#families) {
      family.count.readFrom(() => this.#readings(objects(), family, () => 1))
      family.currentStatusSeconds.readFrom(() => {
        const now = clock.now()
        return this.#readings(objects(), family, ({ since }, createdAt) => secondsSince(since ?? createdAt, now))
      })
      family.terminationCurrentSeconds.readFrom(() => {
        const now = clock.now()
        return objects().flatMap((object) => {
          const deletedAt = parseTimestamp(object.metadata.deletionTimestamp)
          return deletedAt === undefined
            ? []
            : [{ labels: labelsOf(object, family), value: secondsSince(deletedAt, now) }]
        })
      })
    }
  }

  observe(change: Change<ConditionedObject>): void {
    const { before, after } = change
    if (after !== undefined) this.#observeTransitions(before, after)
    if (before?.metadata.deletionTimestamp !== undefined) this.#observeFinalizers(before, after)
    if (after !== undefined || before === undefined) return
    const deletedAt = parseTimestamp(before.metadata.deletionTimestamp)
    if (deletedAt === undefined) return
    const seconds = secondsSince(deletedAt, this.#deps.clock.now())
    for (const family of this.#families) family.terminationSeconds.observe(family.extra(before), seconds)
  }

  /** What is known when it is seen for the first time counts as a transition, but nobody needs an event about it. */
  #observeTransitions(before: ConditionedObject | undefined, after: ConditionedObject): void {
    const known = new Map(
      before === undefined ? [] : this.#conditionsOf(before).map((condition) => [condition.type, condition]),
    )
    for (const condition of this.#conditionsOf(after)) {
      const { type, status, reason, message } = condition
      const previous = known.get(type)
      if ((previous?.status ?? 'Unknown') === status) continue
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

  *#readings(
    objects: readonly ConditionedObject[],
    family: Families,
    valueOf: (condition: ObservedCondition, createdAt: number | undefined) => number,
  ): Generator<GaugeReading> {
    for (const object of objects) {
      const labels = labelsOf(object, family)
      const createdAt = parseTimestamp(object.metadata.creationTimestamp)
      for (const condition of this.#conditionsOf(object)) {
        const { type, status, reason } = condition
        yield { labels: { ...labels, type, status, reason }, value: valueOf(condition, createdAt) }
      }
    }
  }

  #conditionsOf(object: ConditionedObject): readonly ObservedCondition[] {
    const written = writtenConditions(object)
    const missing = this.#opened.filter((type) => !written.some((condition) => condition.type === type))
    if (missing.length === 0) return written
    const unknown = {
      status: 'Unknown',
      reason: reasonAwaitingReconciliation,
      message: messageAwaitingReconciliation,
      since: parseTimestamp(object.metadata.creationTimestamp),
    }
    return [...written, ...missing.map((type) => ({ type, ...unknown }))]
  }
}

function labelsOf(object: ConditionedObject, family: Families): MetricLabels {
  const { name, namespace = '' } = object.metadata
  return { namespace, name, ...family.extra(object) }
}

function secondsSince(at: number | undefined, now: number): number {
  return at === undefined ? 0 : Math.max(0, (now - at) / 1000)
}

interface ObservedCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly since: number | undefined
}

function writtenConditions(object: ConditionedObject): readonly ObservedCondition[] {
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
