import type { GaugeValue, MetricLabels } from '../../kube/metrics.ts'

interface GaugeLike {
  set(labels: MetricLabels, value: GaugeValue): void
  remove(labels: MetricLabels): void
}

export interface Series {
  readonly gauge: GaugeLike
  readonly labels: MetricLabels
  readonly value: GaugeValue
}

/** Publishes gauges per object, and drops the series an object no longer has: labels change, objects go. */
export class SeriesKeeper {
  readonly #published = new Map<string, ReadonlyMap<string, Series>>()
  /** What was published last, as it was handed over: nearly always it is the same again. */
  readonly #lists = new Map<string, readonly Series[]>()
  readonly #gaugeIDs = new Map<GaugeLike, number>()

  publish(object: string, series: readonly Series[]): void {
    const last = this.#lists.get(object)
    if (last !== undefined && isSame(last, series)) return
    if (series.length === 0) this.#lists.delete(object)
    else this.#lists.set(object, series)
    const next = new Map(series.map((one) => [this.#identity(one), one]))
    for (const [identity, { gauge, labels }] of this.#published.get(object) ?? []) {
      if (!next.has(identity)) gauge.remove(labels)
    }
    for (const { gauge, labels, value } of series) gauge.set(labels, value)
    if (next.size === 0) this.#published.delete(object)
    else this.#published.set(object, next)
  }

  remove(object: string): void {
    this.publish(object, [])
  }

  /** Drops every object that is not among these. */
  keepOnly(objects: ReadonlySet<string>): void {
    for (const object of [...this.#published.keys()]) if (!objects.has(object)) this.remove(object)
  }

  #identity({ gauge, labels }: Series): string {
    let id = this.#gaugeIDs.get(gauge)
    if (id === undefined) {
      id = this.#gaugeIDs.size
      this.#gaugeIDs.set(gauge, id)
    }
    return JSON.stringify([id, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])
  }
}

function isSame(a: readonly Series[], b: readonly Series[]): boolean {
  return a.length === b.length && a.every((one, index) => isSameSeries(one, b[index]))
}

function isSameSeries(a: Series, b: Series | undefined): boolean {
  if (b === undefined || a.gauge !== b.gauge || a.value !== b.value) return false
  const names = Object.keys(a.labels)
  return names.length === Object.keys(b.labels).length && names.every((name) => a.labels[name] === b.labels[name])
}
